"""A person's own page: by the link of a token, and signed in."""

import io
import json
import zipfile
from typing import Any

import pytest
from django.test import Client
from django.urls import NoReverseMatch, reverse

from agents.models import Visitor
from memory.interfaces.pages.people import urls
from memory.models import Memory, MemoryVersion, Tombstone
from tests.factories import make_memory, make_visitor
from tests.markup import text_of, unsafe
from tests.memory.interfaces.pages.people.conftest import Peopled

LINK = "/memory/person/"
TEXT = "Lives by the sea."


@pytest.fixture(params=["link", "member", "no member"])
def way(request: pytest.FixtureRequest, org: Peopled) -> tuple[Client, str, str]:
    """A client, the page's address, and what stands before its forms' addresses."""
    if request.param == "link":
        return org.by_link(), LINK, LINK
    if request.param == "no member":
        return org.guest(), org.on("memory/"), org.on("memory/mine/")
    # A viewer may change nothing of anybody's; their own they may.
    return org.client("viewer", is_person=True), org.on("memory/"), org.on("memory/mine/")


def form(way: tuple[Client, str, str], name: str) -> str:
    _, page, forms = way
    return page + name if name == "add/" or name[0].isdigit() else forms + name


def test_it_shows_everything_of_theirs_and_nothing_of_others(
    org: Peopled, way: tuple[Client, str, str]
) -> None:
    org.about(org.visitor, TEXT)
    org.about(org.visitor, "Prefers short answers.", agent=org.agent)
    org.knows("Our refund window is 30 days.")
    with org.inside():
        make_memory(org.agent, org.visitor, "Takes the early train.")
        stranger = make_visitor()
        make_memory(org.agent, stranger, "A secret of somebody else.")
    org.about(stranger, "Another secret of somebody else.")
    client, page, _ = way
    answer = client.get(page)
    shown = text_of(answer.content.decode())
    for own in (TEXT, "Prefers short answers.", "Takes the early train."):
        assert own in shown
    for foreign in ("secret", "refund"):
        assert foreign not in shown
    assert "no-store" in answer["Cache-Control"]
    assert unsafe(answer.content.decode()) == []


def test_they_add_and_delete_for_good(org: Peopled, way: tuple[Client, str, str]) -> None:
    client, page, _ = way
    assert client.post(form(way, "add/"), {"content": TEXT})["Location"] == page
    assert client.post(form(way, "add/"), {"content": TEXT}).status_code == 409
    assert client.post(form(way, "add/"), {"content": "short"}).status_code == 400
    with org.inside():
        (memory,) = Memory.objects.live()
        learned = make_memory(org.agent, org.visitor, "Takes the early train.")
    assert memory.agent_id is None
    assert not memory.is_auto_generated
    for each in (memory, learned):
        answer = client.post(form(way, f"{each.pk}/forget/"), follow=True)
        assert "Deleted for good." in answer.content.decode()
        assert client.post(form(way, f"{each.pk}/forget/")).status_code == 404
    with org.inside():
        assert Memory.objects.count() == MemoryVersion.objects.count() == 0
        assert Tombstone.objects.filter(hash=memory.hash).exists()


def test_nobody_elses_memory_can_be_taken(org: Peopled, other: Peopled, way: Any) -> None:
    with org.inside():
        stranger = make_visitor()
    neighbour = org.about(stranger, "Of somebody else.")
    everyones = org.knows("Our refund window is 30 days.")
    foreign = other.about(other.visitor, "Of another tenant.")
    for memory in (neighbour, everyones, foreign):
        assert way[0].post(form(way, f"{memory.pk}/forget/")).status_code == 404
    assert len(org.texts()) == 2
    assert other.texts() == ["Of another tenant."]


def test_the_two_switches(org: Peopled, way: tuple[Client, str, str]) -> None:
    html = way[0].get(way[1]).content.decode()
    assert 'id="auto_capture_enabled" name="auto_capture_enabled" checked' in html
    assert "Auto-capture memories</label>" in html
    assert "Use memories in responses</label>" in html
    way[0].post(form(way, "settings/"), {"use_memory_in_responses": "on"})
    with org.inside():
        visitor = Visitor.objects.get(pk=org.visitor.pk)
    assert (visitor.auto_capture_enabled, visitor.use_memory_in_responses) == (False, True)


def test_they_download_all_of_it(org: Peopled, way: tuple[Client, str, str]) -> None:
    org.about(org.visitor, TEXT)
    answer: Any = way[0].get(form(way, "download/"))
    whole = json.loads(b"".join(answer.streaming_content))
    assert [each["content"] for each in whole["memories"]] == [TEXT]
    assert "attachment" in answer["Content-Disposition"]
    answer = way[0].get(form(way, "download/?format=csv"))
    with zipfile.ZipFile(io.BytesIO(b"".join(answer.streaming_content))) as archive:
        assert TEXT in archive.read("memories.csv").decode()
    assert way[0].get(form(way, "download/?format=exe")).status_code == 404


def test_they_erase_everything_and_get_a_receipt(
    org: Peopled, way: tuple[Client, str, str]
) -> None:
    org.about(org.visitor, TEXT)
    client = way[0]
    asked = client.get(form(way, "erase/")).content.decode()
    assert "<dt>memories</dt><dd>1</dd>" in asked
    refused = client.post(form(way, "erase/"))
    assert refused.status_code == 400
    assert "Nothing was erased." in refused.content.decode()
    assert org.texts() == [TEXT]
    receipt = client.post(form(way, "erase/"), {"sure": "on"}).content.decode()
    assert "<dt>memories</dt><dd>1</dd>" in receipt
    with org.inside():
        assert not Visitor.objects.filter(pk=org.visitor.pk).exists()
        assert not Memory.objects.exists()
    (entry,) = org.verbs("person.erased")
    assert entry.actor == ("person" if way[1] == LINK else "user")
    answer = client.get(way[1])
    after = answer.content.decode()
    is_guest = answer.status_code == 404  # nobody here any more, and member of nothing
    assert is_guest or "No agent here knows you" in after or "Your key" in after


def test_with_memory_off_they_read_and_delete_and_add_nothing(
    org: Peopled, way: tuple[Client, str, str]
) -> None:
    memory = org.about(org.visitor, TEXT)
    with org.inside():
        org.tenant.memory_enabled = False
        org.tenant.save()
    html = way[0].get(way[1]).content.decode()
    assert "Memory is switched off here" in html
    assert 'id="add-content"' not in html
    assert way[0].post(form(way, "add/"), {"content": "Something else."}).status_code == 409
    way[0].post(form(way, f"{memory.pk}/forget/"))
    assert org.texts() == []


# --- the link (G20) --------------------------------------------------------------------------


def test_the_key_is_taken_by_post_and_kept_from_scripts(org: Peopled) -> None:
    client, key = Client(), org.person_key()
    entry = client.get(LINK)
    assert entry.status_code == 200
    assert "Your key" in entry.content.decode()
    answer = client.post(LINK + "enter/", {"token": key})
    assert answer["Location"] == LINK
    assert key not in answer.content.decode() + answer["Location"]
    cookie = client.cookies["ks_person"]
    assert cookie["httponly"] is True
    assert (cookie["samesite"], cookie["path"]) == ("Strict", LINK)
    client.post(LINK + "leave/")
    assert "Your key" in client.get(LINK).content.decode()


@pytest.mark.parametrize("name", ["token", "key", "access_token"])
def test_a_key_in_the_address_is_refused(org: Peopled, name: str) -> None:
    org.about(org.visitor, TEXT)
    key = org.person_key()
    for client in (Client(), org.by_link(key)):
        answer = client.get(LINK, {name: key})
        assert answer.status_code == 400
        assert TEXT not in answer.content.decode()
        assert key not in answer.content.decode()


@pytest.mark.parametrize("who", ["organisation", "admin", "nonsense", ""])
def test_only_a_persons_token_opens_it(org: Peopled, who: str) -> None:
    key = org.key(who) if who in ("organisation", "admin") else who
    client = Client()
    answer = client.post(LINK + "enter/", {"token": key})
    assert answer.status_code == 403
    assert not client.cookies["ks_person"].value
    assert "Your key" in client.get(LINK).content.decode()


def test_a_link_that_was_revoked_or_has_run_out_opens_nothing(org: Peopled) -> None:
    key = org.person_key()
    client = org.by_link(key)
    assert "Global Memories" in client.get(LINK).content.decode()
    admin = org.client("admin")
    number = admin.get(org.theirs).content.decode().split("/links/")[2].split("/")[0]
    admin.post(f"{org.theirs}links/{number}/revoke/")
    assert "your link has run out" in client.get(LINK).content.decode()
    client = org.by_link(org.person_key(expires_at="2020-01-01T00:00:00+00:00"))
    assert "Global Memories" not in client.get(LINK).content.decode()
    client.cookies["ks_person"] = key
    assert client.post(LINK + "add/", {"content": TEXT}).status_code == 403
    assert org.texts() == []


def test_a_signed_in_admin_is_nobody_here(org: Peopled) -> None:
    """The session opens nothing; with a link beside it, the person acts, not the admin."""
    with org.inside():
        stranger = make_visitor()
    memory = org.about(stranger, "Of somebody else.")
    admin = org.client("owner", is_person=False)
    assert "Your key" in admin.get(LINK).content.decode()
    assert admin.post(f"{LINK}{memory.pk}/forget/").status_code == 403
    admin.post(LINK + "enter/", {"token": org.person_key()})
    assert admin.post(f"{LINK}{memory.pk}/forget/").status_code == 404
    admin.post(LINK + "add/", {"content": TEXT})
    (entry,) = org.verbs("person_memory.added")
    assert (entry.actor, entry.user_id) == ("person", None)


def test_a_link_does_not_open_the_members_pages(org: Peopled) -> None:
    client = org.by_link()
    for path in ("memory/", "memory/settings/", f"memory/people/{org.visitor.pk}/"):
        assert "/sign-in/" in client.get(org.on(path))["Location"]


def test_under_a_prefix_there_is_no_such_page(org: Peopled) -> None:
    client = org.client("owner")
    for name in ("", "enter/", "leave/", "add/", "settings/"):
        path = org.on("memory/person/") + name
        assert client.get(path).status_code == 404
        assert client.post(path, {"token": org.person_key()}).status_code == 404


def test_forms_need_the_csrf_token(org: Peopled) -> None:
    client = Client(enforce_csrf_checks=True)
    assert client.post(LINK + "enter/", {"token": org.person_key()}).status_code == 403
    client.cookies["ks_person"] = org.person_key()
    for pattern in urls.urlpatterns:
        if str(pattern.name).startswith("link-"):
            try:
                path = reverse(f"memory:{pattern.name}")
            except NoReverseMatch:
                path = reverse(f"memory:{pattern.name}", args=[1])
            answer = client.post(path, {"sure": "on"})
            assert answer.status_code in (403, 405), path
    with org.inside():
        assert Visitor.objects.filter(pk=org.visitor.pk).exists()


# --- signed in -------------------------------------------------------------------------------


def test_a_member_who_is_nobodys_person_is_told_so(org: Peopled) -> None:
    client = org.client("viewer")
    org.about(org.visitor, TEXT)
    html = client.get(org.on("memory/")).content.decode()
    assert "No agent here knows you as a person." in html
    assert client.post(org.on("memory/add/"), {"content": TEXT}).status_code == 404


def test_a_person_who_is_no_member_sees_their_own_page_and_no_other(
    org: Peopled, other: Peopled
) -> None:
    client = org.guest()
    org.about(org.visitor, TEXT)
    html = client.get(org.on("memory/")).content.decode()
    assert TEXT in html
    assert "Sign out" in html
    assert org.on("review/") not in html  # no way to pages that would not open
    for path in ("review/", "agents/", "memory/settings/", "admin/", f"memories/{2**40}/"):
        assert client.get(org.on(path)).status_code == 404, path
    assert client.get(other.on("memory/")).status_code == 404
    assert client.get("/t/nowhere/memory/").status_code == 404
    assert client.post(other.on("memory/add/"), {"content": TEXT}).status_code == 404


def test_the_address_without_the_last_slash(org: Peopled) -> None:
    client = org.client("viewer", is_person=True)
    answer = client.get(org.on("memory"), follow=True)
    assert answer.redirect_chain[-1][0].endswith(org.on("memory/"))
    assert answer.status_code == 200


def test_an_admins_own_page_is_a_persons_page(org: Peopled) -> None:
    """What an admin deletes there is theirs, and gone for good as anybody's own."""
    client = org.client("owner", is_person=True)
    with org.inside():
        stranger = make_visitor()
    foreign = org.about(stranger, "Of somebody else.")
    own = org.about(org.visitor, TEXT)
    assert client.post(org.on(f"memory/{foreign.pk}/forget/")).status_code == 404
    client.post(org.on(f"memory/{own.pk}/forget/"))
    with org.inside():
        assert not Memory.objects.filter(pk=own.pk).exists()
    assert len(org.verbs("memory.forgotten")) == 1
