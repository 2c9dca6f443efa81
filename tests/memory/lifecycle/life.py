"""A person's whole life with an agent, and a search of the whole database for what is left."""

import json
import uuid
from collections.abc import Iterator
from typing import Any

import numpy as np
from django.db import connection
from django.db.models.functions import Now

from agents import chat
from agents.models import Agent, Conversation, Mode, ScheduledRun, Visitor
from memory import review, store, tools
from memory.learning import capture, embed, extract, observe, reconcile
from memory.lifecycle.export import FORMATS, export_person
from memory.lifecycle.forget import forget
from memory.models import Draft, Listener, Memory, Mutation, Reader, RecallTrace, Unembedded
from memory.people.by_hand import add_by_hand, change_by_hand, delete_by_hand
from memory.people.persons import Who, issue_token, set_settings
from memory.providers import using
from memory.providers.errors import Unavailable
from memory.providers.types import ChatMessage
from memory.recall import context
from memory.recall.traces import store_trace
from memory.tools import listening
from tenants.actor import Actor
from tenants.models import Token
from tests.factories import World
from tests.fakes import ScriptedLanguage, StubEmbedder, decided, observed

HOST = "zq-host-7731"
NAME = "Quillfeather"
EMAIL = "quillfeather@example.test"
COOKIE = uuid.UUID("5f0c6a52-93f5-4f0e-8c43-7a1de2a0c0de")
# Words that nobody else uses; every text of this life has one of them.
MARKS = ("marzipan", "harbourlime", "velvetine", "gloamwood", "ostrakon", HOST, NAME,
         "quillfeather", str(COOKIE))  # fmt: skip

FORGOTTEN = "pellucid"


def _add(key: str, content: str) -> dict[str, Any]:
    return {
        "operation": "add", "key": key, "description": content[:60], "content": content,
        "presence": "on-demand",
    }  # fmt: skip


def live(world: World) -> Visitor:
    """Captured, observed, proposed, approved, edited, rejected, undone, recalled, chatted with,
    extracted, given a token: rows in every table that can have some of a person."""
    with world.inside():
        visitor = Visitor.objects.create(host_id=HOST, cookie=COOKIE, name=NAME, email=EMAIL)
        key = Token.objects.issue(
            kind=Token.Kind.PERSON, name=f"link for {NAME}", visitor_id=visitor.pk
        )[1]
    assert key
    _capture(world, visitor, "I eat marzipan", "My shed code is harbourlime", "I wear velvetine")
    _observe_and_reconcile(world)
    _decide(world, visitor)
    _talk(world, visitor)
    _extract(world, visitor)
    _by_hand(world, visitor)
    _automated(world, visitor)
    with world.inside():
        gone = store.add(
            tenant_id=world.tenant.pk, kind=Memory.Kind.PERSON, agent_id=None,
            visitor_id=visitor.pk, draft=Draft(content=f"Keeps a {FORGOTTEN} jar", label="general"),
            by=Actor.person(),
        )  # fmt: skip
        forget(memory_id=gone.pk, by=Actor.person())
    return visitor


def _capture(
    world: World, visitor: Visitor, *lines: str, fail: Exception | None = None
) -> Conversation:
    said = [capture.Said("user", line, id=f"{HOST}-{n}-{line[:9]}") for n, line in enumerate(lines)]
    with using(embedder=StubEmbedder(fail=fail)):
        prepared = capture.prepare(said, space="stub-64", timeout=1)
    with world.inside():
        conversation = capture.conversation_of(
            agent_id=world.agent.pk, visitor_id=visitor.pk, external_id=f"thread-{HOST}",
            channel="api",
        )  # fmt: skip
        assert capture.write(prepared, conversation=conversation).accepted == len(lines)
        return conversation


def _observe_and_reconcile(world: World) -> None:
    found = observed(
        ("The user eats marzipan.", "I eat marzipan", 1),
        ("The user's shed code is harbourlime.", "My shed code is harbourlime", 2),
        ("The user wears velvetine.", "I wear velvetine", 3),
    )
    with using(language=ScriptedLanguage(found), embedder=StubEmbedder()):
        observe.step(world.tenant.pk, ignore_cooldown=True)
    proposals = [
        decided("mutate", _add(f"/{word}", f"The user knows {word}."), reasoning=f"About {word}.")
        for word in ("marzipan", "harbourlime", "velvetine")
    ]
    with using(language=ScriptedLanguage(*proposals), embedder=StubEmbedder()):
        for _ in proposals:
            assert reconcile.step(world.tenant.pk).mutated == 1


def _decide(world: World, visitor: Visitor) -> None:
    with world.inside():
        first, second, third = Mutation.objects.pending().order_by("id")
    memory = review.approve(mutation_id=first.pk, by=world.admin).memory
    with using(embedder=StubEmbedder()):
        review.edit(
            mutation_id=second.pk, by=world.admin, changes={"content": "Shed code: harbourlime!"}
        )
    review.reject(mutation_id=third.pk, by=world.admin, reason="velvetine is no fact")
    review.undo(mutation_id=third.pk, by=world.admin)
    with world.inside():
        fresh = Mutation.objects.pending().get()
    review.reject(mutation_id=fresh.pk, by=world.admin, reason="velvetine again")
    assert memory is not None
    with world.inside():
        memory = Memory.objects.get(pk=memory.pk)
        store.change(memory, Draft(content="The user bakes marzipan."), by=Actor.person())
        store.close(memory, because=Memory.Closed.DELETED, by=Actor.person())


def _talk(world: World, visitor: Visitor) -> None:
    language = ScriptedLanguage(["You said ", "gloamwood."])
    with using(language=language, embedder=StubEmbedder()):
        said = ChatMessage("user", "Do you know gloamwood?")
        with world.inside():
            agent = Agent.objects.select_related("tenant").get()
        asked = chat.Asked(agent, {"cookie": COOKIE}, [said], "chat")
        assert "gloamwood" in "".join(chat.turn(asked))
        query = context.prepare("harbourlime", space="stub-64", timeout=1)
    with world.inside():
        recalled = context.recall(Reader.for_chat(world.agent.pk, visitor.pk), query)
        store_trace(recalled, agent_id=world.agent.pk, visitor_id=visitor.pk, channel="api")
        assert RecallTrace.objects.filter(visitor=visitor).count() == 2


def _extract(world: World, visitor: Visitor) -> None:
    with world.inside():
        world.agent.mode = Mode.AUTOMATIC
        world.agent.save()
    _capture(world, visitor, "I collect the ostrakon and I like it")
    told = json.dumps(
        {
            "has_memories": True,
            "global_memories": ["The user likes the ostrakon"],
            "mentor_memories": {"preferences": ["The user likes to collect the ostrakon"]},
        }
    )
    with using(language=ScriptedLanguage(*[told] * 4), embedder=StubEmbedder()):
        while extract.step(world.tenant.pk).taken:
            pass
    with world.inside():
        assert Memory.objects.filter(content__contains="ostrakon").count() == 2
        conversation = Conversation.objects.create(
            agent=world.agent, visitor=visitor, failed_because="Refused", parked_at=Now()
        )
        assert conversation.pk
    with using(embedder=StubEmbedder()):
        embed.step(world.tenant.pk)
    _capture(world, visitor, "gloamwood unembedded", fail=Unavailable("slow"))
    with world.inside():
        assert Unembedded.objects.exists()


def _by_hand(world: World, visitor: Visitor) -> None:
    """By the pages and routes: memories, settings, a second token, all of it as a file."""
    who = Who(visitor_id=visitor.pk)
    with using(embedder=StubEmbedder()):
        made = add_by_hand(by=world.admin, who=who, content="Velvetine suits the user").memory
        change_by_hand(
            by=world.admin, who=who, memory_id=made.pk, content="Gloamwood suits the user"
        )
        add_by_hand(
            by=world.admin, who=who, agent_id=world.agent.pk, category="preferences",
            content="Prefers harbourlime by hand",
        )  # fmt: skip
    delete_by_hand(by=world.admin, who=who, memory_id=made.pk)
    set_settings(by=world.admin, who=who, use_memory_in_responses=False)
    issue_token(by=world.admin, who=who, name=f"app of {NAME}", days=3)
    for format in FORMATS:
        export_person(
            tenant_id=world.tenant.pk, visitor_id=visitor.pk, by=world.admin.actor, format=format
        ).close()


def _automated(world: World, visitor: Visitor) -> None:
    """Asked about by the clock; what they tell a tool is heard by a listener."""
    person = tools.Person(world.tenant.pk, visitor.pk, Actor.person(), "page")
    with world.inside():
        ScheduledRun.objects.create(
            name=NAME, agent=world.agent, visitor=visitor, crontab="0 7 * * *",
            prompt="Ask about the gloamwood",
        )  # fmt: skip
        Listener.objects.create(
            name="copy", event="memory.created", key_prefix="wood", tool="remember",
            arguments={"content": "Heard: {content}", "key": "copy"},
        )  # fmt: skip
    with using(embedder=StubEmbedder()):
        tools.remember(person, content="Has a gloamwood desk", key="wood-desk")
        assert listening.step(world.tenant.pk).processed == 1


# --- looking everywhere ------------------------------------------------------------------------


def everything() -> Iterator[tuple[str, str, int, str]]:
    """(table, column, row, text) of every column of every table, whatever its type."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT c.table_name, array_agg(c.column_name::text) "
            "FROM information_schema.columns c "
            "JOIN information_schema.tables t USING (table_schema, table_name) "
            "WHERE c.table_schema = 'public' AND t.table_type = 'BASE TABLE' GROUP BY 1 ORDER BY 1"
        )
        tables = cursor.fetchall()
        for table, columns in tables:
            chosen = ", ".join(f'"{column}"::text' for column in columns)
            cursor.execute(f'SELECT {chosen} FROM "{table}"')
            for number, row in enumerate(cursor.fetchall()):
                for column, value in zip(columns, row, strict=True):
                    if value is not None:
                        yield table, column, number, value


def traces_of(*marks: str) -> list[tuple[str, str, str]]:
    """Where any of these words stands, upper or lower case, inside `within` or not."""
    wanted = [mark.casefold() for mark in marks]
    # Postings hold stems and words cut at signs; the marks are made so that they stand whole.
    return [
        (table, column, mark)
        for table, column, _, value in everything()
        for mark in wanted
        if mark in value.casefold()
    ]


def vectors_near(texts: list[str]) -> int:
    """How many stored vectors are those of the texts, in whatever column."""
    wanted = [StubEmbedder().embed([text], timeout=1)[0] for text in texts]
    count = 0
    for _, _, _, value in everything():
        if value.startswith("[") and value.count(",") == 63 and '"' not in value:
            found = np.fromstring(value.strip("[]"), sep=",")
            count += any(float(found @ vector) > 0.99 for vector in wanted)
    return count
