"""Webhooks in the admin: attempts are visible, secrets and bodies are not, and replay is a verb."""

from collections.abc import Iterator
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.contrib.messages import get_messages
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from memory.events import subscriptions
from memory.models import Delivery
from tenants.models import AuditEntry, Role
from tests.factories import make_member
from tests.hooked import WORDS, Hooked
from tests.receivers import receiving

pytestmark = pytest.mark.django_db


@pytest.fixture
def hooked(settings: Any) -> Iterator[Hooked]:
    settings.WEBHOOK_ALLOW_PRIVATE = True
    with receiving() as receiver:
        yield Hooked(receiver)


@pytest.fixture
def failed(hooked: Hooked) -> int:
    """The number of a delivery that was given up after one attempt; its webhook is resumed."""
    hooked.receiver.answers = [410]
    hooked.write()
    hooked.work()
    with hooked.inside():
        hook = subscriptions.find(hooked.hook.uid)
        assert hook is not None
        subscriptions.resume(hook, by=hooked.admin.actor)
        return Delivery.objects.get(status="failed").pk


def signed_in(hooked: Hooked, role: Role = Role.ADMIN) -> Client:
    with hooked.inside():
        user = User.objects.get(pk=make_member(role).user_id or 0)
    client = Client()
    client.force_login(user)
    return client


def at(hooked: Hooked, path: str) -> str:
    return f"/t/{hooked.tenant.slug}/admin/memory/{path}"


def act(hooked: Hooked, client: Client, model: str, action: str, picked: list[int]) -> list[str]:
    data = {"action": action, "_selected_action": picked}
    answer = client.post(at(hooked, f"{model}/"), data)
    assert answer.status_code == 302, answer.content.decode()[:500]
    return [str(message) for message in get_messages(answer.wsgi_request)]


def test_attempts_are_shown_and_neither_secret_nor_body(hooked: Hooked, failed: int) -> None:
    client = signed_in(hooked)
    pages = [
        client.get(at(hooked, path)).content.decode()
        for path in (
            "webhook/",
            f"webhook/{hooked.hook.pk}/change/",
            "delivery/",
            f"delivery/{failed}/change/",
            "attempt/",
        )
    ]
    assert "HTTP 410" in pages[3]
    assert "Send again" in pages[3]
    sealed = bytes(hooked.hook.secret)
    for page in pages:
        assert hooked.secret not in page
        assert repr(sealed)[2:20] not in page
        assert "Zoë" not in page
        assert WORDS not in page


def test_the_button_sends_it_again_under_the_same_id(hooked: Hooked, failed: int) -> None:
    client = signed_in(hooked)
    answer = client.post(at(hooked, f"delivery/{failed}/change/"), {"_replay": "1"})
    assert answer.status_code == 302
    hooked.work()
    assert hooked.delivery().status == "delivered"
    first, second = hooked.taken
    assert (first.id, first.body) == (second.id, second.body)
    with hooked.inside():
        assert AuditEntry.objects.get(verb="delivery.replayed").user_id is not None
    again = client.post(at(hooked, f"delivery/{failed}/change/"), {"_replay": "1"})
    assert "its body is gone" in [str(m) for m in get_messages(again.wsgi_request)][-1]


def test_the_action_sends_several_and_says_what_it_did_not(hooked: Hooked, failed: int) -> None:
    hooked.write("Delivered at once.")
    hooked.work()
    numbers = [row.pk for row in hooked.deliveries()]
    told = act(hooked, signed_in(hooked), "delivery", "replay_selected", numbers)
    assert any(f"Delivery {numbers[1]} was not sent again" in text for text in told)
    assert any(text.startswith("1 sent again") for text in told)


@pytest.mark.parametrize("role", [Role.EDITOR, Role.VIEWER])
def test_only_admins_see_and_replay(hooked: Hooked, failed: int, role: Role) -> None:
    client = signed_in(hooked, role)
    for path in ("webhook/", "delivery/", "attempt/", f"delivery/{failed}/change/"):
        assert client.get(at(hooked, path)).status_code == 403
    assert (
        client.post(at(hooked, f"delivery/{failed}/change/"), {"_replay": "1"}).status_code == 403
    )
    with hooked.inside():
        assert Delivery.objects.get(pk=failed).status == "failed"


def test_another_tenants_delivery_is_not_replayed(hooked: Hooked, failed: int) -> None:
    stranger = Hooked(hooked.receiver)
    client = signed_in(stranger)
    client.post(at(stranger, f"delivery/{failed}/change/"), {"_replay": "1"})
    with hooked.inside():
        assert Delivery.objects.get(pk=failed).status == "failed"


def test_pausing_and_resuming_are_audited_and_say_why(hooked: Hooked) -> None:
    client, number = signed_in(hooked), hooked.hook.pk
    assert act(hooked, client, "webhook", "pause_selected", [number]) == ["1 paused."]
    assert not hooked.reread().active
    assert act(hooked, client, "webhook", "resume_selected", [number])[-1] == "1 resumed."
    assert hooked.reread().active
    with hooked.inside():
        verbs = AuditEntry.objects.filter(subject="webhook").order_by("pk")
        assert list(verbs.values_list("verb", flat=True)) == [
            "webhook.created",
            "webhook.paused",
            "webhook.resumed",
        ]
        assert all(entry.user_id for entry in verbs[1:])


def test_what_paused_itself_says_so_in_the_list_and_on_the_front_page(hooked: Hooked) -> None:
    hooked.receiver.answers = [410]
    hooked.write()
    hooked.work()
    for path in (at(hooked, "webhook/"), f"/t/{hooked.tenant.slug}/admin/"):
        assert subscriptions.GONE in signed_in(hooked).get(path).content.decode()


def test_lists_ask_the_same_whatever_their_length(hooked: Hooked) -> None:
    client, counts = signed_in(hooked), []
    client.get(at(hooked, "delivery/"))
    for _ in range(2):
        for number in range(5):
            hooked.write(f"Note {len(hooked.taken)} {number}")
        hooked.work()
        with CaptureQueriesContext(connection) as queries:
            assert client.get(at(hooked, "delivery/")).status_code == 200
        counts.append(len(queries))
        assert not any('"body"' in query["sql"] for query in queries)
    assert counts[0] == counts[1]
