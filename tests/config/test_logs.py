"""A log says where it broke and repeats nobody's words."""

import io
import logging

import pytest
from django.db import DatabaseError, connection

from config.logs import WordlessFormatter


def logged(fault: Exception) -> str:
    stream = io.StringIO()
    handler = logging.StreamHandler(stream)
    handler.setFormatter(WordlessFormatter("{levelname} {message}", style="{"))
    log = logging.Logger("a test")
    log.addHandler(handler)
    try:
        raise RuntimeError("private outside") from fault
    except RuntimeError:
        log.exception("stage observe failed for tenant %s", 7)
    return stream.getvalue()


def test_frames_and_kinds_are_there_and_messages_are_not() -> None:
    text = logged(ValueError("private inside"))
    assert text.startswith("ERROR stage observe failed for tenant 7\n")
    assert "builtins.ValueError\n\nTraceback" in text
    assert text.endswith("builtins.RuntimeError\n")
    assert "test_logs.py" in text
    assert "private inside" not in text


@pytest.mark.django_db
def test_the_row_that_postgres_refused_is_not_quoted() -> None:
    with pytest.raises(DatabaseError) as caught, connection.cursor() as cursor:
        cursor.execute("SELECT 'my private words'::text::int")
    assert "private words" in str(caught.value)
    text = logged(caught.value)
    assert "DataError" in text
    assert "private words" not in text.replace("SELECT 'my private words'::text::int", "")


def test_an_exception_in_a_circle_ends() -> None:
    first, second = ValueError("a"), ValueError("b")
    first.__context__, second.__context__ = second, first
    assert logged(first).count("Traceback") == 10
