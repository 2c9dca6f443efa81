"""Shared Memory: what an agent knows for everyone."""

from datetime import UTC, datetime, timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from memory.models import Memory
from tests.factories import make_agent
from tests.markup import text_of, unsafe
from tests.memory.interfaces.pages.people.conftest import Peopled

WINDOW = "Our refund window is 30 days."


def test_an_entry_is_added_changed_and_deleted(org: Peopled) -> None:
    client, page = org.client("editor"), org.tab + "shared/"
    answer = client.post(page + "add/", {"content": f"  {WINDOW}\r\nAsk for it. "})
    assert (answer.status_code, answer["Location"]) == (302, page)
    assert org.texts(kind="knowledge") == [f"{WINDOW}\nAsk for it."]
    with org.inside():
        (memory,) = Memory.objects.live()
    client.post(page + f"{memory.pk}/change/", {"content": "We refund for 60 days."})
    assert org.texts(kind="knowledge") == ["We refund for 60 days."]
    shown = text_of(client.get(page).content.decode())
    assert "· just now" in shown
    assert "· edited" in shown
    client.post(page + f"{memory.pk}/delete/")
    assert org.texts(kind="knowledge") == []
    assert "Nothing shared yet." in client.get(page).content.decode()


def test_who_added_it_and_when(org: Peopled) -> None:
    client = org.client("viewer")
    memory = org.knows(WINDOW)
    org.at_time(memory, datetime.now(UTC) - timedelta(hours=3))
    with org.inside():
        name = Memory.objects.select_related("creator").get(pk=memory.pk).creator
    assert name is not None
    shown = text_of(client.get(org.tab + "shared/").content.decode())
    assert f"Added by {name.get_username()} · 3 hours ago" in shown


@pytest.mark.parametrize(
    ("content", "status", "said"),
    [
        ("Too short", 400, "Expected at least 10 characters, got 9."),
        ("         x           ", 400, "Expected at least 10 characters, got 1."),
        ("x" * 2_001, 400, "2001 characters, at most 2000 are taken."),
        (WINDOW.upper(), 409, "Memory already exists."),
    ],
)
def test_a_refusal_stands_under_the_field_with_what_was_typed(
    org: Peopled, content: str, status: int, said: str
) -> None:
    org.knows(WINDOW)
    other = org.knows("We open at nine.")
    client, page = org.client("editor"), org.tab + "shared/"
    for form, path in (("add", "add/"), (f"edit-{other.pk}", f"{other.pk}/change/")):
        answer = client.post(page + path, {"content": content})
        assert answer.status_code == status
        html = answer.content.decode()
        assert f'id="{form}-content-error" role="alert">{said}</p>' in html
        assert f'aria-invalid="true" aria-describedby="{form}-content-error' in html
        assert f"{content}</textarea>" in html
        assert answer["HX-Push-Url"] == "false"
    assert org.texts(kind="knowledge") == sorted([WINDOW, "We open at nine."])


def test_twenty_a_page_and_the_last_row_of_a_page_leaves_the_page_before(org: Peopled) -> None:
    entries = [org.knows(f"House rule number {number}.") for number in range(21)]
    for entry in entries:
        org.at_time(entry, "2026-03-03T12:00:00+00:00")  # a tie: the id decides
    client, page = org.client("editor"), org.tab + "shared/"
    first = client.get(page).content.decode()
    assert first.count('<li id="memory-') == 20
    assert "Page 1 of 2" in first
    second = client.get(page + "?page=2").content.decode()
    assert second.count('<li id="memory-') == 1
    assert f'id="memory-{entries[0].pk}"' in second
    answer = client.post(f"{page}{entries[0].pk}/delete/?page=2", follow=True)
    assert answer.redirect_chain == [(f"{page}?page=2", 302)]
    html = answer.content.decode()
    assert html.count('<li id="memory-') == 20
    assert "Page 1 of" not in html  # one page is left, and nothing to leaf through
    assert client.get(page + "?page=999999999").status_code == 200
    for bad in ("x", "-1", "²", "9" * 30, ""):
        assert client.get(page, {"page": bad}).status_code == 404, bad


def test_the_same_queries_for_one_entry_and_for_twenty(org: Peopled) -> None:
    client, page, counts = org.client(), org.tab + "shared/", []
    client.get(page)
    for more in (1, 19):
        for number in range(more):
            org.knows(f"House rule {more} {number}.")
        with CaptureQueriesContext(connection) as queries:
            client.get(page)
        counts.append(len(queries))
        assert not any("memoryvector" in query["sql"] for query in queries)
    assert counts[0] == counts[1]


def test_markup_is_shown_literally(org: Peopled) -> None:
    for wild in ("<img src=x onerror=alert(1)>", "</textarea ><script>alert(1)</script>"):
        org.knows(wild)
    html = org.client("editor").get(org.tab + "shared/").content.decode()
    assert unsafe(html) == []
    assert "<img src=x onerror=alert(1)>" in text_of(html)


def test_an_entry_of_another_agent_or_tenant_is_404(org: Peopled, other: Peopled) -> None:
    with org.inside():
        neighbour = make_agent()
    foreign = [org.knows("Of a neighbour.", agent=neighbour), other.knows("Of another tenant.")]
    person = org.about(org.visitor, "Of a person, no entry.", agent=org.agent)
    client = org.client()
    for memory in [*foreign, person]:
        for verb in ("change/", "delete/"):
            path = f"{org.tab}shared/{memory.pk}/{verb}"
            assert client.post(path, {"content": "Taken over now."}).status_code == 404
    assert client.get(org.on(f"agents/{other.agent.slug}/memory/shared/")).status_code == 404
    assert org.texts(kind="knowledge") == ["Of a neighbour."]
    assert other.texts() == ["Of another tenant."]


def test_without_memory_a_deep_link_lands_on_setup(org: Peopled) -> None:
    with org.inside():
        silent = make_agent("silent", memory=False)
    client = org.client()
    for tab in ("", "shared/", "categories/"):
        answer = client.get(org.on(f"agents/{silent.slug}/memory/{tab}"), follow=True)
        assert answer.redirect_chain == [(org.on("agents/silent/"), 302)]
        assert "Memory is off for this agent" in answer.content.decode()
