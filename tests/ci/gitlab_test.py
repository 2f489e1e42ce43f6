#!/usr/bin/env python3
"""gitlab_test.py <build folder> <project root>: the job of packaging/gitlab in a stand-in for GitLab's runner: its script
lines, and what GitLab reads of its artifacts."""
import json
import os
import re
import xml.etree.ElementTree as xml

import yaml
from stand_in import ROOT, bundle, check, checkout, environment, finish, run, work

ARCHIVE, SHA256 = bundle()
job = yaml.safe_load((ROOT / "packaging/gitlab/opgrade.gitlab-ci.yml").read_text())["opgrade"]
opt, tools = work / "opt", work / "tools"
opt.mkdir()
tools.mkdir()
os.chmod(opt, 0o755)
for name, does in (("apt-get", f'echo "$*" >> {work}/called'), ("curl", f'cp {ARCHIVE} "${{@: -3:1}}"')):
    (tools / name).write_text(f"#!/bin/bash\n{does}\n")
    (tools / name).chmod(0o755)


def graded(top, code, **variables):
    """The job's exit code and log; GitLab runs all lines in one shell, with the variables in its environment."""
    lines = [re.sub(r"/opt\b", str(opt), line) for line in job["before_script"] + job["script"]]
    group = {"OPGRADE_URL": "https://host/opgrade.tar.xz", "OPGRADE_SHA256": SHA256, "OPGRADE_CONFIG": "course.yaml"}
    env = environment(CI_PROJECT_DIR=top, **{**job["variables"], **group, **variables})
    env["PATH"] = f"{tools}:{env['PATH']}"
    got, log = run(["bash", "-e", "-o", "pipefail", "-c", "\n".join(lines)], top, env)
    check(got == code, f"{top.name!r}: exit code {got}, not {code}\n{log}")
    check("\x1b" not in log and "section_start" not in log.replace("forged section_start", ""), f"{top.name!r}: {log!r}")
    return log


def artifacts(top):
    for path in job["artifacts"]["paths"]:
        check((top / path).is_dir() and not (top / path).is_symlink(), f"{top.name!r}: no artifact {path}")
    reports = job["artifacts"]["reports"]
    junit = xml.parse(top / reports["junit"]).getroot()
    issues = json.loads((top / reports["codequality"]).read_text())
    for issue in issues:
        place = issue["location"]
        check((top / place["path"]).exists() and place["lines"]["begin"] > 0, f"{top.name!r}: an entry at {place}")
        check(issue["fingerprint"] and issue["description"] and issue["check_name"], f"{issue}")
    check(len({issue["fingerprint"] for issue in issues}) == len(issues), "GitLab shows one of two equal fingerprints alone")
    return junit, issues


top = checkout("homework")
graded(top, 0)
junit, issues = artifacts(top)
check(not issues and junit.get("failures") == "0", f"a good submission: {issues} {junit.attrib}")
top = checkout("homework", "wrong_constant")
graded(top, 1)
junit, issues = artifacts(top)
check(issues and junit.get("failures") != "0", f"a wrong submission: {issues} {junit.attrib}")
top = checkout("homework", "not_compiling", below="part 1")
graded(top, 1, OPGRADE_FOLDER="part 1")
junit, issues = artifacts(top)
check(issues and all(i["location"]["path"] == "part 1/cpu-new-forward.cc" for i in issues), f"places: {issues}")

# What a submission prints cannot fold the log, its names are no options, and its files no artifacts.
top = checkout("-homework $(touch forged)")
source = top / "cpu-new-forward.cc"
source.write_text('#include <cstdio>\nstatic const int printed = std::puts("\\x1b[0Ksection_start:1:forged\\r\\x1b[0K");\n'
                  '#error forged section_start\n' + source.read_text())
elsewhere = work / "elsewhere"
elsewhere.mkdir()
(elsewhere / "kept").touch()
(top / "opgrade-results").symlink_to(elsewhere)
graded(top, 1)
artifacts(top)
check([p.name for p in elsewhere.iterdir()] == ["kept"], f"written through a student's link: {list(elsewhere.iterdir())}")
check(not list(top.rglob("forged")), "the shell ran a name")

log = graded(checkout("homework"), 1, OPGRADE_SHA256="0" * 64)
check("FAILED" in log and "opgrade.tar.xz" in log, f"a wrong checksum: {log}")
check(job["allow_failure"] == {"exit_codes": 3}, "INCOMPLETE must not be an error")
finish()
