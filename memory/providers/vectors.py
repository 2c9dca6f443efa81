"""What every embedder promises about its rows, in one place: unit length, or zero, or an error."""

import numpy as np
import numpy.typing as npt

from memory.providers.errors import Unparseable
from memory.providers.types import Vector

_TINY = 1e-6


def unit_rows(rows: npt.ArrayLike, *, count: int, dimensions: int) -> Vector:
    """`rows` as float32 of length 1, shape (count, dimensions); zero rows stay zero.

    Raises Unparseable for a wrong shape and for NaN or infinity, which poison every comparison.
    """
    try:
        matrix = np.asarray(rows, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise Unparseable(f"vectors of uneven length, {dimensions} expected") from error
    if matrix.shape != (count, dimensions) and not (count == 0 and matrix.size == 0):
        raise Unparseable(f"vectors of shape {matrix.shape}, {(count, dimensions)} expected")
    matrix = matrix.reshape(count, dimensions)
    if not np.isfinite(matrix).all():
        raise Unparseable("a vector holds NaN or infinity")
    lengths = np.linalg.norm(matrix, axis=1, keepdims=True)
    small = lengths < _TINY
    unit = (matrix / np.where(small, 1.0, lengths)).astype(np.float32)
    unit[small[:, 0]] = 0.0
    return unit
