"""A tenant, its key, and a client that speaks `/v1` with it."""

from collections.abc import Callable
from typing import Any

import pytest
from django.http import HttpResponse
from django.test import Client

from tenants.context import within
from tenants.models import Tenant, Token
from tests.factories import make_tenant


class Wire:
    """Calls with one key; the answer's JSON under `.json()`, as Django's client gives it."""

    def __init__(self, tenant: Tenant, **narrowed: Any) -> None:
        self.tenant = tenant
        with within(tenant.pk):
            fields = {"tier": "enterprise", **narrowed}
            self.token, self.key = Token.objects.issue(
                kind=Token.Kind.ORGANISATION, name="test", **fields
            )
        self.client = Client(headers={"Authorization": f"Bearer {self.key}"})

    def post(self, path: str, **body: Any) -> Any:
        return self.client.post(f"/v1/{path}", body, content_type="application/json")

    def get(self, path: str) -> Any:
        return self.client.get(f"/v1/{path}")

    def delete(self, path: str) -> HttpResponse:
        return self.client.delete(f"/v1/{path}")  # type: ignore[return-value]

    def put(self, path: str, **body: Any) -> Any:
        return self.client.put(f"/v1/{path}", body, content_type="application/json")

    def write(self, content: str, agent: str = "a", status: int = 201, **more: Any) -> Any:
        answer = self.post("memory/write", content=content, agentId=agent, **more)
        assert answer.status_code == status, answer.content
        return answer.json()

    def search(self, query: str, agent: str = "a", **more: Any) -> list[dict[str, Any]]:
        answer = self.post("memory/search", query=query, agentId=agent, **more)
        assert answer.status_code == 200, answer.content
        return answer.json()  # type: ignore[no-any-return]

    def texts(self, query: str, agent: str = "a", **more: Any) -> list[str]:
        return [hit["content"] for hit in self.search(query, agent, **more)]


@pytest.fixture
def tenant(db: None) -> Tenant:
    return make_tenant()


@pytest.fixture
def wire(tenant: Tenant) -> Wire:
    return Wire(tenant)


@pytest.fixture
def wired() -> Callable[..., Wire]:
    return Wire
