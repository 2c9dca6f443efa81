"""Memory that agents of one organisation share (contract 4): who sees what, writing, searching.

`agents` says who asks, `write` and `search` are what they do most, `read` is the rest of reading.
"""
