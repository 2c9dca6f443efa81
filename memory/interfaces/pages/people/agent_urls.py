"""`/agents/<slug>/memory/…` under a tenant's prefix."""

from django.urls import path

from memory.interfaces.pages import panels
from memory.interfaces.pages.people import categories, shared_memory, user_memories

app_name = "agent-memory"
urlpatterns = [
    path("", panels.page, name="tab"),
    path("people/", user_memories.page, name="people"),
    path("add/", user_memories.add, name="add"),
    path("<int:memory_id>/change/", user_memories.change, name="change"),
    path("<int:memory_id>/delete/", user_memories.delete, name="delete"),
    path("shared/", shared_memory.page, name="shared"),
    path("shared/add/", shared_memory.add, name="shared-add"),
    path("shared/<int:memory_id>/change/", shared_memory.change, name="shared-change"),
    path("shared/<int:memory_id>/delete/", shared_memory.delete, name="shared-delete"),
    path("categories/", categories.page, name="categories"),
    path("categories/add/", categories.add, name="category-add"),
    path("categories/<int:category_id>/change/", categories.change, name="category-change"),
    path("categories/<int:category_id>/switch/", categories.switch, name="category-switch"),
]
