"""Tenant → Memory, and a person as members see them."""

import re

from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from agents.models import Visitor
from memory.models import Memory
from tenants.models import Tenant
from tests.factories import make_agent, make_member, make_memory, make_user, make_visitor
from tests.markup import text_of
from tests.memory.interfaces.pages.people.conftest import Peopled

PAGE = "memory/settings/"


def test_the_master_switch_is_audited_and_stops_what_is_added(org: Peopled) -> None:
    client = org.client("admin")
    client.post(org.on(PAGE + "switch/"))
    with org.inside():
        assert not Tenant.objects.get(pk=org.tenant.pk).memory_enabled
    (entry,) = org.verbs("tenant.memory_switched")
    assert entry.detail == {"memory_enabled": False}
    client.post(org.on(PAGE + "switch/"))  # is off already: nothing to write down
    assert len(org.verbs("tenant.memory_switched")) == 1
    refused = client.post(org.tab + "shared/add/", {"content": "Our refund window is 30 days."})
    assert refused.status_code == 409
    assert "Memory is off for this organisation." in refused.content.decode()
    client.post(org.on(PAGE + "switch/"), {"memory_enabled": "on"})
    with org.inside():
        assert Tenant.objects.get(pk=org.tenant.pk).memory_enabled


def test_people_and_agents_are_counted_by_store(org: Peopled) -> None:
    org.about(org.visitor, "Lives by the sea.")
    for content in ("Prefers short answers.", "Prefers tables."):
        org.about(org.visitor, content, agent=org.agent)
    org.knows("Our refund window is 30 days.")
    with org.inside():
        make_memory(org.agent, org.visitor)
    shown = text_of(org.client("viewer").get(org.on(PAGE)).content.decode())
    assert "1 global · 3 of agents" in shown
    assert re.search(r"2 user\s+1 shared\s+1 stored", shown)
    assert org.verbs("person.memories_read") == []  # counts are nobody's words


def test_a_person_is_found(org: Peopled) -> None:
    with org.inside():
        make_visitor("zoë", email="zoe@example.test")
        make_visitor("nobody-else")
    client = org.client("viewer")
    for asked in ("zoë", "zoe\u0308", "ZOE@", "example.test"):
        html = client.get(org.on(PAGE), {"person": asked}).content.decode()
        assert re.findall(r'class="strong"[^>]*/people/', html).__len__() == 1, asked
        assert "zoë" in html
    assert "Nobody like that." in client.get(org.on(PAGE), {"person": "%"}).content.decode()


def test_the_same_queries_for_one_person_and_for_twenty(org: Peopled) -> None:
    client, counts = org.client(), []
    client.get(org.on(PAGE))
    for more in (0, 19):
        for _ in range(more):
            with org.inside():
                make_memory(make_agent(), make_visitor())
        with CaptureQueriesContext(connection) as queries:
            client.get(org.on(PAGE))
        counts.append(len(queries))
    assert counts[0] == counts[1]


def test_the_same_queries_for_one_memory_of_a_person_and_for_twenty(org: Peopled) -> None:
    client, counts = org.client(), []
    client.get(org.theirs)
    for more in (1, 19):
        for number in range(more):
            org.about(org.visitor, f"Global {more} {number}.")
            org.about(org.visitor, f"Of the agent {more} {number}.", agent=org.agent)
        with CaptureQueriesContext(connection) as queries:
            client.get(org.theirs)
        counts.append(len(queries))
    assert counts[0] == counts[1]


def test_a_members_delete_is_no_forget(org: Peopled) -> None:
    memory = org.about(org.visitor, "Lives by the sea.")
    client = org.client("editor")
    client.post(org.theirs + "add/", {"content": "Has two cats at home."})
    assert org.texts() == ["Has two cats at home.", "Lives by the sea."]
    client.post(f"{org.theirs}memories/{memory.pk}/delete/")
    assert org.texts() == ["Has two cats at home."]
    with org.inside():
        assert Memory.objects.get(pk=memory.pk).closed_because == "deleted"


def test_a_memory_is_deleted_at_its_own_person_only(org: Peopled) -> None:
    with org.inside():
        stranger = make_visitor()
    foreign = org.about(stranger, "Of somebody else.")
    of_agent = org.about(org.visitor, "Prefers short answers.", agent=org.agent)
    client = org.client("editor")
    for memory in (foreign, of_agent):
        path = f"{org.theirs}memories/{memory.pk}/delete/"
        assert client.post(path).status_code == 404
    assert len(org.texts()) == 2


def test_a_link_is_made_shown_once_and_opens_the_persons_page(org: Peopled) -> None:
    org.about(org.visitor, "Lives by the sea.")
    client = org.client("admin")
    answer = client.post(org.theirs + "links/", {"days": "7"})
    assert "no-store" in answer["Cache-Control"]
    found = re.search(
        r'value="http://testserver/memory/person/#(ksk_[^"]+)"', answer.content.decode()
    )
    assert found is not None
    key = found[1]
    assert key not in client.get(org.theirs).content.decode()
    person = Client()
    person.post("/memory/person/enter/", {"token": key})
    assert "Lives by the sea." in person.get("/memory/person/").content.decode()
    assert client.post(org.theirs + "links/", {"days": "8"}).status_code == 404
    (entry,) = org.verbs("token.created")
    assert entry.detail == {"kind": "person", "visitor": org.visitor.pk}


def test_a_person_is_linked_to_a_member_once(org: Peopled) -> None:
    client = org.client("admin")
    make_user("outsider")
    with org.inside():
        make_member("viewer", "zoe")
        second = make_visitor()
    path = org.theirs + "account/"
    for name in ("outsider", "nobody"):
        refused = client.post(path, {"username": name})
        assert "There is no member of this name." in refused.content.decode()
    client.post(path, {"username": "zoe"})
    with org.inside():
        user = Visitor.objects.select_related("user").get(pk=org.visitor.pk).user
    assert user is not None
    assert user.get_username() == "zoe"
    taken = client.post(org.on(f"memory/people/{second.pk}/account/"), {"username": "zoe"})
    assert taken.status_code == 409
    assert "This member is another person here already." in taken.content.decode()
    client.post(path, {"username": ""})
    with org.inside():
        assert Visitor.objects.get(pk=org.visitor.pk).user_id is None
    assert len(org.verbs("person.linked")) == 2


def test_an_admin_erases_and_reads_the_receipt(org: Peopled) -> None:
    org.about(org.visitor, "Lives by the sea.")
    answer = org.client("admin").post(org.theirs + "erase/", {"sure": "on"})
    assert "<dt>memories</dt><dd>1</dd>" in answer.content.decode()
    assert "Lives by the sea." not in answer.content.decode()
    with org.inside():
        assert not Visitor.objects.filter(pk=org.visitor.pk).exists()
    assert org.client("admin").get(org.theirs).status_code == 404
