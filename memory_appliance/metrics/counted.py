"""Counted: the counters and histograms of all processes, as one collector."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from prometheus_client.core import Metric
from prometheus_client.registry import Collector

from memory_appliance.metrics.counting import current_totals
from memory_appliance.metrics.instruments import instruments

_SUFFIXES = ("_total", "_bucket", "_sum", "_count")


class Counted(Collector):
    def collect(self) -> Iterator[Metric]:
        by_name = defaultdict[str, list[tuple[dict[str, str], float]]](list)
        for (name, labels), value in current_totals().items():
            by_name[name].append((dict(labels), value))
        for family in instruments.registry.collect():
            whole = Metric(family.name, family.documentation, family.type)
            for suffix in _SUFFIXES:
                for named, value in by_name[family.name + suffix]:
                    whole.add_sample(family.name + suffix, named, value)
            yield whole
