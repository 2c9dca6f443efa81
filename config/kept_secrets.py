"""Secrets that are made once and kept under KEEPSAKE_HOME, readable by their owner only."""

import os
import secrets
import tempfile
from pathlib import Path


def made_once(home: Path, name: str, *, size: int = 48) -> str:
    """Give the secret kept in `home/name`, making it first if it is not there.

    Safe when several processes start at once: the file appears complete or not at all, and
    whoever comes second reads what the first one made.
    """
    path = home / name
    try:
        return path.read_text().strip()
    except FileNotFoundError:
        pass
    home.mkdir(parents=True, exist_ok=True)
    handle, draft = tempfile.mkstemp(dir=home, prefix=f".{name}-")
    try:
        with os.fdopen(handle, "w") as file:
            file.write(secrets.token_urlsafe(size) + "\n")
        os.link(draft, path)
    except FileExistsError:
        pass
    finally:
        os.unlink(draft)
    return path.read_text().strip()
