"""Addresses of the broker: as Celery, redis-py and `limits` want them; what cannot be one is refused in words."""

from __future__ import annotations

import pytest

from workers.broker_address import broker_client, celery_address, transport_options


@pytest.mark.parametrize(
    "url", ["amqp://u:hush@h", "h:6379", "redis://", "redis://:hu/sh@h/0", "sentinel://:hush@h1,h2", "sentinel:///name"]
)
def test_what_is_no_address_is_refused_without_its_password(url: str) -> None:
    with pytest.raises(ValueError, match="//host") as error:
        celery_address(url)
    assert "hush" not in str(error.value) and "sh@" not in str(error.value)


@pytest.mark.parametrize(
    "url", ["redis://:pw@h:6380/1", "rediss://h/0?ssl_ca_certs=/etc/ca.pem", "redis+socket:///run/v.sock"]
)
def test_a_plain_address_goes_as_it_is(url: str) -> None:
    assert celery_address(url) == url and transport_options(url) == {}


def test_sentinels_are_named_once_and_known_to_all() -> None:
    url = celery_address("sentinel://:p%40w@h1:26380,h2/group")
    assert url == "sentinel://:p%40w@h1:26380/0#group;sentinel://:p%40w@h2:26379/0"
    assert transport_options(url) == {"master_name": "group"}
    assert broker_client(url, timeout=1, connect=1).connection_pool.service_name == "group"
