"""What test_crewai.py runs in CrewAI's own environment: its tools against KEEPSAKE_URL."""

import json
import os

from dinomem_crewai import (
    DinoMemConfig,
    add_memory,
    create_dinomem_tools,
    recall_memories,
    search_memories,
)

config = DinoMemConfig(
    api_key=os.environ["KEEPSAKE_KEY"],
    agent_id="support-bot",
    base_url=os.environ["KEEPSAKE_URL"],
    scope="team",
    role="executor",
    workflow_id="w",
)
recall, remember = create_dinomem_tools(config)
told = {
    "saved": remember.run(contents=["The deadline is Friday.", "Alice prefers dark mode."]),
    "recalled": recall.run(queries=["deadline", "dark mode"]),
    "nothing": recall.run(queries=["zebra"]),
    "added": add_memory("The office is in Porto.", config),
    "again": add_memory("The office is in Porto.", config),
    "searched": [hit.content for hit in search_memories("office", config)],
    "prompt": recall_memories("office", config),
}
print(json.dumps(told))  # noqa: T201
