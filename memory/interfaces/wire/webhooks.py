"""`/v1/webhooks`: who is told of what happens to shared memory."""

from typing import Any

from django.http import Http404, HttpResponse, JsonResponse
from rest_framework.request import Request

from memory.events import subscriptions, targets
from memory.events.envelope import SUBSCRIBABLE
from memory.interfaces.api.lookup import as_uuid
from memory.interfaces.tasks import wake
from memory.interfaces.wire import fields
from memory.interfaces.wire import shapes_webhooks as shapes
from memory.interfaces.wire.base import WireView
from memory.interfaces.wire.shapes_setting import told
from memory.interfaces.wire.shown import instant
from memory.models import Event, Webhook
from tenants.answers import Refused
from tenants.context import within


class Webhooks(WireView):
    manages = True

    @told("List webhooks", tag=shapes.TAG, answers={200: "Webhooks"})
    def get(self, request: Request) -> HttpResponse:
        with within(self.caller.tenant_id):
            rows = Webhook.objects.defer("secret").order_by("created_at", "id")
            return JsonResponse({"webhooks": [as_json(row) for row in rows]})

    @told(
        "Subscribe to events; the secret is answered this once",
        tag=shapes.TAG,
        takes="NewWebhook",
        answers={201: "WebhookWithSecret"},
        refuses=(409,),
    )
    def post(self, request: Request) -> HttpResponse:
        body = self.body()
        events = _events(body)
        url = address(body, "url")
        with within(self.caller.tenant_id):
            try:
                hook, secret = subscriptions.subscribe(url=url, events=events, by=self.caller.actor)
            except subscriptions.TooMany as error:
                raise Refused(str(error), status=409) from None
            return JsonResponse(as_json(hook) | {"secret": secret}, status=201)


class WebhookDetail(WireView):
    manages = True

    @told(
        "Pause a webhook, or resume it",
        tag=shapes.TAG,
        takes="WebhookSwitch",
        answers={200: "Webhook"},
    )
    def patch(self, request: Request, uid: str) -> HttpResponse:
        active = self.body().get("active")
        if not isinstance(active, bool):
            raise Refused("expected true or false", field="active")
        caller = self.caller
        with within(caller.tenant_id):
            hook = subscriptions.find(as_uuid(uid))
            if hook is None:
                raise Http404("no such webhook")
            if active:
                subscriptions.resume(hook, by=caller.actor)
                wake("deliver", caller.tenant_id)
            else:
                subscriptions.pause(hook, by=caller.actor)
            return JsonResponse(as_json(hook))

    @told("Remove a webhook, if it is there", tag=shapes.TAG, answers={204: None}, refuses=(429,))
    def delete(self, request: Request, uid: str) -> HttpResponse:
        with within(self.caller.tenant_id):
            hook = subscriptions.find(as_uuid(uid))
            if hook is not None:
                subscriptions.remove(hook, by=self.caller.actor)
        return HttpResponse(status=204)


def as_json(hook: Webhook) -> dict[str, Any]:
    return {
        "id": str(hook.uid),
        "url": hook.url,
        "events": list(hook.events),
        "active": hook.active,
        "created_at": instant(hook.created_at),
    }


def address(body: fields.Body, field: str) -> str:
    """An address that may be called. Looks its name up: outside any block."""
    value = body.get(field)
    if not isinstance(value, str):
        raise Refused("expected an address that begins with https:// or http://", field=field)
    try:
        targets.check(value)
    except targets.BadTarget as error:
        raise Refused(str(error), field=field) from None
    return value


def _events(body: fields.Body) -> list[Event.Kind]:
    given = body.get("events")
    expected = f"expected a list of at least one of {', '.join(SUBSCRIBABLE)}"
    if not isinstance(given, list) or not given:
        raise Refused(expected, field="events")
    if not all(isinstance(each, str) and each in SUBSCRIBABLE for each in given):
        raise Refused(expected, field="events")
    return [Event.Kind(each) for each in dict.fromkeys(given)]
