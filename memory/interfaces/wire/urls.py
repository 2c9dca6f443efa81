"""`/v1/…`: every address of contract 4, one a line. None ends in a slash."""

from django.urls import URLPattern, path

from memory.interfaces.wire import byok, memories, replicas

urlpatterns: list[URLPattern] = [
    path("memory/write", memories.Write.as_view()),
    path("memory/search", memories.Search.as_view()),
    path("memory/conflicts", memories.Conflicts.as_view()),
    path("memory/<str:number>/history", memories.History.as_view()),
    path("memory/<str:number>", memories.One.as_view()),
    path("org/byok", byok.CustomerKey.as_view()),
    path("crdt/replicas/<str:replica>/write", replicas.ReplicaWrite.as_view()),
    path("crdt/replicas/<str:replica>/sync", replicas.ReplicaSync.as_view()),
    path("crdt/replicas/<str:replica>/state", replicas.ReplicaState.as_view()),
]
