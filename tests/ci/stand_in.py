"""For the tests beside it: a checkout with a submission, a bundle that leads to the built opgrade, and GitHub's runner."""
import hashlib
import os
import pathlib
import re
import shutil
import stat
import subprocess
import sys
import tarfile
import tempfile

BUILD, ROOT = (pathlib.Path(os.path.realpath(name)) for name in sys.argv[1:3])
SUBMISSIONS = ROOT / "tests/corpus/submissions"
failures = []

work = pathlib.Path(tempfile.mkdtemp())
os.chmod(work, 0o755)


def check(holds, what):
    if not holds:
        failures.append(what)


def finish():
    shutil.rmtree(work, ignore_errors=True)
    print("\n".join(f"FAILED: {one}" for one in failures) or "passed")
    sys.exit(1 if failures else 0)


def bundle(folder=work):
    """A portable bundle whose program is the built one, and its SHA-256."""
    tree = work / "bundle/opgrade"
    (tree / "bin").mkdir(parents=True, exist_ok=True)
    (tree / "share/opgrade").mkdir(parents=True, exist_ok=True)
    program = tree / "bin/opgrade"
    program.write_text(f'#!/bin/sh\nexec "{BUILD}/bin/opgrade" "$@"\n')
    program.chmod(0o755)
    shutil.copytree(ROOT / "grader/report/bundle/scripts", tree / "share/opgrade/bundle", dirs_exist_ok=True)
    archive = folder / "opgrade-bundle.tar.xz"
    with tarfile.open(archive, "w:xz") as tar:
        tar.add(tree, "opgrade")
    return archive, hashlib.sha256(archive.read_bytes()).hexdigest()


def checkout(name, submission="good", below="."):
    """A checkout of a student's repository, called `name`, with a submission of the corpus."""
    top = pathlib.Path(tempfile.mkdtemp(dir=work)) / name
    shutil.copytree(SUBMISSIONS / submission, top / below)
    shutil.copy(ROOT / "tests/configs/cli.yaml", top / "course.yaml")
    for place in [top, *top.parents]:
        if place == work.parent:
            break
        os.chmod(place, 0o755)
    return top


def environment(**more):
    kept = {name: os.environ[name] for name in ("PATH", "LANG", "TMPDIR") if name in os.environ}
    return {**kept, "HOME": str(work), "OPGRADE_DATA": f"{BUILD}/data", **{k: str(v) for k, v in more.items()}}


def run(command, folder, env):
    """(exit code, its output) of a command whose two streams go to one log, as a runner has it."""
    done = subprocess.run(command, cwd=folder, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False,
                          timeout=500)
    return done.returncode, done.stdout.decode(errors="replace")


def unescape(text, properties):
    for code, char in (("%0D", "\r"), ("%0A", "\n"), *((("%3A", ":"), ("%2C", ",")) if properties else ()), ("%25", "%")):
        text = text.replace(code, char)
    return text


def commands(log):
    """The workflow commands that GitHub's runner carries out: (name, properties, message), in their order."""
    found, resume = [], None
    for line in re.split(r"\r\n|\r|\n", log):
        line = line.strip()
        match = re.match(r"::([a-z-]+)(?: ([^:]*(?::(?!:)[^:]*)*))?::(.*)$", line, re.IGNORECASE)
        if resume is not None:
            if line == f"::{resume}::":
                resume = None
            continue
        if not match:
            continue
        name, properties, message = match.groups()
        if name.lower() == "stop-commands":
            resume = message
            continue
        fields = dict(part.split("=", 1) for part in (properties or "").split(",") if "=" in part)
        found.append((name.lower(), {key: unescape(value, True) for key, value in fields.items()}, unescape(message, False)))
    check(resume is None, "the log ends with commands stopped")
    return found


def key_values(file):
    """GITHUB_OUTPUT as the runner reads it; a line that is no NAME=VALUE is a failure of the step."""
    values = {}
    for line in file.read_text().splitlines():
        name, equals, value = line.partition("=")
        check(bool(equals) and re.fullmatch(r"[a-z-]+", name), f"no line of GITHUB_OUTPUT: {line!r}")
        values[name] = value
    return values


class Runner:
    """A job of GitHub's runner in one checkout: carries out the steps of a composite action."""

    def __init__(self, top):
        self.top, self.place = top, pathlib.Path(tempfile.mkdtemp(dir=work))
        os.chmod(self.place, 0o755)
        self.files = {}
        for name in ("GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY", "GITHUB_PATH", "GITHUB_ENV"):
            self.files[name] = self.place / name.lower()
            self.files[name].touch()
        self.log, self.outputs = "", {}

    def path(self):
        return ":".join([*self.files["GITHUB_PATH"].read_text().split("\n")[::-1], os.environ["PATH"]]).lstrip(":")

    def step(self, shell_text, **more):
        env = environment(RUNNER_TEMP=self.place, GITHUB_WORKSPACE=self.top, **self.files, **more)
        env["PATH"] = self.path()
        code, log = run(["bash", "--noprofile", "--norc", "-e", "-o", "pipefail", "-c", shell_text], self.top, env)
        self.log += log
        return code

    def action(self, folder, given):
        """The action's exit code. `given`: inputs by name."""
        import yaml
        action = yaml.safe_load((folder / "action.yml").read_text())
        check(not set(given) - set(action["inputs"]), f"no inputs of the action: {set(given) - set(action['inputs'])}")
        values = {f"inputs.{name}": given.get(name, field.get("default", "")) for name, field in action["inputs"].items()}
        values |= {"github.action_path": str(folder), "github.action_repository": "course/opgrade"}
        for one in action["runs"]["steps"]:
            check("${{" not in one["run"], "a value is put into the shell's text, which would run it")
            env = {}
            for name, text in one.get("env", {}).items():
                env[name] = re.sub(r"\$\{\{ *([\w.-]+) *\}\}", lambda m: values[m[1]], str(text))
            code = self.step(one["run"], **env)
            if code != 0:
                break
        self.outputs = key_values(self.files["GITHUB_OUTPUT"])
        return code

    def commands(self):
        return commands(self.log)
