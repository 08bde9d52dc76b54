"""The first page of an agent: is it well, and if not, what to do."""

from __future__ import annotations

from django.db.models import Q
from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from memory_appliance.web.access import Access, agent_page
from memory_appliance.web.activity import activity_of, range_of
from memory_appliance.web.agent.health import health_of
from memory_appliance.web.page import answer


@agent_page("view")
@require_safe
def agent_health(request: HttpRequest, access: Access) -> HttpResponse:
    activity = activity_of(Q(agent=access.agent), range_of(request.GET.get("range", "")))
    return answer(request, "agent/health.html", {"access": access, "page": health_of(access), "activity": activity})
