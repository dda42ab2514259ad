"""Times the command detector of a real Hermes Agent release over a corpus.

    python bench_approval.py CORPUS

CORPUS has JSON lines with "command". Prints JSON: microseconds, percentiles over the commands of the
median of some runs each. "p50_us" and "p99_us" are detect_dangerous_command alone, "both_p50_us" is
detect_hardline_command and detect_dangerous_command, as they run one after the other.
"""

import json
import logging
import os
import statistics
import sys
import tempfile
import time

RUNS = 5
# A few long rows take it seconds each; they are beyond any percentile that is asked for.
LONGEST = 20_000


def main():
    logging.disable(logging.CRITICAL)
    real_stdout, sys.stdout = sys.stdout, sys.stderr
    with open(sys.argv[1], encoding="utf-8") as corpus:
        commands = [json.loads(line)["command"] for line in corpus if line.strip()]
    with tempfile.TemporaryDirectory() as home:
        # Before the import: it must never look into the user's own home.
        os.environ["HERMES_HOME"] = home
        from tools.approval import detect_dangerous_command, detect_hardline_command

        def both(command):
            detect_hardline_command(command)
            detect_dangerous_command(command)

        for command in commands[:50]:
            both(command)
        alone = [median(detect_dangerous_command, command) for command in commands]
        together = [median(both, command) for command in commands]
    answer = {
        "p50_us": percentile(alone, 50),
        "p99_us": percentile(alone, 99),
        "both_p50_us": percentile(together, 50),
        "commands": len(commands),
    }
    json.dump(answer, real_stdout)


def median(work, command):
    times = []
    for _ in range(RUNS if len(command) <= LONGEST else 1):
        start = time.perf_counter_ns()
        work(command)
        times.append(time.perf_counter_ns() - start)
    return statistics.median(times) / 1e3


def percentile(numbers, percent):
    """Nearest rank."""
    ordered = sorted(numbers)
    return ordered[max(1, -(-len(ordered) * percent // 100)) - 1]


main()
