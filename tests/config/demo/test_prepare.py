"""`prepare_demo`: something to review from the first minute, made once, in peace with people."""

from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth import authenticate
from django.contrib.auth.models import User
from django.core.management import call_command

from agents.models import Agent, Conversation, Visitor
from config.demo import prepare
from config.demo.prepare import prepare_demonstration
from memory.models import Memory, Mutation, Unembedded
from tenants.context import within
from tenants.directory import tenant_of_slug
from tenants.models import Membership
from tests.factories import make_tenant

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def home(settings: Any, tmp_path: Path) -> None:
    settings.KEEPSAKE_HOME = tmp_path


def say() -> str:
    out = StringIO()
    call_command("prepare_demo", stdout=out)
    return out.getvalue()


def test_there_is_a_queue_with_a_change_and_a_flag_and_nothing_secret() -> None:
    made = prepare_demonstration()
    with within(made.tenant_id):
        pending = Mutation.objects.pending()
        assert pending.count() == made.pending >= 4
        assert Memory.objects.live().get().content == "The user lives in Lisbon."
        change = pending.get(operation="modify")
        assert "Porto" in change.draft["content"]
        assert change.target == Memory.objects.live().get()
        assert any(each.flags for each in pending)
        assert pending.values("visitor").distinct().count() == 2
        kept = [*Conversation.objects.values_list("messages__content", flat=True)]
        assert not any("sk-proj" in each for each in kept)
        assert not Unembedded.objects.exists()


def test_again_it_changes_nothing_and_says_the_same() -> None:
    said = say()
    with within(tenant_of_slug("demo") or 0):
        before = list(Mutation.objects.order_by("id").values_list("id", "version", "status"))
    assert say() == said
    with within(tenant_of_slug("demo") or 0):
        after = list(Mutation.objects.order_by("id").values_list("id", "version", "status"))
    assert after == before


def test_the_printed_password_signs_in_and_may_decide() -> None:
    password = say().splitlines()[0].rpartition(" / ")[2]
    user = authenticate(username="demo", password=password)
    assert user is not None
    with within(tenant_of_slug("demo") or 0):
        assert Membership.objects.get(user_id=user.pk).can_administer


def test_a_password_that_was_changed_is_kept_and_not_printed() -> None:
    first = say().splitlines()[0].rpartition(" / ")[2]
    user = User.objects.get(username="demo")
    user.set_password("another, better one")
    user.save()
    said = say()
    assert first not in said
    assert "the password you chose" in said
    assert authenticate(username="demo", password="another, better one") is not None


def test_what_people_removed_does_not_come_back() -> None:
    made = prepare_demonstration()
    with within(made.tenant_id):
        Visitor.objects.get(host_id="jonas.adeyemi").delete()
        Agent.objects.get().delete()
    again = prepare_demonstration()
    assert (again.agent, again.pending) == (None, 0)
    assert "chat with" not in say()


@pytest.mark.parametrize("after", range(5))
def test_killed_anywhere_it_is_completed_by_the_next_start(
    monkeypatch: pytest.MonkeyPatch, after: int
) -> None:
    calls = iter(range(100))
    steps = {name: getattr(prepare, name) for name in ("_capture", "_learn")}

    def interrupted(name: str) -> object:
        def step(*args: object) -> object:
            if next(calls) == after:
                raise KeyboardInterrupt
            return steps[name](*args)

        return step

    for name in steps:
        monkeypatch.setattr(prepare, name, interrupted(name))
    with pytest.raises(KeyboardInterrupt):
        prepare_demonstration()
    for name, step in steps.items():
        monkeypatch.setattr(prepare, name, step)
    made = prepare_demonstration()
    with within(made.tenant_id):
        assert Memory.objects.live().count() == 1
        assert Mutation.objects.pending().filter(operation="modify").count() == 1
        assert Conversation.objects.count() == 3


def test_a_tenant_of_that_name_which_somebody_made_is_left_alone() -> None:
    tenant = make_tenant("demo")
    assert "left alone" in say()
    with within(tenant.pk):
        assert not Agent.objects.exists()
    assert not User.objects.filter(username="demo").exists()


def test_with_a_server_for_embeddings_nothing_is_asked_of_it(settings: Any) -> None:
    settings.EMBEDDING_MODEL = "text-embedding-3-small"
    settings.OPENAI_API_KEY = "sk-of-nobody"
    made = prepare_demonstration()
    with within(made.tenant_id):
        assert Mutation.objects.pending().count() >= 4
        assert Unembedded.objects.exists()
