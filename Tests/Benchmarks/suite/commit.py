"""A commit: a transaction like that which accepts a single job, on the disk of the ledger, and nothing else."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from .processes import now

# The pragmas are those of Sources/Ledger/File/LedgerFile.swift, the table and its indexes those that a new job touches.
SETUP = """
PRAGMA journal_mode = WAL;
PRAGMA synchronous = FULL;
PRAGMA cache_size = -16384;
PRAGMA temp_store = MEMORY;
CREATE TABLE job (
  number INTEGER PRIMARY KEY, id BLOB NOT NULL UNIQUE, kind TEXT NOT NULL, department TEXT NOT NULL,
  state INTEGER NOT NULL, reply TEXT NOT NULL, payload BLOB NOT NULL
) STRICT;
CREATE INDEX job_state ON job (state, department, kind);
"""
INSERT = "INSERT INTO job (id, kind, department, state, reply, payload) VALUES (?, 'noop', 'work', 1, ?, ?)"
REPLY = "r" * 130  # bytes, with what else stands in a job's row
PAYLOAD = bytes(200)
WARM_UP = 20


def alone(folder: Path, count: int) -> list[int]:
    """How long each took, in ns, the shortest first."""
    with ledger(folder / "commit.ledger") as database:
        return sorted([commit(database) for _ in range(WARM_UP + count)][WARM_UP:])


def commit(database: sqlite3.Connection) -> int:
    """One row more."""
    began = now()
    database.execute("BEGIN IMMEDIATE")
    database.execute(INSERT, (os.urandom(16), REPLY, PAYLOAD))
    database.execute("COMMIT")
    return now() - began


@contextmanager
def ledger(path: Path) -> Iterator[sqlite3.Connection]:
    """A new file, which goes when it is closed, and its log with it."""
    with closing(sqlite3.connect(path, isolation_level=None)) as database:
        database.executescript(SETUP)
        yield database
    path.unlink()
