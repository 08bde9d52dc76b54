"""The tables of an index file, and its meta values.

`embedding_cache` holds the vectors of the passages; `chunks_vec` the chunks' own, made from them, and `vec_seg` the
bits of these, by which large indexes choose candidates; `chunk_tokens` what the tokens of a query are compared with.
`chunks.text` is the text as written; `chunks_fts` holds its terms (documents/terms.py).
"""

from __future__ import annotations

import secrets

from search.documents.terms import TERMS_VERSION
from search.index.driver import Connection, capabilities

SCHEMA_VERSION = 7
SEGMENT = 1024
"""Chunk ids per segment of `vec_seg`: seg = id >> 10, slot = id & 1023."""

WORDS_ONLY = "front matter"
"""In `chunks.refused`: no model is asked for a vector of it."""

_TABLES = """
CREATE TABLE meta(key TEXT PRIMARY KEY, value) WITHOUT ROWID;
CREATE TABLE collections(id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, source TEXT NOT NULL,
  origin TEXT NOT NULL DEFAULT '');   -- of lines without a record, as of the last whole update
CREATE TABLE files(
  id INTEGER PRIMARY KEY,
  collection INTEGER NOT NULL REFERENCES collections(id),
  path TEXT NOT NULL,                 -- as users see it, unique in the whole index
  rel TEXT NOT NULL,                  -- relative to the collection's root
  source TEXT NOT NULL,
  mtime_ns INTEGER NOT NULL, size INTEGER NOT NULL, inode INTEGER NOT NULL,
  hash BLOB NOT NULL,                 -- SHA-256 of the bytes
  title TEXT NOT NULL DEFAULT '',
  day TEXT,                           -- YYYY-MM-DD when the path is dated
  evergreen INTEGER NOT NULL DEFAULT 0,
  note TEXT NOT NULL DEFAULT '',      -- a problem that did not stop indexing
  indexed_at REAL NOT NULL,
  session TEXT NOT NULL DEFAULT '',   -- of a transcript: the session key that its front matter names
  UNIQUE(collection, rel), UNIQUE(path));
CREATE INDEX files_hash ON files(hash);
CREATE INDEX files_day ON files(day) WHERE day IS NOT NULL;
CREATE TABLE models(
  id INTEGER PRIMARY KEY, fingerprint TEXT NOT NULL UNIQUE, provider TEXT NOT NULL, model TEXT NOT NULL,
  dims INTEGER NOT NULL);
CREATE TABLE embedding_cache(
  id INTEGER PRIMARY KEY, model INTEGER NOT NULL REFERENCES models(id), hash BLOB NOT NULL,
  parts BLOB NOT NULL,                -- a chunk's passages, one row each: int8 with a float32 scale (vectors.py)
  used REAL NOT NULL, UNIQUE(model, hash));
CREATE TABLE chunk_tokens(             -- for late interaction; of models that give no such vectors there are none
  emb_id INTEGER PRIMARY KEY REFERENCES embedding_cache(id) ON DELETE CASCADE,
  version INTEGER NOT NULL,           -- of the constants the bits were made with (runtime/tokens)
  bits BLOB NOT NULL);                -- sign bits of the chunk's tokens, one row each; empty: the model gave none
CREATE TABLE chunks(
  id INTEGER PRIMARY KEY,
  file_id INTEGER NOT NULL REFERENCES files(id) ON DELETE CASCADE,
  ord INTEGER NOT NULL, start_line INTEGER NOT NULL, end_line INTEGER NOT NULL,
  hash BLOB NOT NULL,                 -- SHA-256 of what is embedded
  importance INTEGER, projects TEXT NOT NULL DEFAULT '', triggers TEXT NOT NULL DEFAULT '',
  origin TEXT NOT NULL DEFAULT 'untrusted',  -- the least trusted of its lines: owner, agent, untrusted, system
  refused TEXT NOT NULL DEFAULT '',   -- why the model will not embed this text; empty = it may
  emb_id INTEGER REFERENCES embedding_cache(id),
  heading TEXT NOT NULL DEFAULT '', text TEXT NOT NULL);
CREATE INDEX chunks_file ON chunks(file_id, ord);
CREATE INDEX chunks_pending ON chunks(hash, refused) WHERE emb_id IS NULL;
CREATE INDEX chunks_emb ON chunks(emb_id) WHERE emb_id IS NOT NULL;
CREATE TABLE chunks_vec(              -- searched with sqlite-vec's functions
  chunk_id INTEGER PRIMARY KEY, collection INTEGER NOT NULL,
  embedding BLOB NOT NULL);           -- direction of the mean of its passages' vectors, int8
CREATE TABLE vec_seg(seg INTEGER PRIMARY KEY, ver INTEGER NOT NULL, coll BLOB NOT NULL, bits BLOB);
CREATE INDEX vec_seg_ver ON vec_seg(ver);
CREATE TABLE problems(collection TEXT NOT NULL, path TEXT NOT NULL, problem TEXT NOT NULL,
  PRIMARY KEY(collection, path)) WITHOUT ROWID;
"""

# The title and the path weigh more than the body; `tags` only filters (collection), its weight is 0. `forms` holds the
# words that folding changed as they were written: what `schon` and `schön` share finds them, this tells them apart.
# Terms come folded and separated by spaces; this tokenizer takes everything beyond ASCII for letters.
_WORDS = (
    "CREATE VIRTUAL TABLE chunks_fts USING fts5(title, path, body, tags, forms, content='', contentless_delete=1,"
    " tokenize=\"ascii tokenchars '+#'\")",
    "INSERT INTO chunks_fts(chunks_fts, rank) VALUES('rank', 'bm25(2.0, 2.0, 1.0, 0.0, 0.5)')",
    "INSERT INTO chunks_fts(chunks_fts, rank) VALUES('hashsize', 16777216)",
    "CREATE VIRTUAL TABLE chunks_terms USING fts5vocab('chunks_fts', 'row')",
)


def create_schema(connection: Connection) -> None:
    """Make all tables in an empty file. Call inside a transaction."""
    connection.execute(_TABLES)
    if capabilities().fts5:
        create_words(connection)
    set_meta(connection, "schema_version", SCHEMA_VERSION)
    set_meta(connection, "terms_version", TERMS_VERSION)
    set_meta(connection, "generation", 0)
    set_meta(connection, "complete", 0)
    # Names this very file: what a process remembers of an index dies with it, whatever its generation is.
    set_meta(connection, "index_id", secrets.token_hex(8))


def create_words(connection: Connection) -> None:
    """The keyword tables, also made again when they were lost."""
    for statement in _WORDS:
        connection.execute(statement)


def has_table(connection: Connection, name: str) -> bool:
    return connection.execute("SELECT 1 FROM sqlite_schema WHERE name = ?", (name,)).get is not None


def get_meta(connection: Connection, key: str) -> str | int | float | bytes | None:
    value = connection.execute("SELECT value FROM meta WHERE key = ?", (key,)).get
    return value if isinstance(value, str | int | float | bytes) else None


def set_meta(connection: Connection, key: str, value: str | int | float | bytes | None) -> None:
    connection.execute(
        "INSERT INTO meta(key, value) VALUES(?1, ?2) ON CONFLICT(key) DO UPDATE SET value = ?2", (key, value)
    )


def generation(connection: Connection) -> int:
    """Goes up with every transaction that changed what a search can see."""
    value = get_meta(connection, "generation")
    return value if isinstance(value, int) else 0


def next_generation(connection: Connection) -> int:
    value = generation(connection) + 1
    set_meta(connection, "generation", value)
    return value
