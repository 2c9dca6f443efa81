"""The categories of an agent, by hand: added, changed, switched off and on again."""

from typing import Any

from django.core.validators import slug_re
from django.db import IntegrityError, transaction
from django.http import Http404
from django.utils.text import slugify

from memory.models import Category
from memory.people import rights
from memory.providers.cleaning import clean
from tenants.answers import Refused
from tenants.audit import record
from tenants.caller import Caller
from tenants.context import within

LIMITS = {"name": 100, "slug": 60, "description": 500, "extraction_prompt": 2_000}


def add_category(
    *,
    by: Caller,
    agent_id: int,
    name: str,
    slug: str | None = None,
    description: str = "",
    extraction_prompt: str = "",
) -> Category:
    """Beside the usual five. Without a slug the name makes one; a taken one is refused (409)."""
    _check(by, agent_id)
    given = {
        "name": _text("name", name),
        "description": _text("description", description),
        "extraction_prompt": _text("extraction_prompt", extraction_prompt),
    }
    slug = _slug(slug if slug is not None else slugify(given["name"]).replace("-", "_")[:60])
    with within(by.tenant_id):
        Category.objects.of(agent_id)  # the five first, so that a sixth is not the only one
        try:
            with transaction.atomic():
                category = Category.objects.create(agent_id=agent_id, slug=slug, **given)
        except IntegrityError:
            raise Refused(
                "the agent has a category of this name", field="slug", status=409
            ) from None
        _record("added", by, category)
    return category


def change_category(
    *, by: Caller, agent_id: int, category_id: int, is_active: bool | None = None, **given: str
) -> Category:
    """`given` are name, description, extraction_prompt; None leaves `is_active` as it is."""
    _check(by, agent_id)
    wanted: dict[str, Any] = {field: _text(field, text) for field, text in given.items()}
    if is_active is not None:
        wanted["is_active"] = is_active
    with within(by.tenant_id):
        rows = Category.objects.select_for_update(of=("self",)).filter(agent_id=agent_id)
        category = rows.filter(pk=category_id).first()
        if category is None:
            raise Http404("no such category")
        changed = sorted(
            field for field, value in wanted.items() if getattr(category, field) != value
        )
        for field in changed:
            setattr(category, field, wanted[field])
        if changed:
            category.save(update_fields=changed)
            _record("changed", by, category, fields=changed, is_active=category.is_active)
    return category


def deactivate_category(*, by: Caller, agent_id: int, category_id: int) -> None:
    """What it has stays; nothing new is extracted into it, nothing added by hand."""
    change_category(by=by, agent_id=agent_id, category_id=category_id, is_active=False)


def _check(by: Caller, agent_id: int) -> None:
    rights.may_curate(by)
    if by.agent_id not in (None, agent_id):
        raise Http404("no such agent")


def _text(field: str, given: Any) -> str:
    if not isinstance(given, str):
        raise Refused("expected a string", field=field)
    text = clean(given).text.strip()
    if field == "name" and not text:
        raise Refused("expected a name that is not empty", field=field)
    if len(text) > LIMITS[field]:
        raise Refused(f"{len(text)} characters, at most {LIMITS[field]} are taken", field=field)
    return text


def _slug(slug: Any) -> str:
    if not isinstance(slug, str):
        raise Refused("expected a string", field="slug")
    if not slug_re.match(slug) or len(slug) > LIMITS["slug"]:
        raise Refused(
            f"expected letters, digits, - and _, at most {LIMITS['slug']} of them", field="slug"
        )
    return slug


def _record(what: str, by: Caller, category: Category, **detail: Any) -> None:
    record(
        f"category.{what}",
        by=by.actor,
        subject="category",
        subject_id=category.pk,
        agent=category.agent_id,
        **detail,
    )
