"""`/v1/…`: every address of contract 4, one a line. None ends in a slash."""

from django.urls import URLPattern, path

from memory.interfaces.wire import replicas

urlpatterns: list[URLPattern] = [
    path("crdt/replicas/<str:replica>/write", replicas.ReplicaWrite.as_view()),
    path("crdt/replicas/<str:replica>/sync", replicas.ReplicaSync.as_view()),
    path("crdt/replicas/<str:replica>/state", replicas.ReplicaState.as_view()),
]
