"""The WSGI application that granian serves."""

from __future__ import annotations

import os

from django.core.wsgi import get_wsgi_application

from memory_appliance.chunked import MeasuredBody

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "memory_appliance.settings")
application = MeasuredBody(get_wsgi_application())
