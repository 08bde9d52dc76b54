"""Every address of the server."""

from __future__ import annotations

from django.contrib import admin
from django.contrib.auth.decorators import login_required
from django.urls import path
from django.views.generic import RedirectView

from memory_appliance import health
from memory_appliance.api.api import api
from memory_appliance.mcp.door import mcp
from memory_appliance.metrics.page import metrics
from memory_appliance.web.docs import api_docs
from memory_appliance.web.sign_in import SignIn
from memory_appliance.web.urls import pages

urlpatterns = [
    *pages,
    # Before the admin's own: it has no limits, and takes a person who is no owner for one who is not signed in.
    path("admin/login/", SignIn.as_view()),
    path("admin/password_change/", login_required(RedirectView.as_view(pattern_name="password"))),
    path("admin/", admin.site.urls),
    path("api/docs", api_docs, name="api-docs"),
    path("api/v1/", api.urls),
    path("health/live", health.live, name="health-live"),
    path("health/ready", health.ready, name="health-ready"),
    path("mcp", mcp, name="mcp"),
    path("mcp/", mcp),
    path("metrics", metrics, name="metrics"),
]

handler400 = "memory_appliance.web.failures.bad_request"
handler403 = "memory_appliance.web.failures.permission_denied"
handler404 = "memory_appliance.web.failures.not_found"
handler500 = "memory_appliance.web.failures.server_error"
