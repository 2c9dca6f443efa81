"""`createkey` and `createtoken`: credentials that authenticate, alone on the last line."""

from datetime import timedelta
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from agents.management.commands import createkey
from memory.interfaces.wire import base
from tenants.auth import authenticate
from tenants.caller import Caller
from tenants.models import AuditEntry, Membership, Token
from tests.factories import World, make_agent, make_user

pytestmark = pytest.mark.django_db


def caller_of(command: str, *words: str) -> Caller:
    """Whom the printed credential makes us."""
    out = StringIO()
    call_command(command, *words, stdout=out)
    return authenticate({"Authorization": f"Bearer {out.getvalue().splitlines()[-1]}"})


def test_a_key_acts_for_the_tenant_and_never_decides() -> None:
    world = World("acme")
    caller = caller_of("createkey", "acme", "--name", "site")
    assert (caller.sort, caller.tenant_id) == ("organisation", world.tenant.pk)
    assert not caller.may_decide("member")
    with world.inside():
        assert AuditEntry.objects.get(verb="token.created").actor == "command"


def test_a_key_may_be_narrowed() -> None:
    world = World("acme")
    with world.inside():
        agent = make_agent("ava")
    for named in ("ava", str(agent.uid)):
        words = ["acme", "--name", "site", "--agent", named, "--scope", "team"]
        caller = caller_of("createkey", *words)
        assert (caller.agent_id, caller.scope) == (agent.pk, "team")


def test_a_key_may_be_for_one_agent_of_shared_memory() -> None:
    World("acme")
    words = ["--shared-agent", "planner 1", "--scope", "team", "--tier", "pro"]
    caller = caller_of("createkey", "acme", "--name", "site", *words)
    assert (caller.shared_agent, caller.scope, caller.tier) == ("planner 1", "team", "pro")
    assert caller.is_for_sharing
    for wrong in (["--shared-agent", " "], ["--shared-agent", "x" * 201]):
        with pytest.raises(CommandError, match="1 to 200"):
            caller_of("createkey", "acme", "--name", "site", *wrong)
    with pytest.raises(CommandError, match="one of them"):
        caller_of("createkey", "acme", "--name", "x", "--agent", "ava", "--shared-agent", "a")


def test_the_commands_tiers_are_those_of_the_wire() -> None:
    assert set(createkey.TIERS) == set(base.TIERS)


def test_another_tenants_agent_is_unknown() -> None:
    World("acme")
    other = World("other")
    with pytest.raises(CommandError, match="no agent"):
        caller_of("createkey", "acme", "--name", "site", "--agent", str(other.agent.uid))


def test_a_members_token_decides_for_twelve_hours() -> None:
    world = World("acme")
    with world.inside():
        name = Membership.objects.get().user.get_username()
    caller = caller_of("createtoken", "--member", name)
    assert (caller.sort, caller.user_id) == ("member", world.admin.user_id)
    assert caller.may_decide("org-admin")
    with world.inside():
        token = Token.objects.get()
        assert token.expires_at is not None
        assert token.expires_at - token.created_at == timedelta(hours=12)
        assert token.made_by_command
        assert AuditEntry.objects.get(verb="token.created").detail["user"] == caller.user_id


def test_a_member_of_two_tenants_names_one() -> None:
    one, two = World("one"), World("two")
    user = make_user("bo")
    for world in (one, two):
        with world.inside():
            Membership.objects.create(user=user, role="editor")
    with pytest.raises(CommandError, match="one, two"):
        caller_of("createtoken", "--member", "bo")
    assert caller_of("createtoken", "--member", "bo", "--tenant", "two").tenant_id == two.tenant.pk


def test_a_persons_token_is_theirs() -> None:
    world = World("acme")
    person = str(world.visitor.host_id)
    caller = caller_of("createtoken", "--person", person, "--tenant", "acme")
    assert (caller.sort, caller.visitor_id) == ("person", world.visitor.pk)
    with world.inside():
        assert Token.objects.get().expires_at is None


@pytest.mark.parametrize(
    ("words", "fault"),
    [
        (["--member", "nobody"], "no user"),
        (["--member", "stranger"], "no member of any tenant"),
        (["--member", "stranger", "--tenant", "acme"], "no member of 'acme'"),
        (["--person", "p1"], "needs --tenant"),
        (["--person", "nobody", "--tenant", "acme"], "no person 'nobody'"),
        (["--person", "p1", "--tenant", "acme", "--days", "0"], "expected 1 to"),
        ([], "required"),
    ],
)
def test_a_refusal_says_what_is_expected(words: list[str], fault: str) -> None:
    world = World("acme")
    make_user("stranger")
    with pytest.raises(CommandError, match=fault):
        caller_of("createtoken", *words)
    with world.inside():
        assert not Token.objects.exists()
