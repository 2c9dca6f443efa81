"""What an agent sorts its memories of people into; DELETE switches one off, PATCH on again."""

from typing import Any

from django.http import HttpResponse, JsonResponse
from rest_framework.request import Request

from memory.interfaces.api import shapes_people as shapes
from memory.interfaces.api.orgs import OrgView, instant, required_text, switch_in, text_in
from memory.interfaces.api.paging import paged
from memory.models import Category
from memory.people import categories, rights
from tenants.answers import Refused
from tenants.context import within
from tenants.described import described

TEXTS = ("name", "description", "extraction_prompt")


class Categories(OrgView):
    @described(
        "List an agent's categories, the oldest first",
        tag=shapes.AGENT_TAG,
        answers={200: "CategoryPage"},
        queries=shapes.PAGES,
    )
    def get(self, request: Request, **path: str) -> HttpResponse:
        """The oldest first, inactive ones too; the usual five at first need."""
        rights.may_read_agent(self.caller)
        with within(self.caller.tenant_id):
            agent = self.agent()
            Category.objects.of(agent.pk)
            rows = Category.objects.filter(agent=agent)
            return JsonResponse(paged(request, rows, as_json, oldest_first=True))

    @described(
        "Add a category",
        tag=shapes.AGENT_TAG,
        takes="NewCategory",
        answers={201: "Category"},
        refuses=(409,),
    )
    def post(self, request: Request, **path: str) -> HttpResponse:
        rights.may_curate(self.caller)
        body = self.body()
        with within(self.caller.tenant_id):
            agent = self.agent()
        category = categories.add_category(
            by=self.caller,
            agent_id=agent.pk,
            name=required_text(body, "name"),
            slug=text_in(body, "slug"),
            description=text_in(body, "description") or "",
            extraction_prompt=text_in(body, "extraction_prompt") or "",
        )
        return JsonResponse(as_json(category), status=201)


class OneCategory(OrgView):
    @described(
        "Change a category, or switch it on again",
        tag=shapes.AGENT_TAG,
        takes="CategoryChange",
        answers={200: "Category"},
    )
    def patch(self, request: Request, number: int, **path: str) -> HttpResponse:
        rights.may_curate(self.caller)
        body = self.body()
        given = {name: text for name in TEXTS if (text := text_in(body, name)) is not None}
        is_active = switch_in(body, "is_active")
        slug = text_in(body, "slug")
        with within(self.caller.tenant_id):
            agent = self.agent()
            if slug is not None:
                _keeps_its_slug(agent.pk, number, slug)
        category = categories.change_category(
            by=self.caller, agent_id=agent.pk, category_id=number, is_active=is_active, **given
        )
        return JsonResponse(as_json(category))

    @described(
        "Switch a category off",
        tag=shapes.AGENT_TAG,
        answers={204: None},
        notes="What it has stays; nothing new is extracted into it.",
    )
    def delete(self, request: Request, number: int, **path: str) -> HttpResponse:
        rights.may_curate(self.caller)
        with within(self.caller.tenant_id):
            agent = self.agent()
        categories.deactivate_category(by=self.caller, agent_id=agent.pk, category_id=number)
        return HttpResponse(status=204)


def _keeps_its_slug(agent_id: int, number: int, slug: str) -> None:
    """Versions of memories name a category by its slug, so it stays what it was."""
    rows = Category.objects.filter(agent_id=agent_id, pk=number)
    if any(category.slug != slug for category in rows):
        raise Refused("a category keeps its slug", field="slug")


def as_json(category: Category) -> dict[str, Any]:
    return {
        "id": category.pk,
        "name": category.name,
        "slug": category.slug,
        "description": category.description,
        "extraction_prompt": category.extraction_prompt,
        "is_active": category.is_active,
        "created_at": instant(category.created_at),
    }
