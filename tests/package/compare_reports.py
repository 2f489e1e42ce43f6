#!/usr/bin/env python3
"""compare_reports.py ONE.json OTHER.json: prints in what two reports of `opgrade check --json` differ besides times and
the machine, a line each; nothing if they say the same."""
import json
import re
import sys

# What the machine, its clock and its order of events decide.
OF_THE_MACHINE = re.compile(
    r"machine|(elapsed|user|system)_s|cpu_share|peak_memory_bytes|.*_context_switches|started|.*_(ms|ns)|.*_time|measurement"
    r"|compiler_output|spread"
)


def same_trap(value):
    """The instruction in place of undefined behaviour is SIGILL (4) on x86-64 and SIGTRAP (5) on ARM64."""
    return value.replace("SIGTRAP", "SIGILL") if isinstance(value, str) else value


def differences(one, other, place=""):
    if isinstance(one, dict) and isinstance(other, dict):
        for key in sorted(one.keys() | other.keys()):
            if not OF_THE_MACHINE.fullmatch(key):
                yield from differences(one.get(key), other.get(key), f"{place}/{key}")
    elif isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        for index, (first, second) in enumerate(zip(one, other)):
            yield from differences(first, second, f"{place}/{index}")
    elif place.endswith("/signal") and {one, other} == {4, 5}:
        return
    elif same_trap(one) != same_trap(other):
        yield f"{place}: {json.dumps(one)} and {json.dumps(other)}"


def main():
    if len(sys.argv) != 3:
        sys.exit("usage: compare_reports.py ONE.json OTHER.json")
    with open(sys.argv[1], encoding="utf-8") as one, open(sys.argv[2], encoding="utf-8") as other:
        found = list(differences(json.load(one), json.load(other)))
    print("\n".join(found), end="\n" if found else "")
    sys.exit(1 if found else 0)


main()
