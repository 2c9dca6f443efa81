"""The retry button of a row that a stage gave up on."""

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpResponse, HttpResponseRedirect
from django.shortcuts import resolve_url
from django.views.decorators.http import require_POST

from memory import stages
from memory.interfaces.admin.health import PARKABLE
from memory.interfaces.tasks import wake
from tenants.audit import record
from tenants.request import MemberRequest

STAGE = {"conversation": "observe", "observation": "reconcile", "unembedded": "embed"}


@require_POST
def retry(request: MemberRequest, kind: str, pk: int) -> HttpResponse:
    """Unpark a row of the tenant and wake its stage. Editors and above; unknown ids are 404."""
    model = PARKABLE.get(kind)
    if model is None:
        raise Http404("no such kind of row")
    if not request.caller.can_edit:
        raise PermissionDenied("only editors and admins retry")
    row = model._default_manager.filter(pk=pk, parked_at__isnull=False).first()
    if row is None:
        raise Http404("no such parked row")
    stages.retry(row)
    record(f"{kind}.retried", by=request.caller.actor, subject=kind, subject_id=pk)
    wake(STAGE[kind], request.caller.tenant_id)
    messages.success(request, f"{kind} {pk} is tried again.")
    return HttpResponseRedirect(resolve_url("admin:index"))
