"""Times of a real release for the queries of the benchmark: argument 1 is the store, argument 2 a
folder with `queries.json`, where the copy is made. Prints one JSON object: milliseconds by name."""

import json
import shutil
import statistics
import sys
import time
from pathlib import Path

import hermes_state


def main():
    big, folder = Path(sys.argv[1]), Path(sys.argv[2])
    queries = json.loads((folder / "queries.json").read_text(encoding="utf-8"))
    copy = folder / "reference.db"
    names = [Path(f"{copy}{suffix}") for suffix in ("", "-wal", "-shm")]
    for name in names:
        name.unlink(missing_ok=True)
    shutil.copyfile(big, copy)
    db = hermes_state.SessionDB(copy)
    figures = {}
    for name, query in queries.items():
        times = []
        for _ in range(7):
            began = time.perf_counter()
            db.search_messages(query, limit=20)
            times.append((time.perf_counter() - began) * 1e3)
        figures[name] = statistics.median(times)
    db.close()
    for name in names:
        name.unlink(missing_ok=True)
    print(json.dumps(figures))


main()
