"""Where people and programs meet the memory: pages, admin, API, tasks."""
