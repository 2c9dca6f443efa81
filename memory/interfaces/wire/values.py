"""A JSON value of a `/v1` body that is kept as it is: what Postgres cannot keep is refused."""

import json
from math import isfinite
from typing import Any

from memory.interfaces.wire.fields import Body, sound
from tenants.answers import Refused

VALUE_LIMIT = 64 * 1024  # bytes of it as JSON
DEPTH_LIMIT = 100


def value(body: Body, field: str) -> Any:
    """Any JSON value, null too, at most VALUE_LIMIT bytes; the field has to be there."""
    if field not in body:
        raise Refused("expected a value: any JSON, null too", field=field)
    given = body[field]
    _keepable(given, field)
    size = len(json.dumps(given, ensure_ascii=False).encode())
    if size > VALUE_LIMIT:
        raise Refused(f"{size} bytes, at most {VALUE_LIMIT} are taken", field=field, status=413)
    return given


def _keepable(given: Any, field: str) -> None:
    """Layer by layer, so that no depth exhausts the stack."""
    layer = [given]
    for _ in range(DEPTH_LIMIT):
        inner: list[Any] = []
        for each in layer:
            if isinstance(each, dict):
                inner += [*each.keys(), *each.values()]
            elif isinstance(each, list):
                inner += each
            elif isinstance(each, str):
                sound(each, field, problem="has text in it that is not valid Unicode")
            elif isinstance(each, float) and not isfinite(each):
                raise Refused("has a number in it that is too large", field=field)
        if not inner:
            return
        layer = inner
    raise Refused(f"nested deeper than {DEPTH_LIMIT} levels", field=field)
