"""The graph of shared memory (D34): what memories speak of, and how one leads to another.

`names` says when two names are one, `stage` finds entities and relations in the background,
`walk` goes from a question to memories. Nothing here lists an entity: every step stands on a
memory that the reader sees.
"""
