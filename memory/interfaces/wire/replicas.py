"""`/v1/crdt/replicas/…`: registers that replicas write apart and that converge when they sync.

Registers are the whole organisation's, so a key that is narrowed to another scope than `global`
has no part in them. A replica that nobody has written to is an empty one.
"""

import json
import math
from typing import Any

from django.core.exceptions import PermissionDenied
from django.http import HttpResponse, JsonResponse
from rest_framework.request import Request

from memory.interfaces.wire import fields
from memory.interfaces.wire import shapes_replicas as shapes
from memory.interfaces.wire.base import WireView
from memory.interfaces.wire.shapes_setting import told
from memory.providers.cleaning import clean
from memory.sharing import replicas
from memory.sharing.registers import Operation
from tenants.answers import Refused
from tenants.context import within

VALUE_LIMIT = 64 * 1024  # bytes of JSON
DEPTH_LIMIT = 64  # objects and arrays in each other
PEERS_LIMIT = 100  # learned from in one request


class ReplicaView(WireView):
    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        super().initial(request, *args, **kwargs)
        if self.caller.scope not in (None, "", "global"):
            raise PermissionDenied("registers are everybody's: this key is for a narrower scope")


class ReplicaWrite(ReplicaView):
    """`{key, value, agentId, evidenceId?}` → `{op}`."""

    @told(
        "Write a register on a replica",
        tag=shapes.REPLICA_TAG,
        takes="RegisterWrite",
        answers={200: "RegisterOperation"},
    )
    def post(self, request: Request, replica: str) -> HttpResponse:
        body = self.body()
        name, key = _replica(replica), fields.named(body, "key")
        agent = self.agent_in(body) or ""
        evidence = fields.name(body, "evidenceId", required=False) or ""
        value = _value(body)
        with within(self.caller.tenant_id):
            made = replicas.write(name, key=key, value=value, agent=agent, evidence=evidence)
        return JsonResponse({"op": _as_json(made)})


class ReplicaSync(ReplicaView):
    """`{from}` or `{peers: […]}` → `{synced}`: how many operations were new."""

    @told(
        "Learn every operation that other replicas know",
        tag=shapes.REPLICA_TAG,
        takes="RegisterSync",
        answers={200: "RegisterSynced"},
    )
    def post(self, request: Request, replica: str) -> HttpResponse:
        name, peers = _replica(replica), _peers(self.body())
        with within(self.caller.tenant_id):
            return JsonResponse({"synced": replicas.sync(name, peers=peers)})


class ReplicaState(ReplicaView):
    """`{state: [{key, value, opId, agentId, ts}]}`, ordered by key."""

    @told(
        "Read the registers of a replica",
        tag=shapes.REPLICA_TAG,
        answers={200: "RegisterState"},
    )
    def get(self, request: Request, replica: str) -> HttpResponse:
        name = _replica(replica)
        with within(self.caller.tenant_id):
            held = replicas.state(name)
        return JsonResponse(
            {
                "state": [
                    {
                        "key": each.key,
                        "value": each.value,
                        "opId": str(each.id),
                        "agentId": each.agent,
                        "ts": each.at.isoformat(),
                    }
                    for each in held
                ]
            }
        )


def _as_json(made: Operation) -> dict[str, Any]:
    return {
        "opId": str(made.id),
        "replicaId": made.replica,
        "key": made.key,
        "value": made.value,
        "agentId": made.agent,
        "evidenceId": made.evidence or None,
        "vectorClock": made.clock,
        "ts": made.at.isoformat(),
    }


def _replica(given: str) -> str:
    return fields.named({"replica": given}, "replica")


def _peers(body: fields.Body) -> list[str]:
    """One of `from` and `peers`."""
    if ("from" in body) == ("peers" in body):
        raise Refused("expected one of `from` and `peers`", field="from")
    if "from" in body:
        return [fields.named(body, "from")]
    peers = body["peers"]
    if not isinstance(peers, list) or len(peers) > PEERS_LIMIT:
        raise Refused(f"expected a list of at most {PEERS_LIMIT} replicas", field="peers")
    return [fields.named({"peers": peer}, "peers") for peer in peers]


def _value(body: fields.Body) -> Any:
    """Any JSON, its texts cleaned as at every door (D15); null has to be said, not left out."""
    if "value" not in body:
        raise Refused("expected a JSON value", field="value")
    value = _cleaned(body["value"], DEPTH_LIMIT)
    size = len(json.dumps(value, ensure_ascii=False).encode())
    if size > VALUE_LIMIT:
        raise Refused(
            f"{size} bytes of JSON, at most {VALUE_LIMIT} are taken", field="value", status=413
        )
    return value


def _cleaned(value: Any, depth: int) -> Any:
    if depth < 0:
        raise Refused(f"nested deeper than {DEPTH_LIMIT} levels", field="value")
    match value:
        case str():
            return clean(value).text
        case float() if not math.isfinite(value):
            raise Refused("a number is too large", field="value")
        case list():
            return [_cleaned(each, depth - 1) for each in value]
        case dict():
            return {clean(key).text: _cleaned(each, depth - 1) for key, each in value.items()}
    return value
