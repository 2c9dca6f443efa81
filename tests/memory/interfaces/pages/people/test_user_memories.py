"""User Memories: what an agent knows of each person, narrowed, grouped, changed by hand."""

import re

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from agents.models import Visitor
from memory.models import Memory, MemoryVersion
from tests.factories import make_agent, make_visitor
from tests.markup import text_of, unsafe
from tests.memory.interfaces.pages.people.conftest import Peopled

FORM = {"content": "Prefers short answers.", "category_slug": "preferences"}


def shown(org: Peopled, **asked: str) -> list[str]:
    """The texts of the page, in their order."""
    html = org.client("viewer").get(org.people, asked).content.decode()
    return re.findall(r'<p class="said" dir="auto">(.*?)</p>', html)


@pytest.fixture
def full(org: Peopled) -> Peopled:
    with org.inside():
        Visitor.objects.filter(pk=org.visitor.pk).update(host_id="user_1", name="Lena")
        second = make_visitor("userA1", email="lena@school.example")
        anonymous = make_visitor(None)
    rows = (
        (org.visitor, "Struggles with recursion.", "knowledge_gaps", "2026-03-01T23:59:59+00:00"),
        (second, "Confuses sine and cosine.", "knowledge_gaps", "2026-03-02T00:00:00+00:00"),
        (org.visitor, "Prefers short answers.", "preferences", "2026-03-02T23:59:59+00:00"),
        (anonymous, "Prefers long answers.", "preferences", "2026-03-03T00:00:00+00:00"),
    )
    for visitor, content, category, at in rows:
        memory = org.about(visitor, content, agent=org.agent, category=category)
        org.at_time(memory, at)
    org.about(org.visitor, "Lives by the sea.")
    org.knows("Our refund window is 30 days.")
    with org.inside():
        neighbour = make_agent()
    org.about(org.visitor, "Of a neighbour.", agent=neighbour)
    return org


def test_grouped_by_category_the_newest_first(full: Peopled) -> None:
    assert shown(full) == [
        "Confuses sine and cosine.",
        "Struggles with recursion.",
        "Prefers long answers.",
        "Prefers short answers.",
    ]
    html = full.client("viewer").get(full.people).content.decode()
    assert re.findall(r'id="group-\d+"><bdi>(.*?)</bdi>', html) == ["Knowledge Gaps", "Preferences"]
    tabs = text_of(html)
    for tab in ("All 4", "Knowledge Gaps 2", "Preferences 2", "Learning Goals 0"):
        assert tab in tabs


@pytest.mark.parametrize(
    ("person", "count"),
    [
        ("user_1", 2),  # `_` is itself, not any character
        ("LENA", 3),  # a name of one, an address of the other
        ("school.example", 1),
        ("%", 0),
        ("nobody", 0),
        ("#0", 0),
        ("#99999999999999999999", 0),
    ],
)
def test_a_person_is_searched_by_what_they_are_called(
    full: Peopled, person: str, count: int
) -> None:
    assert len(shown(full, person=person)) == count


def test_a_person_is_found_by_number_and_never_by_cookie(full: Peopled) -> None:
    assert len(shown(full, person=f"#{full.visitor.pk}")) == 2
    with full.inside():
        anonymous = Visitor.objects.get(cookie__isnull=False)
    assert shown(full, person=f"#{anonymous.pk}") == ["Prefers long answers."]
    assert shown(full, person=str(anonymous.cookie)) == []
    html = full.client().get(full.people).content.decode()
    assert str(anonymous.cookie) not in html


def test_days_are_whole_and_both_included(full: Peopled) -> None:
    day = {"from": "2026-03-02", "to": "2026-03-02"}
    assert shown(full, **day) == ["Confuses sine and cosine.", "Prefers short answers."]
    assert shown(full, **day, category="preferences") == ["Prefers short answers."]
    assert shown(full, **day, person="user_1") == ["Prefers short answers."]


@pytest.mark.parametrize("bad", ["2026-13-01", "yesterday", "2026-3-1", "<b>"])
def test_a_malformed_day_is_said_and_narrows_nothing(full: Peopled, bad: str) -> None:
    html = full.client().get(full.people, {"from": bad}).content.decode()
    assert 'id="from-error">expected a date such as 2026-03-31</p>' in html
    assert unsafe(html) == []
    assert len(shown(full, **{"from": bad})) == 4


def test_a_category_that_is_not_there_is_404(full: Peopled) -> None:
    assert full.client().get(full.people, {"category": "nothing"}).status_code == 404


def test_the_same_queries_for_one_memory_and_for_twenty(org: Peopled) -> None:
    client, counts = org.client(), []
    client.get(org.people)
    for more in (1, 19):
        for number in range(more):
            with org.inside():
                visitor = make_visitor()
            org.about(visitor, f"Memory number {more} {number}.", agent=org.agent)
        with CaptureQueriesContext(connection) as queries:
            client.get(org.people)
        counts.append(len(queries))
        assert not any("memoryvector" in query["sql"] for query in queries)
    assert counts[0] == counts[1]


def test_added_for_somebody_new_and_for_somebody_known(org: Peopled) -> None:
    client = org.client("editor")
    for person, said in (
        ("new-one", "a new person with it"),
        ("new-one", "Added."),
        (f"#{org.visitor.pk}", "Added."),
    ):
        content = f"Memory {person} {said}"
        answer = client.post(
            org.tab + "add/", {**FORM, "person": person, "content": content}, follow=True
        )
        assert said in text_of(answer.content.decode())
    with org.inside():
        rows = Memory.objects.values_list("visitor__host_id", "is_auto_generated", "agent_id")
        assert sorted(set(rows)) == [
            ("new-one", False, org.agent.pk),
            ("user123", False, org.agent.pk),
        ]


@pytest.mark.parametrize(
    ("sent", "status", "field", "said"),
    [
        ({"person": ""}, 400, "person", "Expected a name that is not empty."),
        ({"person": "#123456"}, 400, "person", "There is no person of this number."),
        ({"category_slug": "nothing"}, 400, "category_slug", "The agent has no such category."),
        ({"content": "short"}, 400, "content", "Expected at least 10 characters, got 5."),
        ({"content": "PREFERS  short answers."}, 409, "content", "Memory already exists."),
    ],
)
def test_a_refused_form_says_where_and_keeps_what_was_typed(
    org: Peopled, sent: dict[str, str], status: int, field: str, said: str
) -> None:
    org.about(org.visitor, "Prefers short answers.", agent=org.agent)
    form = {**FORM, "person": "user123", "content": "Something <b>else</b>.", **sent}
    answer = org.client("editor").post(org.tab + "add/?person=zoe", form)
    html = answer.content.decode()
    assert answer.status_code == status
    assert f'id="add-{field}-error" role="alert">{said}</p>' in html
    typed = form["content"].replace("<", "&lt;").replace(">", "&gt;")
    assert f"{typed}</textarea>" in html
    assert 'name="person" value="zoe"' in html  # still narrowed as it was
    assert unsafe(html) == []
    assert org.texts() == ["Prefers short answers."]


def test_changed_moved_and_deleted_back_to_the_page_as_it_was_narrowed(org: Peopled) -> None:
    memory = org.about(org.visitor, "Prefers short answers.", agent=org.agent)
    client, asked = org.client("editor"), "?person=user&category=preferences&page=1"
    form = {"content": "Prefers long answers.", "category_slug": "learning_goals"}
    answer = client.post(f"{org.tab}{memory.pk}/change/{asked}", form)
    assert answer["Location"] == org.people + asked
    with org.inside():
        row = Memory.objects.select_related("category").get()
        assert row.category is not None
        assert (row.content, row.category.slug) == ("Prefers long answers.", "learning_goals")
    client.post(f"{org.tab}{memory.pk}/delete/")
    assert org.texts() == []
    with org.inside():  # an editor's delete closes; only the person's own erases
        assert MemoryVersion.objects.filter(memory=memory).count() == 3


def test_an_inactive_category_keeps_what_it_has_and_takes_no_more(org: Peopled) -> None:
    memory = org.about(org.visitor, "Prefers short answers.", agent=org.agent)
    client, category = org.client("editor"), org.category()
    switch = f"{org.tab}categories/{category.pk}/switch/"
    client.post(switch)
    assert not org.category().is_active
    html = client.get(org.people).content.decode()
    assert 'class="is-off"' in html
    assert "Prefers short answers." in html
    form = {**FORM, "person": "user123", "content": "Something else."}
    answer = client.post(org.tab + "add/", form)
    assert "This category takes no more memories." in answer.content.decode()
    client.post(f"{org.tab}{memory.pk}/change/", {**FORM, "content": "Prefers long answers."})
    assert org.texts() == ["Prefers long answers."]
    client.post(switch, {"is_active": "on"})
    assert client.post(org.tab + "add/", form).status_code == 302


def test_categories_are_added_and_changed(org: Peopled) -> None:
    client, page = org.client("editor"), org.tab + "categories/"
    wild = "q' onmouseover='alert(1)"
    form = {"name": wild, "description": "</script ><script>alert(1)</script>"}
    form |= {"slug": "tastes", "extraction_prompt": "One line.\r\nAnother."}
    assert client.post(page + "add/", form).status_code == 302
    category = org.category("tastes")
    assert category.extraction_prompt == "One line.\nAnother."
    html = client.get(page).content.decode()
    assert unsafe(html) == []
    assert wild in text_of(html)
    refused = client.post(page + "add/", {"name": "Tastes", "slug": "tastes"})
    assert refused.status_code == 409
    assert 'id="add-slug-error"' in refused.content.decode()
    path = f"{page}{category.pk}/change/"
    refused = client.post(path, {"name": " "})
    assert f'id="edit-{category.pk}-name-error"' in refused.content.decode()
    client.post(path, {"name": "Tastes"})
    assert org.category("tastes").name == "Tastes"


def test_markup_is_shown_literally(org: Peopled) -> None:
    wild = "<img src=x onerror=alert(1)>"
    with org.inside():
        visitor = make_visitor("q' onmouseover='alert(1)", name="javascript:alert(1)")
    org.about(visitor, wild, agent=org.agent)
    org.about(visitor, "</textarea ><script>alert(1)</script>")
    for path in (org.people, org.on(f"memory/people/{visitor.pk}/"), org.on("memory/settings/")):
        html = org.client().get(path).content.decode()
        assert unsafe(html) == []
        assert "q' onmouseover='alert(1)" in text_of(html)
