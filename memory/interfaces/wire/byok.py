"""`/v1/org/byok`: shared memory under a key that the customer brings (D35).

The key is read here and wrapped; it is in no answer, no log and no audit entry.
"""

import base64
import binascii
from typing import Any

from django.http import HttpResponse, JsonResponse
from django.views.decorators.debug import sensitive_variables
from rest_framework.request import Request

from memory import sealing
from memory.interfaces.tasks import wake
from memory.interfaces.wire import shapes_byok as shapes
from memory.interfaces.wire.base import WireView
from memory.interfaces.wire.shapes_setting import told
from memory.lifecycle import customer_key
from memory.models import TenantKey
from tenants.answers import Refused
from tenants.context import within

FIELD = "customerKey"
EXPECTED = f"expected the base64 of {sealing.KEY_BYTES} bytes"


class CustomerKey(WireView):
    manages = True

    @told("Read whether a customer's key is in use", tag=shapes.TAG, answers={200: "CustomerKey"})
    def get(self, request: Request) -> HttpResponse:
        with within(self.caller.tenant_id):
            return JsonResponse(_state())

    @told(
        "Keep shared memory under this key from now on; what is there already follows",
        tag=shapes.TAG,
        takes="NewCustomerKey",
        answers={200: "CustomerKeySet"},
        refuses=(503,),
        notes="Another key while one is in use is a rotation: the data key is wrapped anew, and "
        "nothing is unreadable meanwhile. The key is never answered.",
    )
    @sensitive_variables()
    def post(self, request: Request) -> HttpResponse:
        given = _key(self.body().get(FIELD))
        with within(self.caller.tenant_id):
            outcome = customer_key.put(given, tenant_id=self.caller.tenant_id, by=self.caller.actor)
            wake("encrypt", self.caller.tenant_id)
            return JsonResponse({"ok": True, "outcome": outcome, **_state()})

    @told(
        "Forget the customer's key: what it sealed is shut for good",
        tag=shapes.TAG,
        answers={204: None},
        notes="Sealed memories then answer `content: null, encrypted: true` and are not found. "
        "What was not sealed yet (`waiting`) stays as it is.",
    )
    def delete(self, request: Request) -> HttpResponse:
        with within(self.caller.tenant_id):
            customer_key.remove(by=self.caller.actor)
        return HttpResponse(status=204)


def _state() -> dict[str, Any]:
    row = TenantKey.objects.filter(removed_at=None).first()
    return {
        "active": row is not None,
        "created_at": row.created_at.isoformat() if row is not None else None,
        "waiting": customer_key.waiting() if row is not None else 0,
    }


@sensitive_variables()
def _key(given: Any) -> bytes:
    if not isinstance(given, str) or len(given) > 2 * sealing.KEY_BYTES:
        raise Refused(EXPECTED, field=FIELD)
    try:
        found = base64.b64decode(given, validate=True)
    except (ValueError, binascii.Error):
        raise Refused(EXPECTED, field=FIELD) from None
    if len(found) != sealing.KEY_BYTES:
        raise Refused(EXPECTED, field=FIELD)
    return found
