"""The visitor's cookie, as a browser gets it."""

import uuid
from http.cookies import Morsel, SimpleCookie
from typing import Any

import pytest
from django.http import HttpResponse
from django.test import RequestFactory

from agents.channels import cookies


def attributes(embedded: bool) -> set[str]:
    response = HttpResponse()
    cookies.give(response, uuid.UUID(int=1), embedded=embedded)
    value, *rest = response.cookies["va_ext"].OutputString().split("; ")
    assert value == f"va_ext={uuid.UUID(int=1)}"
    return {each for each in rest if not each.startswith("expires")}


def test_in_a_frame_of_another_site_it_is_partitioned() -> None:
    assert attributes(embedded=True) == {
        "HttpOnly", "Max-Age=2592000", "Path=/", "Partitioned", "SameSite=None", "Secure",
    }  # fmt: skip


def test_elsewhere_it_is_lax(settings: Any) -> None:
    settings.SESSION_COOKIE_SECURE = False
    lax = {"HttpOnly", "Max-Age=2592000", "Path=/", "SameSite=Lax"}
    assert attributes(embedded=False) == lax
    settings.SESSION_COOKIE_SECURE = True
    assert attributes(embedded=False) == lax | {"Secure"}


def test_teaching_twice_changes_nothing_and_other_cookies_stay_as_they_were() -> None:
    cookies.teach_partitioned()
    cookies.teach_partitioned()
    assert list(Morsel._reserved).count("partitioned") == 1  # type: ignore[attr-defined]
    assert "artitioned" not in SimpleCookie({"a": "b"}).output()


@pytest.mark.parametrize("value", ["", "x", "'; --", "00000000", "\x00", "é" * 40])
def test_a_cookie_that_is_no_uuid_is_nobody(value: str) -> None:
    request = RequestFactory().get("/")
    request.COOKIES["va_ext"] = value
    assert cookies.visitor_of(request) is None
