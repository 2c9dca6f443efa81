"""`/review/…` under a tenant's prefix."""

from django.urls import path

from memory.interfaces.pages import alike, decide, decisions, live, never, queue, retry, trying

app_name = "review"
urlpatterns = [
    path("", queue.queue, name="queue"),
    path("mine/", decisions.mine, name="mine"),
    path("state/", live.state, name="state"),
    path("bulk/", alike.approve, name="bulk"),
    path("rules/", never.standing, name="rules"),
    path("rules/<int:rule_id>/lift/", never.lift, name="lift"),
    path("<int:mutation_id>/alike/", alike.alike, name="alike"),
    path("<int:mutation_id>/never/", never.never, name="never"),
    path("retry/<slug:kind>/<int:pk>/", retry.retry, name="retry"),
    path("<int:mutation_id>/", queue.one, name="card"),
    path("<int:mutation_id>/approve/", decide.approve, name="approve"),
    path("<int:mutation_id>/keep-both/", decide.keep_both, name="keep-both"),
    path("<int:mutation_id>/reject/", decide.reject, name="reject"),
    path("<int:mutation_id>/undo/", decide.undo, name="undo"),
    path("<int:mutation_id>/edit/", decide.edit_form, name="edit-form"),
    path("<int:mutation_id>/try/", trying.attempt, name="try"),
    path("<int:mutation_id>/edited/", decide.edit, name="edit"),
]
