"""What a text would contradict, asked without writing it."""

from memory.providers.cleaning import clean
from memory.recall.query import prepare
from memory.sharing.agents import agent_called, reader_of
from memory.sharing.contradicted import Found, compare, nearest
from memory.sharing.write import CHECK_SECONDS, EMBED_SECONDS, language_that_compares
from tenants.context import within


def contradictions(
    text: str, *, agent: str, workflow: str | None, scope: str | None, tenant_id: int, space: str
) -> tuple[list[Found], str | None]:
    """The contradictions of every severity, and why the model did not answer if it should have.

    Among what the agent sees of the same workflow (work in none is a workflow of its own), as a
    write would be compared. Opens its own blocks.
    """
    text = clean(text).text
    query = prepare(text, space=space, timeout=EMBED_SECONDS)
    with within(tenant_id):
        reader = reader_of(agent_called(agent), workflow=workflow or "", scope=scope)
        near = nearest(reader, query)
    found, checked = compare(text, near, language=language_that_compares(), timeout=CHECK_SECONDS)
    return found, checked.fell_back
