"""The SQL of a search, piece by piece; `fusion` puts the pieces together, with their values.

Each piece goes on where the one before it ended, inside one WITH clause, and names the columns that
the later ones read.
"""

NOTHING = """
WITH size AS (SELECT 0::float8 AS n), best AS (
    SELECT NULL::bigint AS id, NULL::float8 AS score, NULL::float8 AS cosine,
           NULL::float8 AS share, NULL::float8 AS evidence, false AS about, NULL::float8 AS told,
           NULL::float8 AS dated
    WHERE false
)
"""

# The scope is read once; its ids go into both indexes as one array, which an index scan walks in
# order, whatever the planner thinks of a scope's size (row-level security hides that from it).
# The array is in order itself: `width_bucket` finds an id's place in it, and so its length.
SCOPE = """
WITH scope AS (
    SELECT id, length, {talk} AS talk, {said_on} AS said_on, {about} AS about
    FROM ({visible}) seen WHERE ({wanted})
"""
ABOUT = "lower(left(content, 64)) ^@ ANY(%s::text[])"
TALK = "source ->> 'conversation'"
SAID_ON = "source ->> 'said_on'"
SIZE = """
), size AS MATERIALIZED (
    SELECT {n}::float8 AS n, {length}::float8 AS length,
           array_agg(id ORDER BY id) AS ids, array_agg(length ORDER BY id) AS lengths,
           count(talk) > 0 AS talked, count(said_on) > 0 OR bool_or(about) AS marked
    FROM scope
)
"""
AMONG_FEW = " AND id = ANY(%s::bigint[])"

# BM25 with k1 = 0.9 and b = 0.3 (memories are short: length says little), as a share of the most
# that the six rarest words of the query could give: a long message is not held to all its words.
# Rarity is counted in the scope and five texts more that hold none of the words, or in a scope of
# one memory every word of it would be common. A word is its place in the query: numbers are
# compared faster than words.
FOUND = """
, found AS MATERIALIZED (
    SELECT held.id, asked.word::int AS word, held.count
    FROM unnest(%s::text[]) WITH ORDINALITY AS asked(term, word) CROSS JOIN LATERAL (
        SELECT p.memory_id AS id, p.count FROM memory_posting p
        WHERE p.term = asked.term AND p.memory_id = ANY((SELECT ids FROM size)::bigint[])
        OFFSET 0  -- word by word: the planner would rather read every word of every memory
    ) held
)
"""
RARITY = """
, rarity AS MATERIALIZED (
    SELECT word, ln(1 + (size.n + 5.5 - coalesce(held.n, 0)) / (coalesce(held.n, 0) + 0.5)) AS idf
    FROM size, generate_series(1, %s) AS word
    LEFT JOIN (SELECT word, count(*) AS n FROM found GROUP BY word) held USING (word)
)
"""
RARITY_OF_LARGE = """
, rarity AS MATERIALIZED (
    SELECT word, ln(1 + (size.n + 5.5 - held.n) / (held.n + 0.5)) AS idf
    FROM size, unnest(%s::int[]) WITH ORDINALITY AS held(n, word)
)
"""
KEYWORD = """
, ideal AS MATERIALIZED (
    SELECT (SELECT array_agg(idf ORDER BY word) FROM rarity) AS idf, sum(idf) AS total
    FROM (SELECT idf FROM rarity ORDER BY idf DESC LIMIT 6) rarest
), keyword AS MATERIALIZED (
    SELECT id,
           sum((SELECT idf FROM ideal)[found.word] * found.count
               / (found.count + 0.9::float8
                  * (0.7::float8 + 0.3::float8
                     * (SELECT lengths FROM size)[width_bucket(id, (SELECT ids FROM size))]
                     / (SELECT length FROM size))))
               / (SELECT total FROM ideal) AS share
    FROM found GROUP BY id
)
"""
NO_KEYWORD = """
, found AS (SELECT NULL::bigint AS id, 0 AS word, 0 AS count WHERE false)
, keyword AS (SELECT NULL::bigint AS id, NULL::float8 AS share WHERE false)
"""

# A zero vector is refused when it is written; should one be there, its distance is NaN, which
# Postgres sorts above every number: it becomes null and ranks nowhere.
SEMANTIC = """
, semantic AS MATERIALIZED (
    SELECT v.memory_id AS id, max(nullif(1 - (v.vector <=> %s::vector), 'NaN')) AS cosine
    FROM memory_memoryvector v
    WHERE v.space = %s AND v.memory_id = ANY((SELECT ids FROM size)::bigint[])
    GROUP BY v.memory_id
)
"""
NO_SEMANTIC = ", semantic AS (SELECT NULL::bigint AS id, NULL::float8 AS cosine WHERE false)"

# Weighed are the nearest, to the depth that is looked at, and whatever has a word of the query: of
# what has none, nearer is better, so the rest cannot come before these. And what the graph names.
# A cosine up to `near` is worth four fifths of the leg, the rest is for what is nearer still.
# FULL JOIN keeps the planner from a nested loop over two lists it believes to be short, and a
# condition that says nothing keeps it from making less of it.
# A row that has no vector yet is judged by its words alone.
SCORED = """
, scored AS MATERIALIZED (
    SELECT id, cosine, share, meaning,
           CASE WHEN meaning IS NOT NULL THEN %s * meaning + %s * coalesce(share, 0)
                ELSE %s * share END AS evidence
    FROM (
        SELECT id, cosine, share,
               CASE WHEN cosine IS NOT NULL
                    THEN 0.8 * least(greatest((cosine - %s) / %s, 0), 1)
                         + 0.2 * greatest((cosine - %s) / %s, 0) END AS meaning
        FROM (
            SELECT id, coalesce(nearest.cosine, worded.cosine) AS cosine, share
            FROM (
                SELECT id, cosine FROM semantic WHERE cosine IS NOT NULL
                ORDER BY cosine DESC, id LIMIT %s
            ) nearest FULL JOIN (
                SELECT id, cosine, share FROM keyword FULL JOIN semantic USING (id)
                WHERE coalesce(share, -1) >= 0{named}
            ) worded USING (id)
        ) looked_at
    ) legs
)
"""

NAMED = " OR id = ANY(%s::bigint[])"

# What a row has to reach: nothing does where the best is below the floor.
BAR = """
, bar AS MATERIALIZED (
    SELECT most, CASE WHEN most >= floor THEN greatest(%s * floor, %s) ELSE 'infinity' END AS bar
    FROM (SELECT max(evidence) AS most FROM scored) best,
         (SELECT %s + %s * ln(n + 3) AS floor FROM size) floor
)
"""

# BM25 once more, over conversations: all that was learned from one of them is one text. Where no
# memory has a conversation, a side or a time that counts, nobody looks: `noted` is then empty.
# Full joins again, and conditions that do not let the planner make anything less of them.
BEST = """
, passed AS MATERIALIZED (
    SELECT scored.*, (SELECT most FROM bar) AS most FROM scored
    WHERE evidence >= (SELECT bar FROM bar)
    ORDER BY evidence DESC, id LIMIT %s
), told AS MATERIALIZED (
    SELECT talk, word, sum(count)::float8 AS count
    FROM found FULL JOIN scope USING (id)
    WHERE talk IS NOT NULL AND coalesce(word, 0) > 0 AND (SELECT talked FROM size)
    GROUP BY talk, word
), talks AS MATERIALIZED (
    SELECT talk, greatest(sum(length), 1)::float8 AS length,
           greatest(avg(sum(length)) OVER (), 1)::float8 AS usual, count(*) OVER () AS n
    FROM scope WHERE talk IS NOT NULL AND (SELECT talked FROM size) GROUP BY talk
), by_talk AS MATERIALIZED (
    SELECT talk,
           sum(ln(1 + (n - held + 0.5::float8) / (held + 0.5::float8)) * count
               / (count + 1.2::float8 * (0.7::float8 + 0.3::float8 * length / usual))) AS told
    FROM (SELECT told.*, count(*) OVER (PARTITION BY word) AS held FROM told) told
    FULL JOIN talks USING (talk) WHERE coalesce(word, 0) > 0 GROUP BY talk
), most_told AS MATERIALIZED (
    SELECT nullif(max(told), 0) AS told FROM by_talk
), noted AS (
    SELECT * FROM scope WHERE (SELECT talked OR marked FROM size)
), placed AS (
    SELECT *, CASE WHEN meaning IS NOT NULL THEN %s * meaning + %s * coalesce(share, 0)
                   ELSE (%s + %s) * share END
              + most * (%s * about::int + %s * coalesce(told, 0) + %s * dated) AS place
    FROM (SELECT passed.*, coalesce(noted.about, false) AS about,
                 by_talk.told / (SELECT told FROM most_told) AS told, {dated} AS dated
          FROM passed FULL JOIN noted USING (id) FULL JOIN by_talk USING (talk)
          WHERE coalesce(evidence, -1) >= 0
          OFFSET 0) seen  -- each of these is worked out once, not wherever it is used
), best AS MATERIALIZED (
    SELECT id, coalesce(place * most / nullif(max(place) OVER (), 0), 0) AS score,
           cosine, share, evidence, about, told, dated
    FROM placed ORDER BY score DESC, id LIMIT %s
)
"""

DATED = """
CASE WHEN substr(said_on, 6, 2) = ANY(%s::text[])
          AND (%s OR substr(said_on, 1, 4) = ANY(%s::text[]))
     THEN CASE WHEN %s THEN 1 WHEN substr(said_on, 9, 2) = ANY(%s::text[]) THEN 1.5 ELSE 0.5 END
     ELSE 0 END
"""

# Each leg is read to the same depth: beyond it a rank says nothing. Only ranks order; which rows
# are hits at all is the calibrated score's to say, or the graph's, whose rows have to be in scope.
# One list after the other, gathered by id: there is nothing to join, so nothing to join badly.
RANKED = """
, ranked AS (
    SELECT *, row_number() OVER (ORDER BY cosine DESC, id) AS by_meaning, NULL::bigint AS by_words,
           NULL::bigint AS by_graph
    FROM (SELECT id, cosine, share, evidence FROM scored WHERE cosine IS NOT NULL
          ORDER BY cosine DESC, id LIMIT %s) nearest
    UNION ALL
    SELECT *, NULL, row_number() OVER (ORDER BY share DESC, id), NULL
    FROM (SELECT id, cosine, share, evidence FROM scored WHERE share IS NOT NULL
          ORDER BY share DESC, id LIMIT %s) wordiest
{graph}), best AS MATERIALIZED (
    SELECT id, coalesce(%s::float8 / (%s + max(by_meaning)), 0)
               + coalesce(%s::float8 / (%s + max(by_words)), 0)
               + coalesce(%s::float8 / (%s + max(by_graph)), 0) AS score,
           max(cosine) AS cosine, max(share) AS share,
           max(by_meaning) AS by_meaning, max(by_words) AS by_words,
           coalesce(max(evidence), 0)::float8 AS evidence, max(by_graph) AS by_graph
    FROM ranked GROUP BY id
    HAVING max(by_graph) IS NOT NULL AND %s <= 0
           OR coalesce(max(by_meaning), max(by_words), max(by_graph)) IS NOT NULL
              AND coalesce(max(evidence), 0) >= (SELECT bar FROM bar)
    ORDER BY score DESC, id
    LIMIT %s
)
"""
# With what the legs say of them, wherever they stand there.
GRAPH = """
    UNION ALL
    SELECT id, NULL, NULL, NULL, NULL, NULL, row_number() OVER (ORDER BY place)
    FROM (SELECT id, place FROM unnest(%s::bigint[]) WITH ORDINALITY AS named(id, place), size
          WHERE ids[width_bucket(id, ids)] = id ORDER BY place LIMIT %s) reached
    UNION ALL
    SELECT id, cosine, share, evidence, NULL, NULL, NULL FROM scored WHERE id = ANY(%s::bigint[])
"""
