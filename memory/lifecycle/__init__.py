"""How what is kept ends: a memory forgotten, a person erased, time run out; and what they get."""
