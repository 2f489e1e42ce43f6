#!/usr/bin/env python3
"""Holds every shipped and written document to its schema, and wrong ones off it.

  documents.py OPGRADE SOURCE

Exit code 77: skipped, with the reason; OPGRADE_MUST_RUN=schemas turns that into a failure.
"""
import copy
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

try:
    import jsonschema
    import yaml
except ImportError as missing:
    print(f"{missing}: apt-get install python3-jsonschema python3-yaml")
    sys.exit(1 if "schemas" in os.environ.get("OPGRADE_MUST_RUN", "").split(",") else 77)


class Loader(yaml.SafeLoader):
    """As editors read YAML 1.2: 2e-3 is a number."""


Loader.add_implicit_resolver("tag:yaml.org,2002:float", re.compile(r"[-+]?[0-9]+[eE][-+]?[0-9]+$"), list("-+0123456789"))

opgrade, source = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
configs = source / "configs"
failures = 0


def fail(text):
    global failures
    failures += 1
    print("FAILED:", text)


def validator(file):
    schema = json.loads(file.read_text())
    jsonschema.Draft7Validator.check_schema(schema)
    if not schema["$id"].rpartition("-")[2].isdigit():
        fail(f"{file}: $id has no version: {schema['$id']}")
    return jsonschema.Draft7Validator(schema)


def problems(rules, document):
    return [f"{'/'.join(map(str, e.absolute_path))}: {e.message}" for e in rules.iter_errors(document)]


def without_removed_keys(value):
    """An empty value removes a key of the extended config."""
    if isinstance(value, dict):
        return {k: without_removed_keys(v) for k, v in value.items() if v is not None}
    return [without_removed_keys(v) for v in value] if isinstance(value, list) else value


def fits(file, schema):
    """The file fits the schema, and its first line leads an editor to it."""
    text = file.read_text()
    first = text.partition("\n")[0]
    prefix = "# yaml-language-server: $schema="
    named = file.parent / first[len(prefix):]
    installed = pathlib.Path("/usr/share/opgrade")
    if named.is_relative_to(installed):
        named = source / named.relative_to(installed)
    if not first.startswith(prefix) or not named.is_file() or not named.samefile(schema):
        fail(f"{file}: the first line does not name {schema.name}: {first}")
    document = without_removed_keys(yaml.load(text, Loader))
    for problem in problems(validator(schema), document):
        fail(f"{file}: {problem}")
    return document


def refused(schema, good, *path_and_value):
    """The schema refuses `good` with the value at the path; a value of ... removes it."""
    *path, value = path_and_value
    wrong = copy.deepcopy(good)
    place = wrong
    for key in path[:-1]:
        place = place[key]
    if value is ...:
        del place[path[-1]]
    else:
        place[path[-1]] = value
    if not problems(validator(schema), wrong):
        fail(f"{schema.name} takes {'/'.join(map(str, path))} = {value}")
    return wrong


def says(*arguments):
    run = subprocess.run([opgrade, *map(str, arguments)], capture_output=True, text=True)
    return run.returncode, run.stdout + run.stderr


config_schema = configs / "config.schema.json"
network_schema = configs / "networks/network.schema.json"
course_schema = configs / "course.schema.json"
report_schema = source / "grader/report/fields/report.schema.json"

network_files = sorted((configs / "networks").glob("*.yaml"))
config_files = [f for f in sorted(configs.rglob("*.yaml")) if f not in network_files]
config_files.append(source / "tests/package/course-repository/course.yaml")
if len(network_files) < 7 or len(config_files) < 20:
    fail("not all shipped files were found")
for file in config_files:
    config = fits(file, config_schema)
for file in network_files:
    network = fits(file, network_schema)
reports = sorted((source / "tests/golden/report").glob("*/*.json"))
for file in reports:
    for problem in problems(validator(report_schema), json.loads(file.read_text())):
        fail(f"{file}: {problem}")
if len(reports) < 5:
    fail("not all reports were found")

# Unit tests hold what opgrade writes to these.
for file in ("service/api/api", "client/servers", "course/slurm/slurm-run", "course/slurm/slurm-batch"):
    validator(source / f"grader/{file}.schema.json")

refused(config_schema, config, "pas_mark", 1)
refused(config_schema, config, "opgrade", 2)
refused(config_schema, config, "stages", 0, "device", "gpu")

conv = next(i for i, layer in enumerate(network["layers"]) if "conv" in layer)
refused(network_schema, network, "layers", [])
refused(network_schema, network, "layers", 0, "sigmoid")
refused(network_schema, network, "layers", 0, {"relu": {}})
refused(network_schema, network, "layers", conv, "conv", "kernel", 0)
refused(network_schema, network, "layers", conv, "conv", "pad", 1)
refused(network_schema, network, "layers", conv, "conv", "maps", ...)
refused(network_schema, network, "layers", conv, {"maxpool": {"window": 2, "stride": 2, "edge": "round"}})
refused(network_schema, network, "layers", conv, {"maxpool": {"window": 2, "stride": 2}})
refused(network_schema, network, "input", "width", "86")
refused(network_schema, network, "network", "8 6")
refused(network_schema, network, "version", 1)

with tempfile.TemporaryDirectory() as place:
    folder = pathlib.Path(place) / "course"
    code, text = says("course", "init", folder)
    if code != 0:
        fail(f"course init: {text}")
        sys.exit(1)
    file = folder / "course.yaml"
    course = fits(file, course_schema)
    for change in (
        ("opgrade_course", 2),
        ("assignment", []),
        ("assignments", []),
        ("assignments", 0, "deadline", "2026-10-12"),
        ("assignments", 0, "deadline", ...),
        ("assignments", 0, "counts", "median of 2"),
        ("assignments", 0, "grace", "10"),
        ("assignments", 0, "late", "percent_a_day", 200),
        ("assignments", 0, "late", "days", ...),
        ("assignments", 0, "name", "mile stone"),
        ("assignments", 0, "teams", "yes, please"),
        ("assignments", 0, "canvas_id", "m1"),
        ("executor", "cloud"),
        ("slurm", {"shared": "relative"}),
        ("slurm", {"memory": "4 GB"}),
    ):
        # opgrade refuses the same file: the schema forbids nothing that works.
        file.write_text(yaml.safe_dump(refused(course_schema, course, *change)))
        code, text = says("course", "check", folder)
        if code != 2:
            fail(f"course check takes {change}: {text}")
    course["executor"] = "slurm"
    course["slurm"] = {"shared": "/srv", "partition": "gpu", "account": "a", "qos": "q", "constraint": "c", "gpus": 1,
                       "exclusive": True, "time": "2 h", "memory": "4 GiB", "cpus": 4, "at_once": 2, "batch": 3,
                       "retries": 0, "poll": "5 s"}
    course["assignments"][0] |= {"canvas_id": 4711, "late": {"points_a_day": 5, "days": 3}, "executor": "local",
                                 "slurm": {"gpus": "a40:1"}, "counts": "median of 3", "deadline": "2026-10-12 24:00"}
    file.write_text(yaml.safe_dump(course))
    code, text = says("course", "check", folder)
    if code != 0 or problems(validator(course_schema), course):
        fail(f"a course with every key: {text}{problems(validator(course_schema), course)}")

print(f"{len(config_files)} configs, {len(network_files)} networks, {len(reports)} reports and a course fit their schemas"
      if not failures else f"{failures} failures")
sys.exit(failures > 0)
