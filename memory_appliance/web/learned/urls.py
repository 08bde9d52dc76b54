"""The address of what an agent learned."""

from __future__ import annotations

from django.urls import URLPattern, path

from memory_appliance.web.learned.page import learned_page

pages: list[URLPattern] = [path("agents/<slug:slug>/learned", learned_page, name="learned")]
