"""Times a real Hermes Agent release on tools like those of the benchmark `tools` of hermes-tools.

    python bench_tools.py COUNT

Prints JSON: nanoseconds, medians. "definitions_cold" is get_tool_definitions over COUNT tools after
a change of the registry, "definitions_again" the same call once more, "dispatch" one call of a
trivial tool through handle_function_call, "dispatch_coerced" one with ten arguments to coerce.
"""

import json
import logging
import os
import statistics
import sys
import tempfile
import time

RUNS = 201


def main():
    count = int(sys.argv[1])
    logging.disable(logging.CRITICAL)
    real_stdout, sys.stdout = sys.stdout, sys.stderr
    with tempfile.TemporaryDirectory() as home:
        # Before the import: it must never look into the user's own home.
        os.environ["HERMES_HOME"] = home
        import model_tools
        from tools.registry import registry

        for name in list(registry.get_all_tool_names()):
            registry.deregister(name)
        for number in range(count):
            register(registry, number)

        def ask():
            return model_tools.get_tool_definitions(quiet_mode=True)

        def change():
            register(registry, 0)

        assert len(ask()) == count, len(ask())
        plain = {"text": "x"}
        ten = {f"n{number}": str(number) for number in range(10)}
        registry.register(
            name="ten",
            toolset="bench",
            schema={
                "name": "ten",
                "description": "Ten numbers",
                "parameters": {
                    "type": "object",
                    "properties": {name: {"type": "integer"} for name in ten},
                },
            },
            handler=lambda args, **kw: "ok",
        )
        call = model_tools.handle_function_call
        answer = {
            "definitions_cold": median(ask, before=change),
            "definitions_again": median(ask),
            "dispatch": median(lambda: call("tool_1", dict(plain))),
            "dispatch_coerced": median(lambda: call("ten", dict(ten))),
        }
    json.dump(answer, real_stdout)


def register(registry, number):
    name = f"tool_{number}"
    registry.register(
        name=name,
        toolset=f"set_{number % 10}",
        schema={
            "name": name,
            "description": f"Does the thing of number {number}.",
            "parameters": {
                "type": "object",
                "properties": {
                    "text": {"type": "string", "description": "What to do it with"},
                    "count": {"type": "integer", "description": "How often"},
                },
                "required": ["text"],
            },
        },
        handler=lambda args, **kw: "ok",
    )


def median(work, before=lambda: None):
    times = []
    for _ in range(RUNS):
        before()
        start = time.perf_counter_ns()
        work()
        times.append(time.perf_counter_ns() - start)
    return statistics.median(times)


main()
