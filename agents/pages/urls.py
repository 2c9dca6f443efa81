"""`/agents/…` under a tenant's prefix."""

from django.urls import path

from agents.pages import agents, embed
from memory.interfaces.pages import inspector

app_name = "agents"
urlpatterns = [
    path("", agents.agents, name="list"),
    path("<slug:slug>/", agents.agent, name="agent"),
    path("<slug:slug>/recall/", inspector.inspect, name="recall"),
    path("<slug:slug>/embed/", embed.tab, name="embed"),
]
