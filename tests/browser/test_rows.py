"""Right-to-left text in a row of the admin and of a panel: as it was written, and no bleeding."""

import pytest
from django.contrib.auth.models import User

from tests.browser.conftest import Desk
from tests.factories import World, make_draft, make_memory, make_mutation, make_visitor

pytestmark = pytest.mark.browser

RIYADH = "أنا أسكن في الرياض"
# The order in which the eye meets a row's cells, and whether each runs as its own text does.
CELLS = """(row) => [...row.children].map((cell) => {
  const box = cell.getBoundingClientRect();
  return { left: box.left, text: cell.textContent.trim() };
})"""


def test_an_arabic_line_leaves_the_cells_beside_it_alone(
    desk: Desk, world: World, reviewer: User
) -> None:
    with world.inside():
        visitor = make_visitor("مريم")
        memory = make_memory(world.agent, visitor, RIYADH, key="/home/city")
        plain = make_memory(world.agent, make_visitor("ann"), "Lives in Porto.", key="/home/town")
        make_mutation(world.agent, visitor, draft=make_draft(RIYADH + " 12 (3)", key="/home/a"))
    page = desk.sign_in(reviewer)
    page.goto(desk.at("admin/memory/memory/"))
    rows = {}
    for each in (memory, plain):
        row = page.locator("#result_list tbody tr").filter(has_text=each.key)
        rows[each.pk] = row.evaluate(CELLS)
    assert [cell["left"] for cell in rows[memory.pk]] == [cell["left"] for cell in rows[plain.pk]]
    texts = [cell["text"] for cell in rows[memory.pk]]
    assert RIYADH in texts
    text = page.locator("bdi", has_text=RIYADH).first
    assert text.evaluate("(it) => getComputedStyle(it).unicodeBidi") == "isolate"
    page.goto(desk.at(f"agents/{world.agent.slug}/memory/"))
    said = page.locator(".line .said").first
    assert said.inner_text() == RIYADH + " 12 (3)"
    assert said.evaluate("(it) => getComputedStyle(it).direction") == "rtl"
    key = page.locator(".line .key").first
    assert key.evaluate("(it) => getComputedStyle(it).direction") == "ltr"
