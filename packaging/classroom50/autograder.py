#!/usr/bin/env python3
"""An autograder of Classroom 50: grades the student's checkout, the working folder, and writes result.json there.

Belongs in CLASSROOM/autograders/ASSIGNMENT/ together with settings.json and install.sh of packaging/action; docs/ci.md has
the steps. settings.json: {"package": ADDRESS, "sha256": CHECKSUM, "config": NAME or a file beside this one}.
Ends with an error, which Classroom 50 shows as such, if the grader or its machine failed.
"""
import datetime
import json
import os
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
INCOMPLETE_OR_FAULT = 3


def whole(points):
    """Classroom 50 counts whole points; fractions are rounded."""
    return int(points + 0.5)


def installed(settings, folder):
    """The program, from the bundle, which is unpacked below `folder`."""
    subprocess.run(["bash", HERE / "install.sh"], check=True,
                   env={**os.environ, "OPGRADE_PACKAGE": settings["package"], "OPGRADE_SHA256": settings.get("sha256", ""),
                        "OPGRADE_TO": folder})
    return pathlib.Path(folder) / "opgrade/bin/opgrade"


def config_of(settings):
    name = settings.get("config", "self-check")
    return HERE / name if (HERE / name).exists() else name


def graded(opgrade, config, folder):
    """(opgrade's exit code, the result's folder); the folder is None if nothing was graded."""
    results = pathlib.Path(folder) / "results"
    done = subprocess.run([opgrade, "grade", ".", "--config", config, "--out", results, "--quiet"],
                          stdout=subprocess.DEVNULL, check=False)
    found = [place for place in results.glob("*/") if (place / "report.json").exists()]
    return done.returncode, found[0] if found else None


def shown(opgrade, result, form):
    """What a student may see of the result: hidden cases are hidden."""
    return subprocess.run([opgrade, "show", result, "--format", form], check=True, stdout=subprocess.PIPE).stdout.decode()


def tests_of(report):
    tests = [{"test-name": test["name"], "score": whole(test["points"]), "max-score": whole(test["max_points"]),
              "passed": test["points"] >= test["max_points"], "message": test["message"]} for test in report.get("tests", [])]
    return tests or [{"test-name": "submission", "score": 0, "max-score": 1, "passed": False, "message": report["message"]}]


def result_of(tests):
    get = os.environ.get
    return {
        "schema": "classroom50/result/v1",
        "classroom": get("CLASSROOM", ""),
        "assignment": get("ASSIGNMENT", ""),
        "submission": get("SUBMISSION_TAG", ""),
        "commit": get("COMMIT_URL", ""),
        "release": get("RELEASE_URL", ""),
        "review": get("REVIEW_URL") or get("COMMIT_URL", ""),
        "datetime": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ"),
        "score": sum(test["score"] for test in tests),
        "max-score": sum(test["max-score"] for test in tests),
        "tests": tests,
    }


def main():
    for name in ("result.json", "release-body.md"):  # the student may have committed such a file, or a link
        pathlib.Path(name).unlink(missing_ok=True)
    settings = json.loads((HERE / "settings.json").read_text())
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)  # the sandbox's user reads opgrade there
        opgrade = installed(settings, folder)
        code, result = graded(opgrade, config_of(settings), folder)
        if result is None:
            sys.exit(f"error: opgrade graded nothing (exit code {code}); its reason stands above")
        report = json.loads(shown(opgrade, result, "prairielearn"))
        # A submission that was refused has no points; without a decision there are none to publish.
        if not report["gradable"] and code == INCOMPLETE_OR_FAULT:
            sys.exit(f"error: {report['message']}")
        tests = tests_of(report)
        pathlib.Path("result.json").write_text(json.dumps(result_of(tests), indent=2))
        pathlib.Path("release-body.md").write_text(shown(opgrade, result, "summary"))


main()
