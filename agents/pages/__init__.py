"""Pages of agents: the list, one agent's set-up and memories, and the public conversation."""
