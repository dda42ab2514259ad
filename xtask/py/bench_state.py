"""Times of a real release on the store of the benchmark: argument 1 is the store, argument 2 a
folder for copies. Prints one JSON object."""

import json
import resource
import shutil
import statistics
import sys
import time
from pathlib import Path

import hermes_state


def median_ms(body, runs):
    times = []
    for _ in range(runs):
        began = time.perf_counter()
        body()
        times.append((time.perf_counter() - began) * 1e3)
    return statistics.median(times)


def main():
    big, folder = Path(sys.argv[1]), Path(sys.argv[2])
    copy = folder / "reference.db"
    for suffix in ("", "-wal", "-shm"):
        Path(f"{copy}{suffix}").unlink(missing_ok=True)
    shutil.copyfile(big, copy)
    db = hermes_state.SessionDB(copy)
    figures = {
        "get_messages_ms": median_ms(lambda: db.get_messages("bench_long"), 7),
        "list_ms": median_ms(lambda: db.list_sessions_rich(limit=20), 15),
        "list_active_ms": median_ms(
            lambda: db.list_sessions_rich(limit=20, order_by_last_active=True), 7
        ),
        "search_sessions_ms": median_ms(lambda: db.search_sessions(limit=20), 7),
    }
    began = time.perf_counter()
    with open(folder / "reference.jsonl", "w", encoding="utf-8") as out:
        for session in db.export_all():
            out.write(json.dumps(session, ensure_ascii=False) + "\n")
    figures["export_s"] = time.perf_counter() - began
    figures["export_mib"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    (folder / "reference.jsonl").unlink()
    db.close()
    for suffix in ("", "-wal", "-shm"):
        Path(f"{copy}{suffix}").unlink(missing_ok=True)
    print(json.dumps(figures))


main()
