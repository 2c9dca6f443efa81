"""`/memory/…`: the tenant's and the signed-in person's under a prefix, the link's under none."""

from django.urls import path

from memory.interfaces.pages.people import following, link, mine, overview, person

app_name = "memory"
urlpatterns = [
    path("", mine.page, name="mine"),
    path("add/", mine.add, name="mine-add"),
    path("mine/state/", mine.state, name="mine-state"),
    path("<int:memory_id>/forget/", mine.forgotten, name="mine-forget"),
    path("mine/settings/", mine.settings, name="mine-settings"),
    path("mine/download/", mine.download, name="mine-download"),
    path("mine/erase/", mine.erase, name="mine-erase"),
    path("settings/", overview.page, name="overview"),
    path("settings/state/", following.overview, name="overview-state"),
    path("settings/switch/", overview.switch, name="switch"),
    path("people/<int:visitor_id>/", person.page, name="person"),
    path("people/<int:visitor_id>/add/", person.add, name="person-add"),
    path(
        "people/<int:visitor_id>/memories/<int:memory_id>/delete/",
        person.delete,
        name="person-delete",
    ),
    path("people/<int:visitor_id>/settings/", person.settings, name="person-settings"),
    path("people/<int:visitor_id>/account/", person.account, name="person-account"),
    path("people/<int:visitor_id>/links/", person.issue, name="person-link"),
    path("people/<int:visitor_id>/links/<int:token_id>/revoke/", person.revoke, name="revoke"),
    path("people/<int:visitor_id>/download/", person.download, name="person-download"),
    path("people/<int:visitor_id>/erase/", person.erase, name="person-erase"),
    path("person/", link.page, name="link"),
    path("person/state/", link.state, name="link-state"),
    path("person/enter/", link.enter, name="link-enter"),
    path("person/leave/", link.leave, name="link-leave"),
    path("person/add/", link.add, name="link-add"),
    path("person/<int:memory_id>/forget/", link.forgotten, name="link-forget"),
    path("person/settings/", link.settings, name="link-settings"),
    path("person/download/", link.download, name="link-download"),
    path("person/erase/", link.erase, name="link-erase"),
]
