"""What a view may say about itself to the tenant middleware."""

from collections.abc import Callable
from typing import Any, TypeVar, overload

View = TypeVar("View", bound=Callable[..., Any])

EVERY = frozenset({"GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE"})


@overload
def opens_its_own(view: View, /) -> View: ...


@overload
def opens_its_own(*methods: str) -> Callable[[View], View]: ...


def opens_its_own(*args: Any) -> Any:
    """The view opens short `within` blocks itself: it calls a provider, streams, or decides (G1).

    For functions, methods of an admin that are routed through `get_urls`, `as_view()` classes and
    their handler methods. `@opens_its_own("POST")` keeps the one block around for other methods.
    """
    if len(args) == 1 and callable(args[0]):
        args[0].opens_its_own = EVERY
        return args[0]
    methods = frozenset(args)

    def mark(view: View) -> View:
        view.opens_its_own = methods  # type: ignore[attr-defined]
        return view

    return mark


def without_tenant(view: View) -> View:
    """The page belongs to no tenant, so a request without the prefix is not sent to one."""
    view.without_tenant = True  # type: ignore[attr-defined]
    return view


def takes_guests(view: View) -> View:
    """Signed-in users who are no members get in, too, as callers without a role: the view finds
    out whether they have any business there, and else answers as an unknown tenant does."""
    view.takes_guests = True  # type: ignore[attr-defined]
    return view


def lets_guests_in(view: Callable[..., Any]) -> bool:
    return any(getattr(part, "takes_guests", False) for part in _parts(view, ""))


def does_open_its_own(view: Callable[..., Any], method: str) -> bool:
    return any(method in getattr(part, "opens_its_own", ()) for part in _parts(view, method))


def needs_no_tenant(view: Callable[..., Any]) -> bool:
    return any(getattr(part, "without_tenant", False) for part in _parts(view, ""))


def is_open_to_all(view: Callable[..., Any]) -> bool:
    """Marked with Django's own `login_not_required`: signing in and out, and their like."""
    return getattr(view, "login_required", True) is False


def _parts(view: Callable[..., Any], method: str) -> list[Any]:
    """The view, the class behind `as_view()` (Django's or REST framework's), its handler."""
    maker = getattr(view, "view_class", None) or getattr(view, "cls", None)
    if maker is None:
        return [view]
    actions = getattr(view, "actions", None) or {}
    handler = getattr(maker, actions.get(method.lower(), method.lower()) or "dispatch", None)
    return [view, maker, handler]
