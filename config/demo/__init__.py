"""The demonstration: a tenant with something to review, and the main loop played in a terminal."""
