"""Asks a real Hermes Agent release about its tools; run with the Python of its environment.

    python ask_tools.py < request.json > answer.json

The request is {"seed": number, "selections": number, "coercions": number}. The answer has the
tools of the release ("tools": name, toolset, schema), its toolsets ("toolsets": tools and includes
by name; "core": the tools that its platform presets share), and questions with what it says:
"resolve" ([toolset, names]), "definitions" ([enabled, disabled, the functions by name]) and
"coerce" ([parameters, arguments, result]). Every tool counts as available, and none changes its
schema by what is configured, so that the answers do not depend on the machine.
"""

import copy
import json
import logging
import os
import random
import sys
import tempfile

UNKNOWN = ["no_such_toolset", "WEB", " web ", ""]


def main():
    request = json.load(sys.stdin)
    logging.disable(logging.CRITICAL)
    real_stdout, sys.stdout = sys.stdout, sys.stderr
    with tempfile.TemporaryDirectory() as home:
        # Before the import: it must never look into the user's own home.
        os.environ["HERMES_HOME"] = home
        import model_tools
        import toolsets
        from tools.registry import registry

        # What these say depends on an account.
        registry.deregister("discord")
        registry.deregister("discord_admin")
        entries = [registry.get_entry(name) for name in registry.get_all_tool_names()]
        for entry in entries:
            entry.check_fn = None
            if hasattr(entry, "dynamic_schema_overrides"):
                entry.dynamic_schema_overrides = None
        tools = [
            {"name": entry.name, "toolset": entry.toolset, "schema": copy.deepcopy(entry.schema)}
            for entry in entries
        ]
        chance = random.Random(request["seed"])
        names = sorted(toolsets.get_toolset_names())
        legacy = sorted(model_tools._LEGACY_TOOLSET_MAP)
        answer = {
            "tools": tools,
            "toolsets": {
                name: {key: one[key] for key in ("tools", "includes", "posture") if key in one}
                for name, one in toolsets.TOOLSETS.items()
            },
            "legacy": {name: list(model_tools._LEGACY_TOOLSET_MAP[name]) for name in legacy},
            "core": list(toolsets._HERMES_CORE_TOOLS),
            "resolve": [[name, sorted(toolsets.resolve_toolset(name))] for name in names + UNKNOWN],
            "definitions": [
                definitions(model_tools, enabled, disabled)
                for enabled, disabled in selections(chance, names, legacy, request["selections"])
            ],
            "coerce": [
                coerced(model_tools, registry, *question)
                for question in coercions(chance, request["coercions"])
            ],
        }
    json.dump(answer, real_stdout)


def definitions(model_tools, enabled, disabled):
    found = model_tools.get_tool_definitions(
        enabled_toolsets=enabled, disabled_toolsets=disabled, quiet_mode=True
    )
    functions = {tool["function"]["name"]: tool["function"] for tool in found}
    return [enabled, disabled, copy.deepcopy(functions)]


def selections(chance, names, legacy, count):
    """The plain ones, each toolset enabled and disabled alone, then any."""
    yield None, None
    yield [], None
    for name in names + legacy + UNKNOWN + ["all", "*"]:
        yield [name], None
        yield None, [name]
    for _ in range(count):
        pool = names + legacy + UNKNOWN
        enabled = chance.sample(pool, chance.randint(1, 4)) if chance.random() < 0.8 else None
        disabled = chance.sample(pool, chance.randint(1, 3)) if chance.random() < 0.7 else None
        yield enabled, disabled


def coerced(model_tools, registry, parameters, arguments):
    registry.register(
        name="parity_probe",
        toolset="parity",
        schema={"name": "parity_probe", "description": "", "parameters": parameters},
        handler=lambda args, **kw: "",
    )
    result = model_tools.coerce_tool_args("parity_probe", copy.deepcopy(arguments))
    return [parameters, arguments, result]


SCALARS = [
    "42", "-7", "3.0", "3.14", "1e3", " 7 ", "", "0x10", "inf", "nan", "+5", "1_000", "007", "1.",
    "true", "False", "TRUE", "yes", "no", "0", "1", "null", "None", "NULL",
    "9007199254740993", "99999999999999999999", "0.1", "-0", "1e400",
    "[]", "[1, 2]", "{}", '{"a": "1"}', "[1", "{a: 1}", '["x"]', '"quoted"', "a,b",
    0, 1, -3, 2.5, True, False, None, [], ["5"], {}, {"a": "5"},
]


def schema(chance, depth=0):
    kind = chance.choice(
        ["integer", "number", "boolean", "string", "array", "object", "union", "types", "any"]
    )
    if kind == "array":
        whole = {"type": "array"}
        if depth < 2 and chance.random() < 0.7:
            whole["items"] = schema(chance, depth + 1)
        return whole
    if kind == "object":
        whole = {"type": "object"}
        if depth < 2 and chance.random() < 0.7:
            whole["properties"] = {"a": schema(chance, depth + 1)}
        return whole
    if kind == "union":
        word = chance.choice(["anyOf", "oneOf"])
        return {word: [schema(chance, depth + 1) for _ in range(chance.randint(1, 3))]}
    if kind == "types":
        plain = ["integer", "number", "boolean", "string", "array", "object", "null"]
        return {"type": chance.sample(plain, chance.randint(1, 3))}
    if kind == "any":
        return {"description": "anything"}
    whole = {"type": kind}
    if chance.random() < 0.15:
        whole["nullable"] = True
    return whole


def coercions(chance, count):
    for _ in range(count):
        properties = {name: schema(chance) for name in "pqr"}
        arguments = {name: chance.choice(SCALARS) for name in "pqrs" if chance.random() < 0.8}
        yield {"type": "object", "properties": properties}, arguments


main()
