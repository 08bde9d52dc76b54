"""A change of the tables is a change of their version: else an old index would be taken for a present one."""

from __future__ import annotations

import hashlib

from search.index import schema


def test_other_tables_have_another_version() -> None:
    tables = schema._TABLES + "".join(schema._WORDS)
    digest = hashlib.sha256(tables.encode()).hexdigest()[:16]
    assert (schema.SCHEMA_VERSION, digest) == (7, "fdf54b5c43d4c03d"), "raise SCHEMA_VERSION, and put both here"
