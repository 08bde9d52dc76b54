"""A model worker: `celery -A memory_appliance.model_worker worker`, on this machine or on another one.

It serves the queues of the model jobs and needs two things: the broker's address and a running models process, found
by the data folder. It touches no index, no workspace and no control database, and loads none of Django's apps.
"""

from __future__ import annotations

import logging
import os
import socket
import threading
from collections.abc import Callable
from functools import partial
from typing import Any

from celery import Celery
from celery.signals import heartbeat_sent, worker_ready, worker_shutting_down

from memory_appliance import settings
from workers.alive import say_alive
from workers.celery_logs import log_as
from workers.client import ModelsClient
from workers.local_clients import LocalGenerator, LocalReranker
from workers.model_worker import Models, ModelWorker
from workers.replies import BrokerAway, Replies
from workers.tasks.model_jobs import serve_with

logger = logging.getLogger(__name__)

SAY_ALIVE_SECONDS = 5.0


def make_app(models: Callable[[], Models]) -> Celery:
    """`models` is called when the worker has started, so that a command that only sends opens nothing."""
    app = Celery("model_worker", fixups=[], include=["workers.tasks.model_jobs"], set_as_current=False)
    app.conf.update(_celery_settings())
    # A job that was taken up but not begun would be invisible to whoever asks how many wait.
    app.conf.worker_disable_prefetch = True
    # What somebody waits for goes first: queues are looked at in the order of the command line.
    app.conf.broker_transport_options = {**settings.CELERY_BROKER_TRANSPORT_OPTIONS, "queue_order_strategy": "priority"}
    stopping = threading.Event()

    @worker_ready.connect(weak=False)
    def start(sender: Any, **_: Any) -> None:
        replies = Replies(settings.CELERY_BROKER_URL)
        worker = ModelWorker(models(), replies)
        serve_with(worker)
        queues = frozenset(app.amqp.queues.consume_from)
        arguments = (worker, replies, queues, stopping)
        threading.Thread(target=_say_alive, args=arguments, name="alive", daemon=True).start()

    @heartbeat_sent.connect(weak=False)
    def alive(sender: Any, **_: Any) -> None:
        # Sent by the loop that takes jobs. Named like the worker itself, of which a machine may have several.
        say_alive(settings.MEMORY_LOCAL_DIR / "run", sender.eventer.hostname.partition("@")[0])

    @worker_shutting_down.connect(weak=False)
    def stop(**_: Any) -> None:
        stopping.set()

    return app


def _celery_settings() -> dict[str, Any]:
    # As a mapping, because of a module's names Celery says at every start that they are old.
    return {
        name.removeprefix("CELERY_").lower(): value
        for name, value in vars(settings).items()
        if name.startswith("CELERY_")
    }


def _say_alive(worker: ModelWorker, replies: Replies, queues: frozenset[str], stopping: threading.Event) -> None:
    name = f"{socket.gethostname()}:{os.getpid()}"
    while True:
        try:
            replies.say_alive(name, {queue: what for queue, what in worker.offers().items() if queue in queues})
        except BrokerAway as error:
            logger.warning("the broker does not answer: %s", error)
        if stopping.wait(SAY_ALIVE_SECONDS):
            return


def _models_of_this_machine() -> Models:
    client = ModelsClient(settings.MEMORY_SOCKET_DIR / "models.sock")
    return Models(client, partial(LocalReranker, client), partial(LocalGenerator, client))


log_as(settings.LOGGING)
app = make_app(_models_of_this_machine)
