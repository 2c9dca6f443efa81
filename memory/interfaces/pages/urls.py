"""`/review/…` under a tenant's prefix."""

from django.urls import path

from memory.interfaces.pages import decide, decisions, queue, retry

app_name = "review"
urlpatterns = [
    path("", queue.queue, name="queue"),
    path("mine/", decisions.mine, name="mine"),
    path("retry/<slug:kind>/<int:pk>/", retry.retry, name="retry"),
    path("<int:mutation_id>/", queue.one, name="card"),
    path("<int:mutation_id>/approve/", decide.approve, name="approve"),
    path("<int:mutation_id>/reject/", decide.reject, name="reject"),
    path("<int:mutation_id>/undo/", decide.undo, name="undo"),
    path("<int:mutation_id>/edit/", decide.edit_form, name="edit-form"),
    path("<int:mutation_id>/edited/", decide.edit, name="edit"),
]
