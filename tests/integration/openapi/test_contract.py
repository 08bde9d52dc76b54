"""Every call of the API, with requests that fit its description and requests that do not: no fault, no other shape."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator

import hypothesis
import pytest
import schemathesis
from django.core import signals
from django.db import close_old_connections
from hypothesis import HealthCheck
from schemathesis.specs.openapi.checks import negative_data_rejection, positive_data_acceptance

from agents.models import Agent
from memory_appliance.wsgi import application
from tests import cast

# What goes out to the network has tests of its own, against servers of ours.
schema = schemathesis.openapi.from_wsgi("/api/v1/openapi.json", application).exclude(
    operation_id=["pull_model", "test_provider"]
)
schema.config.phases.coverage.unexpected_methods = {"TRACE"}
# The run's own key goes with every request, and names that no call knows are left unread in addresses.
schema.config.generation.update(with_security_parameters=False, allow_extra_parameters=False)


@pytest.fixture(autouse=True)
def one_connection(db: None) -> Iterator[None]:
    """The end of a request does not close the connection that holds the test's transaction; refusals are not logged."""
    logging.getLogger("django.request").disabled = True
    for signal in (signals.request_started, signals.request_finished):
        signal.disconnect(close_old_connections)
    yield
    for signal in (signals.request_started, signals.request_finished):
        signal.connect(close_old_connections)
    logging.getLogger("django.request").disabled = False


@schema.parametrize()
@hypothesis.settings(max_examples=5, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
def test_call(case: schemathesis.Case, al: Agent, owner: cast.Person) -> None:
    hypothesis.assume(case.path_parameters.get("key_id") != owner.key.pk)  # the run's own key lives to its end
    # A body may fit the description and still be refused: whether a folder exists is not for a schema to know.
    excluded = [positive_data_acceptance]
    if leaves_types_open(case.body):
        excluded.append(negative_data_rejection)
    case.call_and_validate(headers={"Authorization": f"Bearer {owner.secret}"}, excluded_checks=excluded)


def leaves_types_open(body: object) -> bool:
    """Whether a field holds "" or a number, true or false in quotes.

    These are understood and not described: clients that are made from the description shall know numbers as numbers.
    tests/unit/api/test_left_out.py says which are understood and which are not.
    """
    if not isinstance(body, dict):
        return False
    return any(
        re.fullmatch(r" *([+-]?[0-9]*\.?[0-9]*|true|false) *", value, re.I)
        if isinstance(value, str)
        else leaves_types_open(value)
        for value in body.values()
    )
