"""`/agents/…` under a tenant's prefix."""

from django.urls import path

from agents.pages import agents

app_name = "agents"
urlpatterns = [
    path("", agents.agents, name="list"),
    path("<slug:slug>/", agents.agent, name="agent"),
]
