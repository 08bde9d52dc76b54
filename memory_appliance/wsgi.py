"""The WSGI application that granian serves."""

from __future__ import annotations

import os
from functools import partial
from typing import TYPE_CHECKING

from django.conf import settings
from django.core.wsgi import get_wsgi_application

from memory_appliance.admission.bodies import ReceivedBodies
from memory_appliance.admission.requests import Admission
from memory_appliance.base_path import BasePath

if TYPE_CHECKING:
    from _typeshed.wsgi import WSGIApplication


def _counted_application() -> WSGIApplication:
    django_application = get_wsgi_application()
    from memory_appliance.metrics.counting import start_counting  # late: it needs Django's applications
    from memory_appliance.metrics.instruments import instruments
    from memory_appliance.use_counting import start_counting_uses
    from workers.app import app

    app.conf.broker_transport_options |= {"socket_timeout": 1}  # a request has less patience than a worker
    start_counting("web")
    start_counting_uses()
    received = partial(ReceivedBodies, limit=settings.DATA_UPLOAD_MAX_MEMORY_SIZE, refused=instruments.refused)
    return received(Admission(django_application, at_once=settings.MEMORY_WEB_THREADS, refused=instruments.refused))


def _application() -> WSGIApplication:
    counted = _counted_application()
    return BasePath(counted, settings.FORCE_SCRIPT_NAME) if settings.FORCE_SCRIPT_NAME else counted


os.environ.setdefault("DJANGO_SETTINGS_MODULE", "memory_appliance.settings")
application = _application()
