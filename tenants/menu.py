"""What the top of every page needs: the tenant worked in, and the others to switch to."""

from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest
from django.urls import get_script_prefix
from django.utils.functional import SimpleLazyObject

from tenants.directory import tenants_of_user


@dataclass(frozen=True)
class Place:
    slug: str
    href: str
    is_here: bool


@dataclass(frozen=True)
class Menu:
    tenant_slug: str
    places: list[Place]


def menu(request: HttpRequest) -> dict[str, Any]:
    """A context processor. Lazy: a page without the menu pays no query."""
    return {"menu": SimpleLazyObject(lambda: _menu(request))}


def _menu(request: HttpRequest) -> Menu:
    here = getattr(request, "tenant_slug", None) or ""
    if not request.user.is_authenticated:
        return Menu(here, [])
    slugs = [slug for _, slug in tenants_of_user(request.user.pk)]
    if here and here not in slugs:  # an operator who entered without membership
        slugs.append(here)
    root = get_script_prefix().removesuffix("/").removesuffix(f"/t/{here}")
    places = [Place(slug, f"{root}/t/{slug}/review/", slug == here) for slug in slugs]
    return Menu(here, places)
