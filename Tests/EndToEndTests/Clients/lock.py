"""Keeps a ledger locked, so that nothing can be recorded in it, until its standard input ends. Argument: the file."""

import sqlite3
import sys

ledger = sqlite3.connect(sys.argv[1], timeout=90, isolation_level=None)
ledger.execute("BEGIN IMMEDIATE")
print("locked", flush=True)
sys.stdin.read()
ledger.execute("ROLLBACK")
ledger.close()
