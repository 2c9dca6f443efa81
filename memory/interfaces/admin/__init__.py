"""The records of the memory in the admin: read-only, but for the two verbs on mutations."""
