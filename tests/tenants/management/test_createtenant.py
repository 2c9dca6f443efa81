"""`createtenant`: a tenant somebody can sign in to, or an error that says what was expected."""

from io import StringIO

import pytest
from django.contrib.auth import authenticate
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command

from tenants.context import within
from tenants.directory import tenant_of_slug, tenants_of_user
from tenants.models import AuditEntry, Membership, Tenant
from tests.factories import make_tenant, make_user

pytestmark = pytest.mark.django_db


def create(*words: str) -> list[str]:
    out = StringIO()
    call_command("createtenant", *words, stdout=out)
    return out.getvalue().splitlines()


def test_the_printed_password_signs_the_owner_in() -> None:
    password = create("acme", "--admin", "bo")[-1]
    user = authenticate(username="bo", password=password)
    assert user is not None
    number = tenant_of_slug("acme")
    assert number is not None
    assert tenants_of_user(user.pk) == [(number, "acme")]
    with within(number):
        assert Membership.objects.get().role == "owner"
        assert Tenant.objects.get(pk=number).name == "Acme"
        entries = AuditEntry.objects.order_by("id").values_list("verb", "actor")
        assert list(entries) == [("tenant.created", "command"), ("membership.created", "command")]


def test_a_user_who_is_there_keeps_their_password() -> None:
    make_user("bo", password="chosen by bo")
    said = create("acme", "--admin", "bo", "--name", "Acme & Sons")
    assert "keeps their password" in said[-1]
    assert authenticate(username="bo", password="chosen by bo") is not None


@pytest.mark.parametrize(
    ("slug", "admin", "fault"),
    [
        ("taken", "bo", "taken"),
        ("no spaces", "bo", "expected letters"),
        ("x" * 61, "bo", "at most 60"),
        ("acme", "b o", "valid username"),
        ("acme", "", "cannot be blank"),
    ],
)
def test_a_refusal_makes_nothing(slug: str, admin: str, fault: str) -> None:
    make_tenant("taken")
    with pytest.raises(CommandError, match=fault):
        create(slug, "--admin", admin)
    assert tenant_of_slug("acme") is None
    assert not User.objects.exists()
