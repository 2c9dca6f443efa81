"""Every route of contract 2, in both of its spellings, from one table."""

from django.urls import URLPattern, path

from memory.interfaces.api import categories, knowledge, people, person_settings, rights
from memory.interfaces.api.orgs import OrgView

# `{agents}` and `{memories}` are what the spellings differ in.
USER = "users/<str:user_id>"
AGENT = "{agents}/<str:agent>"
ROUTES: tuple[tuple[str, type[OrgView]], ...] = (
    (f"{USER}/global-memories/", people.GlobalMemories),
    (f"{USER}/global-memories/<int:number>/", people.GlobalMemory),
    (f"{USER}/{{memories}}/", people.AllAgentMemories),
    (f"{USER}/{AGENT}/{{memories}}/", people.AgentMemories),
    (f"{USER}/{AGENT}/{{memories}}/<int:number>/", people.AgentMemory),
    (f"{USER}/{AGENT}/{{memories}}-list/", people.AgentMemoryList),
    (f"{USER}/memsearch-settings/", person_settings.Settings),
    (f"{USER}/memsearch-status/", person_settings.Status),
    (f"{USER}/tokens/", person_settings.Tokens),
    (f"{USER}/tokens/<int:number>/", person_settings.OneToken),
    (f"{USER}/export/", rights.Export),
    (f"{USER}/memory/", rights.Everything),
    ("users//export/", rights.Nobody),
    ("users//memory/", rights.Nobody),
    (f"{AGENT}/memory-categories/", categories.Categories),
    (f"{AGENT}/memory-categories/<int:number>/", categories.OneCategory),
    (f"{AGENT}/{{memories}}/", knowledge.Knowledge),
    (f"{AGENT}/{{memories}}/<int:number>/", knowledge.Entry),
)
SPELLINGS = (
    ("api/ai-agent/", {"agents": "agents", "memories": "agent-memories"}),
    ("api/ai-mentor/", {"agents": "mentors", "memories": "mentor-memories"}),
)

urlpatterns: list[URLPattern] = [
    path(f"{base}orgs/<slug:org>/{route.format(**words)}", view.as_view())
    for base, words in SPELLINGS
    for route, view in ROUTES
]
