"""`/v1/…`: every address of contract 4, one a line. None ends in a slash."""

from django.urls import URLPattern, path

from memory.interfaces.wire import (
    byok,
    grants,
    keys,
    memories,
    org,
    policies,
    replicas,
    scratch,
    teams,
    usage,
    webhooks,
)

urlpatterns: list[URLPattern] = [
    path("memory/write", memories.Write.as_view()),
    path("memory/search", memories.Search.as_view()),
    path("memory/conflicts", memories.Conflicts.as_view()),
    path("memory/<str:number>/history", memories.History.as_view()),
    path("memory/<str:number>", memories.One.as_view()),
    path("keys", keys.Keys.as_view()),
    path("keys/<str:uid>", keys.KeyDetail.as_view()),
    path("teams", teams.Teams.as_view()),
    path("teams/<str:uid>", teams.TeamDetail.as_view()),
    path("teams/<str:uid>/agents", teams.TeamAgents.as_view()),
    path("policies", policies.Policies.as_view()),
    path("policies/<str:uid>", policies.PolicyDetail.as_view()),
    path("grants", grants.Grants.as_view()),
    path("grants/<str:uid>", grants.GrantDetail.as_view()),
    path("webhooks", webhooks.Webhooks.as_view()),
    path("webhooks/<str:uid>", webhooks.WebhookDetail.as_view()),
    path("org/retention", org.Retention.as_view()),
    path("org/usage/workflows", usage.WorkflowsUsage.as_view()),
    path("org/byok", byok.CustomerKey.as_view()),
    path("scratch/set", scratch.ScratchSet.as_view()),
    path("scratch/get", scratch.ScratchGet.as_view()),
    path("scratch/del", scratch.ScratchDel.as_view()),
    path("crdt/replicas/<str:replica>/write", replicas.ReplicaWrite.as_view()),
    path("crdt/replicas/<str:replica>/sync", replicas.ReplicaSync.as_view()),
    path("crdt/replicas/<str:replica>/state", replicas.ReplicaState.as_view()),
]
