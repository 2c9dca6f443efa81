"""The graph leg of a search: from the entities a question names to the memories they lead to.

A memory that mentions a named entity comes first; then those that mention what it is related to,
and what that is related to, by relations that visible memories state (D34). All counting is done
among the rows in sight, so what others have stored changes neither what is found nor its place.
"""

from collections.abc import Sequence
from typing import Any

from django.db import connection

from memory.recall.sight import Visible

HOPS = 2
# An entity in more than this share of what is in sight says nothing about any of it. Of few
# memories a share says nothing either.
HUB_SHARE, HUB_LEAST = 0.1, 20
FADES = 0.5  # what a hop leaves of a weight
WIDTH = 20  # entities that a hop goes on to: the most often stated first
READ = 200  # memories of one entity, the newest, whose relations are followed


def nearest(reader_visible: Visible, named: Sequence[int], *, limit: int) -> list[int]:
    """Ids of visible memories that the named entities lead to, best first, at most `limit`.

    One statement, none where nothing is named; inside `within`. `named` are the ids of entities,
    as `agents.agent_asking` reads them; `reader_visible` is `recall.sight.visible(reader, at)`, or
    `narrowed(…)`.
    """
    if not named or limit < 1:
        return []
    with connection.cursor() as cursor:
        hops: list[Any] = [FADES, READ, WIDTH] * HOPS
        cursor.execute(
            _WALK.replace("{visible}", reader_visible.sql),
            [HUB_LEAST, HUB_SHARE, *reader_visible.values, list(named), *hops, limit],
        )
        return [row[0] for row in cursor.fetchall()]


# Rows in sight are read once; their ids, in order, go into the index of mentions as one array.
_SCOPE = """
WITH scope AS MATERIALIZED (
    SELECT array_agg(id ORDER BY id) AS ids, greatest(%s, %s * count(*)) AS most
    FROM ({visible}) seen
), front_0 AS MATERIALIZED (
    SELECT unnest(%s::bigint[]) AS entity, 1::float8 AS worth
)
"""
# Entity by entity and fenced, so that the planner reads each entity's memories: it believes the
# array of ids to be short. What a rare name says, a common one says less of, and one that is
# everywhere nothing at all.
_MENTIONS = """
, at_{n} AS MATERIALIZED (
    SELECT entity, memory, worth / (1 + ln(many)) AS worth
    FROM (
        SELECT entity, memory, worth, count(*) OVER (PARTITION BY entity) AS many
        FROM front_{n} CROSS JOIN LATERAL (
            SELECT m.memory_id AS memory
            FROM memory_mention m
            WHERE m.entity_id = front_{n}.entity
              AND m.memory_id = ANY((SELECT ids FROM scope)::bigint[])
            OFFSET 0
        ) named
    ) counted
    WHERE many <= (SELECT most FROM scope)
)
"""
# A relation is read from memories that are in sight already, so the hop stays in sight.
_HOP = """
, front_{next} AS MATERIALIZED (
    SELECT other AS entity, max(worth) * %s AS worth
    FROM (
        SELECT entity, memory, worth,
               row_number() OVER (PARTITION BY entity ORDER BY memory DESC) AS place
        FROM at_{n}
    ) newest
    CROSS JOIN LATERAL (
        SELECT CASE WHEN r.subject_id = newest.entity THEN r.object_id
                    ELSE r.subject_id END AS other
        FROM memory_relation r
        WHERE r.memory_id = newest.memory
          AND (r.subject_id = newest.entity OR r.object_id = newest.entity)
        OFFSET 0
    ) stated
    WHERE place <= %s AND other NOT IN ({been})
    GROUP BY other
    ORDER BY sum(worth) DESC, max(memory) DESC, other
    LIMIT %s
)
"""
# Named entities add up; of what is further off only the best way counts.
_RANKED = """
SELECT memory
FROM ({all}) led
GROUP BY memory
ORDER BY coalesce(sum(worth) FILTER (WHERE hop = 0), 0)
         + coalesce(max(worth) FILTER (WHERE hop > 0), 0) DESC, memory DESC
LIMIT %s
"""


_BEEN = "SELECT entity FROM front_{n}"
_LED = "SELECT memory, worth, {n} AS hop FROM at_{n}"


def _statement() -> str:
    text = _SCOPE
    for n in range(HOPS + 1):
        text += _MENTIONS.format(n=n)
        if n < HOPS:
            been = " UNION ALL ".join(_BEEN.format(n=k) for k in range(n + 1))
            text += _HOP.format(n=n, next=n + 1, been=been)
    return text + _RANKED.format(all=" UNION ALL ".join(_LED.format(n=n) for n in range(HOPS + 1)))


_WALK = _statement()
