"""The WSGI application that granian serves."""

from __future__ import annotations

import os

from django.conf import settings
from django.core.wsgi import get_wsgi_application

from memory_appliance.admission import Admission
from memory_appliance.chunked import MeasuredBody

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "memory_appliance.settings")
application = Admission(MeasuredBody(get_wsgi_application()), at_once=settings.MEMORY_WEB_THREADS)
