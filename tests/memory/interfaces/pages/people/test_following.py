"""Open pages hear of writes: the mark changes after each of them, and for nobody else's."""

import pytest
from django.contrib.auth.models import User
from django.test import Client

from agents.models import Visitor
from memory import tools
from memory.tools import Person
from tenants.actor import Actor
from tenants.models import AuditEntry, Role
from tests.factories import World, make_member, make_visitor

pytestmark = pytest.mark.django_db


class Open(World):
    def __init__(self) -> None:
        super().__init__()
        with self.inside():
            user = User.objects.get(pk=make_member(Role.VIEWER).user_id or 0)
            Visitor.objects.filter(pk=self.visitor.pk).update(user=user)
            self.other = make_visitor()
        self.browser = Client()
        self.browser.force_login(user)

    def person(self, visitor: Visitor | None = None) -> Person:
        return Person(self.tenant.pk, (visitor or self.visitor).pk, Actor.person(), "chat")

    def state(self, path: str = "mine/state/") -> str:
        answer = self.browser.get(f"/t/{self.tenant.slug}/memory/{path}")
        assert answer["Cache-Control"] == "no-store"
        return str(answer.json()["state"])

    def page(self, path: str = "") -> str:
        return self.browser.get(f"/t/{self.tenant.slug}/memory/{path}").content.decode()


@pytest.fixture
def page() -> Open:
    return Open()


def test_each_write_changes_the_mark_and_a_read_does_not(page: Open) -> None:
    seen = [page.state()]
    assert seen == [page.state()]
    tools.remember(page.person(), content="Lives in Porto.", key="home", category="fact")
    seen.append(page.state())
    tools.update_memory(page.person(), key="home", content="Lives in Lisbon.")
    seen.append(page.state())
    tools.forget(page.person(), key="home")
    seen.append(page.state())
    assert len(set(seen[:3])) == 3
    assert seen[3] != seen[2]
    tools.remember(page.person(page.other), content="Keeps bees.")
    assert page.state() == seen[3]


def test_the_page_carries_its_mark_and_the_lists_that_follow(page: Open) -> None:
    tools.remember(page.person(), content="Lives in Porto.", category="fact", pinned=True)
    html = page.page()
    assert f'data-state="{page.state()}"' in html
    assert 'id="global-list" data-following' in html
    assert "keepsake/follow.js" in html
    assert ">pinned<" in html
    assert "<bdi>fact</bdi>" in html


def test_the_tenants_page_follows_the_persons_it_shows(page: Open) -> None:
    html = page.page("settings/")
    of = html.split("settings/state/?of=")[1].split('"')[0]
    assert set(of.split(",")) == {str(page.visitor.pk), str(page.other.pk)}
    address = f"settings/state/?of={of}"
    before = page.state(address)
    assert f'data-state="{before}"' in html
    tools.remember(page.person(page.other), content="Keeps bees.")
    after = page.state(address)
    assert after != before
    with page.inside():
        make_visitor()
    assert page.state(address) != after
    with page.inside():
        assert not AuditEntry.objects.filter(verb="person.memories_read").exists()


@pytest.mark.parametrize("of", ["", "x", "1,,2", "-1", "9" * 30, "٣", "1" + ",2" * 500])
def test_whatever_is_asked_of_it_answers(page: Open, of: str) -> None:
    page.state(f"settings/state/?of={of}")


def test_another_tenants_persons_have_no_mark_here(page: Open) -> None:
    there = Open()
    nobody = page.state("settings/state/?of=999999")
    tools.remember(there.person(), content="Lives in Porto.")
    assert page.state(f"settings/state/?of={there.visitor.pk}") == nobody
