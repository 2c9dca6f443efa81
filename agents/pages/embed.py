"""The launcher for other sites: its script for everybody, and the tab with the lines to copy."""

import hashlib
from functools import cache
from pathlib import Path
from urllib.parse import urlencode

from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse, HttpResponseNotModified
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, render
from django.utils.cache import patch_cache_control
from django.utils.http import parse_etags
from django.views.decorators.http import require_safe

from agents.models import Agent
from agents.pages.look import ACCENT, POSITIONS, THEMES, Look
from tenants.request import MemberRequest
from tenants.views import opens_its_own, without_tenant

SCRIPT = "/embed.js"
FRESH = 3_600  # seconds; then browsers ask whether it changed


@opens_its_own
@without_tenant
@login_not_required
@require_safe
def script(request: HttpRequest) -> HttpResponseBase:
    """`/embed.js`. The same for everybody, so any cache may keep it; no cookie is read or set."""
    source, tag = _source()
    answer: HttpResponseBase
    if tag in parse_etags(request.headers.get("If-None-Match", "")):
        answer = HttpResponseNotModified()
    else:
        answer = HttpResponse(source, content_type="text/javascript; charset=utf-8")
    answer["ETag"] = tag
    patch_cache_control(answer, public=True, max_age=FRESH, stale_while_revalidate=86_400)
    # A page that isolates itself (COEP) takes scripts from elsewhere only with this.
    answer["Cross-Origin-Resource-Policy"] = "cross-origin"
    return answer


@require_safe
def tab(request: MemberRequest, slug: str) -> HttpResponse:
    """What to paste into a page, and how it will look there."""
    agent = get_object_or_404(Agent, slug=slug)
    look = Look.asked(request.GET)
    theme, position = look.theme or "auto", look.position or "bottom-right"
    query = {"theme": theme} | ({"accent": look.accent} if look.accent else {})
    origin = f"{request.scheme}://{request.get_host()}"
    lines = [f'<script src="{origin}{SCRIPT}"', f'  data-agent-id="{agent.uid}"']
    if position != "bottom-right":
        lines.append(f'  data-position="{position}"')
    if theme != "auto":
        lines.append(f'  data-theme="{theme}"')
    if look.accent:
        lines.append(f'  data-accent-color="{look.accent}"')
    context = {
        "section": "agents",
        "tab": "embed",
        "agent": agent,
        "snippet": "\n".join([*lines, "  async></script>"]),
        "origin": origin,
        "script": SCRIPT,
        "frame": f"/widget/{agent.uid}/?{urlencode(query)}",
        "look": {"theme": theme, "position": position, "accent": look.accent},
        "accent": look.accent or ACCENT,
        "themes": THEMES,
        "positions": POSITIONS,
    }
    return render(request, "agents/embed.html", context)


@cache
def _source() -> tuple[bytes, str]:
    source = Path(__file__).with_name("embed.js").read_bytes()
    return source, f'"{hashlib.sha256(source).hexdigest()[:32]}"'
