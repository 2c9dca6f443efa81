"""Schedules, hooks and listeners in the admin: what is typed is checked, a secret is shown once."""

from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from agents.models import InboundHook, ScheduledRun
from memory.events import signature
from memory.models import Listener
from tenants.models import Role
from tests.factories import World, make_member

pytestmark = pytest.mark.django_db


class Desk(World):
    def __init__(self) -> None:
        super().__init__()
        with self.inside():
            user = User.objects.get(pk=make_member(Role.ADMIN).user_id or 0)
        self.browser = Client()
        self.browser.force_login(user)

    def add(self, model: str, **fields: Any) -> Any:
        address = f"/t/{self.tenant.slug}/admin/{model}/add/"
        return self.browser.post(address, fields, follow=True)


@pytest.fixture
def desk() -> Desk:
    return Desk()


def test_a_schedule_with_a_bad_crontab_is_refused_in_words(desk: Desk) -> None:
    fields = {"name": "Morning", "agent": desk.agent.pk, "prompt": "hi", "active": "on"}
    page = desk.add("agents/scheduledrun", **fields, crontab="61 * * * *").content.decode()
    assert "minute: expected numbers from 0 to 59" in page
    desk.add("agents/scheduledrun", **fields, crontab="0 7 * * *")
    with desk.inside():
        assert ScheduledRun.objects.get().next_run_at is None


def test_a_hooks_secret_is_shown_once_and_kept_sealed(desk: Desk) -> None:
    fields = {"name": "Shop", "agent": desk.agent.pk, "preset": "generic", "active": "on"}
    page = desk.add("agents/inboundhook", **fields).content.decode()
    with desk.inside():
        hook = InboundHook.objects.get()
    secret = signature.unseal(bytes(hook.secret), tenant_id=desk.tenant.pk, uid=hook.uid)
    assert secret in page
    again = desk.browser.get(f"/t/{desk.tenant.slug}/admin/agents/inboundhook/{hook.pk}/change/")
    assert secret not in again.content.decode()
    desk.add(
        "agents/inboundhook", **(fields | {"name": "S", "preset": "slack"}), signing_secret="abc"
    )
    with desk.inside():
        slack = InboundHook.objects.get(name="S")
    opened = signature.unseal(bytes(slack.secret), tenant_id=desk.tenant.pk, uid=slack.uid)
    assert opened == "abc"


def test_a_listener_that_could_never_call_is_refused_in_words(desk: Desk) -> None:
    fields = {"name": "L", "event": "memory.created", "tool": "remember", "active": "on"}
    page = desk.add("memory/listener", **fields, arguments='{"key": "x"}').content.decode()
    assert "content: expected the text to remember" in page
    desk.add("memory/listener", **fields, arguments='{"content": "Heard {key}.", "key": "h"}')
    with desk.inside():
        assert Listener.objects.get().arguments == {"content": "Heard {key}.", "key": "h"}
