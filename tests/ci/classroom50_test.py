#!/usr/bin/env python3
"""classroom50_test.py <build folder> <project root>: packaging/classroom50 as Classroom 50's runner starts it, and the
result.json that it collects."""
import json
import shutil
import sys

from stand_in import ROOT, bundle, check, checkout, environment, finish, run, work

ARCHIVE, SHA256 = bundle()
scripts = work / "autograders/homework"
scripts.mkdir(parents=True)
for file in ("packaging/classroom50/autograder.py", "packaging/action/install.sh", "tests/configs/cli.yaml"):
    shutil.copy(ROOT / file, scripts)
example = json.loads((ROOT / "packaging/classroom50/settings.json").read_text())
CONTEXT = {"CLASSROOM": "gpu", "ASSIGNMENT": "homework", "SUBMISSION_TAG": "submit/2026-11-28T00-00-00Z-a1b2c3d",
           "COMMIT_URL": "https://host/commit/1", "RELEASE_URL": "https://host/release/1"}


def graded(top, code, **settings):
    """What was published, or None; a code other than 0 is an error of the grader to Classroom 50."""
    known = {"package": str(ARCHIVE), "sha256": SHA256, "config": "cli.yaml", **settings}
    check(set(known) == set(example), f"settings.json has {set(example)}")
    (scripts / "settings.json").write_text(json.dumps(known))
    got, log = run([sys.executable, str(scripts / "autograder.py")], top, environment(**CONTEXT))
    check(got == code, f"{top.name!r}: exit code {got}, not {code}\n{log}")
    file = top / "result.json"
    if not file.exists():
        return None
    result = json.loads(file.read_text())
    for name in ("schema", "classroom", "assignment", "submission", "commit", "release", "review", "datetime"):
        check(isinstance(result[name], str) and result[name], f"{name} is {result[name]!r}")
    for field in ("score", "max-score"):
        check(isinstance(result[field], int) and result[field] == sum(test[field] for test in result["tests"]),
              f"{field} is {result[field]}, not the sum of {result['tests']}")
    check((top / "release-body.md").read_text().startswith("## "), "no text for the release")
    return result


result = graded(checkout("homework"), 0)
check((result["score"], result["max-score"]) == (5, 5) and all(t["passed"] for t in result["tests"]), f"good: {result}")
result = graded(checkout("homework", "wrong_constant"), 0)
check(result["score"] == 0 and result["max-score"] == 5 and not any(t["passed"] for t in result["tests"]), f"wrong: {result}")
result = graded(checkout("homework", "not_compiling"), 0)
check(result["score"] == 0 and result["max-score"] == 5, f"no build: {result}")
result = graded(checkout("homework", "missing_file"), 0)
check(result["score"] == 0 and result["max-score"] >= 1, f"refused: {result}")
# A result that the student committed is not published.
top = checkout("-homework\n$(touch forged)", "wrong_constant")
(top / "result.json").write_text('{"score": 100}')
check(graded(top, 0)["score"] == 0, "the student's own result.json")
# The grader's and staff's mistakes publish nothing.
for settings in ({"sha256": "0" * 64}, {"package": "/none"}, {"config": "none"}):
    top = checkout("homework")
    (top / "result.json").write_text('{"score": 100}')
    check(graded(top, 1, **settings) is None, f"{settings}: published")
finish()
