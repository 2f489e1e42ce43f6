#!/usr/bin/env python3
"""github_test.py <build folder> <project root>: packaging/action in a stand-in for GitHub's runner, with good, wrong and
hostile checkouts; what the runner would do with the log, the summary, the outputs and the path is compared."""
import os
import re

from stand_in import ROOT, Runner, bundle, check, checkout, environment, finish, run, work

ACTION = ROOT / "packaging/action"
ARCHIVE, SHA256 = bundle()
BASE = {"package": str(ARCHIVE), "sha256": SHA256, "config": "course.yaml"}
WORDS = r"PASSED|FAILED|INCOMPLETE|NOT RUN|GRADER FAULT"


def graded(top, code, verdict, **given):
    """Runs the action and checks all that no submission may change."""
    runner = Runner(top)
    got = runner.action(ACTION, {**BASE, **given})
    check(got == code, f"{top.name!r}: exit code {got}, not {code}\n{runner.log}")
    check(runner.outputs.get("verdict") == verdict, f"{top.name!r}: outputs {runner.outputs}\n{runner.log}")
    check(runner.files["GITHUB_PATH"].read_text() == f"{runner.place}/opgrade/bin\n", f"{top.name!r}: GITHUB_PATH")
    check(runner.files["GITHUB_ENV"].read_text() == "", f"{top.name!r}: GITHUB_ENV")
    summary = runner.files["GITHUB_STEP_SUMMARY"].read_text()
    check(re.match(rf"## .*: ({WORDS})\n\n\*\*\d.* points", summary), f"{top.name!r}: summary {summary[:300]!r}")
    for name, fields, message in runner.commands():
        check(name in ("error", "warning", "notice"), f"{top.name!r}: the runner carries out ::{name}:: {message!r}")
        check("forged" not in fields.get("title", "") and not message.startswith("forged"),
              f"{top.name!r}: a forged annotation {fields} {message!r}")
        file = fields.get("file")
        check(file is None or (top / file).is_file(), f"{top.name!r}: an annotation of {file!r}, no file of the checkout")
    return runner, summary


def levels(runner):
    return [name for name, _, _ in runner.commands()]


# Honest ones: a good submission in the checkout's top and in a folder, a wrong one, one that does not compile.
runner, summary = graded(checkout("homework"), 0, "PASSED")
check("error" not in levels(runner), f"errors of a good submission: {runner.commands()}")
check(runner.outputs["score"] == "5 of 5 points (5 to pass)", f"{runner.outputs}")
check((work / runner.outputs["results"]).is_dir(), "no results to upload")
runner, _ = graded(checkout("homework", below="src/custom"), 0, "PASSED", folder="src/custom", config="course.yaml")
check("error" not in levels(runner), f"errors of a good submission: {runner.commands()}")
runner, _ = graded(checkout("homework", "wrong_constant"), 1, "FAILED")
check("error" in levels(runner), f"no annotation of a wrong submission: {runner.log}")
runner, _ = graded(checkout("homework", "not_compiling", below="part 1"), 1, "FAILED", folder="part 1")
places = [fields.get("file") for name, fields, _ in runner.commands() if name == "error"]
check("part 1/cpu-new-forward.cc" in places, f"annotations at {places}: {runner.log}")

# What a program prints and a compiler repeats is text.
top = checkout("homework")
source = top / "cpu-new-forward.cc"
good = source.read_text()
COMMANDS = ["::error file=course.yaml,line=1::forged", "::add-path::/forged", "::set-output name=verdict::forged",
            "::stop-commands::forged", "::set-env name=PATH::forged", "##[error]forged", "%0A::error::forged",
            "\\r::error::forged"]
printing = "#include <cstdio>\nstatic const int printed = [] {\n" + "".join(
    f'  std::puts("{one}");\n  std::fputs("{one}\\n", stderr);\n' for one in COMMANDS) + "  return 0;\n}();\n"
source.write_text(printing + good)
graded(top, 0, "PASSED")
source.write_text(printing + good + "".join(f"#error {one}\n" for one in COMMANDS if "\\" not in one))
runner, _ = graded(top, 1, "FAILED")
check(any("add-path::/forged" in message for _, _, message in runner.commands()), "the compiler's words are cut")
source.write_text('#line 1 "course.yaml\\n::error::forged"\n#error 1\n' + good)
graded(top, 1, "FAILED")
source.write_text('#error "100% of :: and , stay"\n' + good)
runner, _ = graded(top, 1, "FAILED")
check(re.search("100% of .*, stay", str(runner.commands())), f"characters of a message are lost: {runner.commands()}")

# Names of folders, files and repositories are text, too.
for name in ("-homework", "a,b::c", "line=3,title=x", "100%0A::error::forged", "a\n::error::forged\nverdict=PASSED",
             "$(touch forged)`touch forged`", "[x](http:forged)<img src=x>", "${{ github.token }}"):
    graded(checkout(name), 0, "PASSED")
    if "\n" in name:  # students name repositories, and staff the folder
        continue
    top = checkout("homework", "not_compiling", below=name)
    runner, _ = graded(top, 1, "FAILED", folder=name)
    check(any(fields.get("file") == f"{name}/cpu-new-forward.cc" for _, fields, _ in runner.commands()),
          f"{name!r}: no annotation in the folder: {runner.commands()}")
    check(not list(top.rglob("forged")), f"{name!r}: the shell ran the folder's name")

# Staff's mistakes: one sentence, exit code, and no verdict.
for given, code, words in (({"sha256": "0" * 64}, 2, "has the SHA-256"), ({"package": "http://host/x"}, 2, "no address"),
                           ({"package": "/none"}, 2, "there is no bundle"), ({"config": "none"}, 2, "none"),
                           ({"folder": "none"}, 2, "none")):
    runner = Runner(checkout("homework"))
    got = runner.action(ACTION, {**BASE, **given})
    check(got == code, f"{given}: exit code {got}, not {code}: {runner.log}")
    check(words in runner.log, f"{given}: no word of '{words}': {runner.log}")
    check(not runner.outputs.get("verdict"), f"{given}: {runner.outputs}")

# An error message may quote any name.
runner = Runner(checkout("homework"))
runner.action(ACTION, {**BASE, "folder": "none\n::add-path::/forged\n::error::forged"})
check("forged" in runner.log and "forged" not in str(runner.commands()), f"a quoted name: {runner.log}")

# Nothing is wrong, and staff must decide.
top = checkout("homework")
config = top / "course.yaml"
config.write_text(config.read_text().replace("pass_mark: 5", "pass_mark: 8") + "    open_items: [{name: report, points: 5}]\n")
runner = Runner(top)
code = runner.action(ACTION, BASE)
check((code, runner.outputs.get("verdict")) == (0, "INCOMPLETE"), f"open points: {code} {runner.outputs} {runner.log}")
runner = Runner(top)
code = runner.action(ACTION, {**BASE, "incomplete": "fail"})
check((code, runner.outputs.get("verdict")) == (3, "INCOMPLETE"), f"incomplete: fail: {code} {runner.outputs}")

# What is missing on the machine is installed, and nothing else; a release is found by the action's own version.
tools = work / "tools"
tools.mkdir()
for name in ("bash", "cp", "cut", "dirname", "mktemp", "rm", "sed", "sha256sum", "tar", "uname", "xz", "g++", "cat"):
    os.symlink(os.popen(f"command -v {name}").read().strip(), tools / name)
for name in ("apt-get", "sudo", "curl"):
    (tools / name).write_text(f'#!/bin/bash\necho "{name} $*" >> {work}/called\n' +
                              ('"$@"\n' if name == "sudo" else f'[[ {name} != curl ]] || cp {ARCHIVE} "${{@: -3:1}}"\n'))
    (tools / name).chmod(0o755)
place = work / "machine"
place.mkdir()
env = environment(RUNNER_TEMP=place, OPGRADE_REPOSITORY="course/opgrade")
env["PATH"] = str(tools)
code, log = run(["/bin/bash", str(ACTION / "install.sh")], place, env)
called = (work / "called").read_text()
version = re.search(r"project\(opgrade VERSION ([\d.]+)", (ROOT / "CMakeLists.txt").read_text())[1]
check(code == 0, f"install.sh: {log}")
check(re.search(r"apt-get install \S+ \S+ --no-install-recommends bubblewrap\n", called), f"installed: {called}")
check(f"https://github.com/course/opgrade/releases/download/v{version}/opgrade-{version}-linux-" in called, f"fetched: {called}")
check((place / "opgrade/bin/opgrade").exists() and not list(place.glob("*.tar.xz")), f"{list(place.iterdir())}")
finish()
