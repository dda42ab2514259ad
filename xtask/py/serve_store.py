"""Serves the session store of a real Hermes Agent release, as `hermesctl rpc` serves ours.

    python serve_store.py

Run with the Python of the release's environment. Requests are JSON-RPC 2.0, one a line; a method is
one of SessionDB, its arguments come by name. Besides there are:

    open {path, read_only}    open another store, made and migrated as the release does it
    close                     close it
    clock {now, step}         stop the clock, and move it on by step each time that it is read
    dump {path}               all rows of a store but those of the index, as SQLite has them
    damage {path}             what SQLite finds wrong in a file and in its index

Bytes are {"$bytes": base64} both ways, floats that are no numbers {"$float": text}. Where the release
raises, the error has the exception's name in data.exception.
"""

import base64
import json
import logging
import math
import os
import sqlite3
import sys
import tempfile
import time
from pathlib import Path


class Clock:
    """Takes the place of the module time in the release."""

    def __init__(self):
        self.now = None
        self.step = 0.0

    def time(self):
        if self.now is None:
            return time.time()
        told = self.now
        self.now += self.step
        return told

    def __getattr__(self, name):
        return getattr(time, name)


class Server:
    def __init__(self, hermes_state):
        self.hermes_state = hermes_state
        self.store = None
        self.clock = hermes_state.time = Clock()

    def open(self, path, read_only=False):
        self.close()
        options = {"read_only": True} if read_only else {}
        self.store = self.hermes_state.SessionDB(Path(path), **options)
        return path

    def close(self):
        if self.store is not None:
            self.store.close()
            self.store = None

    def set_clock(self, now=None, step=0.0):
        self.clock.now = None if now is None else float(now)
        self.clock.step = float(step)

    def answer(self, method, params):
        own = {
            "open": self.open,
            "close": self.close,
            "clock": self.set_clock,
            "dump": dump,
            "damage": damage,
        }
        if method in own:
            return own[method](**params)
        if "sessions_dir" in params:
            params["sessions_dir"] = Path(params["sessions_dir"])
        return getattr(self.store, method)(**params)


def dump(path):
    connection = sqlite3.connect(f"{Path(path).as_uri()}?mode=ro", uri=True)
    connection.row_factory = sqlite3.Row
    tables = connection.execute(
        "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"
        " AND name NOT LIKE 'messages_fts%' ORDER BY name"
    )
    rows = {
        table["name"]: [
            dict(row)
            for row in connection.execute(f'SELECT * FROM "{table["name"]}" ORDER BY rowid')
        ]
        for table in tables.fetchall()
    }
    connection.close()
    return rows


def damage(path):
    """Runs on a copy: the checks of the index are statements that write."""
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "copy.db"
        source = sqlite3.connect(f"{Path(path).as_uri()}?mode=ro", uri=True)
        connection = sqlite3.connect(copy, isolation_level=None)
        source.backup(connection)
        source.close()
        found = [row[0] for row in connection.execute("PRAGMA integrity_check")]
        found = [line for line in found if line != "ok"]
        found += [str(row) for row in connection.execute("PRAGMA foreign_key_check")]
        for table in ("messages_fts", "messages_fts_trigram"):
            try:
                connection.execute(f"INSERT INTO {table}({table}) VALUES ('integrity-check')")
            except sqlite3.DatabaseError as error:
                found.append(f"{table}: {error}")
            for what, one, other in (
                ("without an index row", "messages", table),
                ("without a message", table, "messages"),
            ):
                key = {"messages": "id", table: "rowid"}
                count = connection.execute(
                    f"SELECT COUNT(*) FROM {one} WHERE {key[one]} NOT IN"
                    f" (SELECT {key[other]} FROM {other})"
                ).fetchone()[0]
                if count:
                    found.append(f"{table}: {count} {what}")
        connection.close()
    return found


def encoded(value):
    if isinstance(value, float) and not math.isfinite(value):
        return {"$float": str(value)}
    if isinstance(value, (bytes, bytearray, memoryview)):
        return {"$bytes": base64.b64encode(bytes(value)).decode()}
    if isinstance(value, dict):
        return {str(key): encoded(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [encoded(item) for item in value]
    if isinstance(value, (set, frozenset)):
        return sorted(encoded(item) for item in value)
    if isinstance(value, Path):
        return str(value)
    return value


def decoded(value):
    if isinstance(value, dict):
        if set(value) == {"$bytes"}:
            return base64.b64decode(value["$bytes"])
        if set(value) == {"$float"}:
            return float(value["$float"])
        return {key: decoded(item) for key, item in value.items()}
    if isinstance(value, list):
        return [decoded(item) for item in value]
    return value


def main():
    answers = os.fdopen(os.dup(1), "w", encoding="ascii", newline="\n")
    # Whatever the release prints is no answer.
    os.dup2(2, 1)
    logging.disable(logging.CRITICAL)
    with tempfile.TemporaryDirectory() as home:
        # Before the import: it must never look into the user's own home.
        os.environ["HERMES_HOME"] = home
        import hermes_state

        server = Server(hermes_state)
        for line in sys.stdin.buffer:
            request = json.loads(line)
            answer = {"jsonrpc": "2.0", "id": request.get("id")}
            try:
                result = server.answer(request["method"], decoded(request.get("params", {})))
                answer["result"] = encoded(result)
            except Exception as error:
                data = {"exception": type(error).__name__}
                answer["error"] = {"code": -32000, "message": str(error), "data": data}
            answers.write(json.dumps(answer, allow_nan=False) + "\n")
            answers.flush()
        server.close()


main()
