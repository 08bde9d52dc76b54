"""The WSGI application that granian serves."""

from __future__ import annotations

import os

from django.conf import settings
from django.core.wsgi import get_wsgi_application

from memory_appliance.admission import Admission
from memory_appliance.chunked import MeasuredBody


def _counted_application() -> Admission:
    django_application = get_wsgi_application()
    from memory_appliance.metrics.counting import start_counting  # late: it needs Django's applications

    start_counting("web")
    return Admission(MeasuredBody(django_application), at_once=settings.MEMORY_WEB_THREADS)


os.environ.setdefault("DJANGO_SETTINGS_MODULE", "memory_appliance.settings")
application = _counted_application()
