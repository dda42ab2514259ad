"""Asks a real Hermes Agent release about a store; run with the Python of its environment.

    python store.py DB < request.json > answer.json

The request is {"queries": [text, ...], "limit": number}. The answer has, for each query, the rows
of SessionDB.search_messages, and the rows of SessionDB.list_sessions_rich and of
SessionDB.export_all, these by their ids. Opening migrates the store, so DB must be a copy.
"""

import base64
import json
import logging
import os
import sys
import tempfile
from pathlib import Path


def main():
    request = json.load(sys.stdin)
    logging.disable(logging.CRITICAL)
    with tempfile.TemporaryDirectory() as home:
        # Before the import: it must never look into the user's own home.
        os.environ["HERMES_HOME"] = home
        import hermes_state

        store = hermes_state.SessionDB(Path(sys.argv[1]))
        limit = request["limit"]
        answer = {
            "schema_version": hermes_state.SCHEMA_VERSION,
            "search": [
                store.search_messages(query=query, limit=limit)
                for query in request["queries"]
            ],
            "list": store.list_sessions_rich(limit=limit),
            "export": sorted(store.export_all(), key=lambda session: session["id"]),
        }
        store.close()
    json.dump(answer, sys.stdout, default=encoded)


def encoded(value):
    """Bytes, the one thing in a row that JSON has no form for, as hermesctl writes them."""
    return {"$bytes": base64.b64encode(value).decode()}


main()
