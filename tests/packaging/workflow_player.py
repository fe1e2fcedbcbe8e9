"""Play a workflow of GitHub on this machine: its jobs, their matrices and conditions, and each step's own commands.

What GitHub's own actions do is done here, as far as our workflows use it. Scripts run in `bash -e`, as on GitHub, with
the stand-ins of `played_tools` in front of the PATH. With a root file system, Linux machines run in it, with GitHub's
own program as the only stand-in. Not played: secrets that are masked in logs, and time limits.
"""

from __future__ import annotations

import itertools
import json
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import yaml

from tests.packaging.played_root import PlayedRoot
from tests.packaging.played_tools import tools

_EXPRESSION = re.compile(r"\$\{\{(.*?)\}\}", re.DOTALL)
# A condition with one of these is asked whatever has failed before.
_STATUS = re.compile(r"\b(always|cancelled|failure)\(\)")
# Where the programs of a Linux machine are.
_SYSTEM = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"


class Context(SimpleNamespace):
    """Values by their names, as expressions read them; what is not set is ""."""

    def __getattr__(self, name: str) -> str:
        return ""


@dataclass
class Ended:
    """How a step has ended, and what it printed."""

    job: str
    step: str
    succeeded: bool
    output: str


@dataclass(frozen=True)
class Machine:
    """A machine of a job, and its system as GitHub names it. `variables` has what a step tells those after it."""

    folder: Path
    system: str

    @property
    def work(self) -> Path:
        """The folder of the checkout, where steps run."""
        return self.folder / "work"

    @property
    def variables(self) -> Path:
        """The file of environment variables."""
        return self.folder / "variables"

    @property
    def python(self) -> Path:
        """The environment with the Python of setup-python."""
        return self.folder / "python"


@dataclass
class Player:
    """A repository on GitHub, whose workflows are played in the folder `scratch`.

    `source` is the pushed tree. `ended` has each step that ran, and `results` how each job ended, as GitHub names it.
    """

    source: Path
    scratch: Path
    secrets: dict[str, str]
    ref: str = "refs/tags/v0.1.0"
    root: PlayedRoot | None = None
    ended: list[Ended] = field(default_factory=list)
    results: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.tools = self.scratch / "tools"
        self.tools_in_root = self.scratch / "tools-in-root"
        self.state = self.scratch / "state"
        self.artifacts = self.scratch / "artifacts"
        for folder in (self.tools, self.tools_in_root, self.state, self.artifacts):
            folder.mkdir(parents=True)
        # A root sees nothing of this machine but `scratch`.
        programs = self.scratch / "programs"
        shutil.copytree(Path(tools.__file__).parent, programs)
        written = [(self.tools, sys.executable, name) for name in tools.TOOLS]
        for folder, python, name in [*written, (self.tools_in_root, "/usr/bin/python3", "gh")]:
            tool = folder / name
            tool.write_text(f'#!/bin/sh\nexec "{python}" -S -E "{programs}/tools.py" {name} "$@"\n', encoding="utf-8")
            tool.chmod(0o755)
        self.seed()

    def seed(self, *faults: str) -> None:
        """Let these go wrong from now on."""
        (self.state / "faults").write_text("\n".join(faults), encoding="utf-8")

    def play(self, workflow: Path) -> None:
        """Run all jobs of a workflow, in the order in which they stand."""
        parsed: dict[str, Any] = yaml.safe_load(workflow.read_text(encoding="utf-8"))
        self.ended.clear()
        self.results.clear()
        for name, job in parsed["jobs"].items():
            needs = [job["needs"]] if isinstance(job.get("needs"), str) else job.get("needs", [])
            names = {"needs": Context(**{need: Context(result=self.results[need]) for need in needs})}
            are_well = all(self.results[need] == "success" for need in needs)
            if not self._is_wanted(job.get("if", "success()"), are_well, names):
                self.results[name] = "skipped"
                continue
            played = [self._play_job(name, job, entry, names, parsed.get("env", {})) for entry in matrix_of(job)]
            self.results[name] = "success" if all(played) else "failure"

    def _play_job(
        self, name: str, job: dict[str, Any], entry: dict[str, str], names: dict[str, Any], everywhere: dict[str, str]
    ) -> bool:
        matrix = Context(**entry)
        system = "macOS" if "macos" in self._filled(job["runs-on"], {"matrix": matrix}) else "Linux"
        (self.scratch / "machines").mkdir(exist_ok=True)
        machine = Machine(Path(tempfile.mkdtemp(prefix=f"{name}-", dir=self.scratch / "machines")), system)
        machine.work.mkdir()
        machine.variables.touch()
        names = {**names, "matrix": matrix, "runner": Context(os=system)}
        environment = self._filled_values({**everywhere, **job.get("env", {})}, names)
        shown = "-".join([name, *entry.values()][:2])
        are_well = True
        for step in job["steps"]:
            variables = dict(line.split("=", 1) for line in machine.variables.read_text().splitlines())
            names["env"] = Context(**environment, **variables)
            if not self._is_wanted(step.get("if", "success()"), are_well, names):
                continue
            more = self._filled_values(step.get("env", {}), names)
            if "uses" in step:
                succeeded, output = self._use(step, machine, names), ""
            else:
                succeeded, output = self._run(step["run"], machine, {**environment, **variables, **more})
            title = step.get("name") or step["uses"].partition("@")[0]
            self.ended.append(Ended(shown, title, succeeded, output))
            are_well = are_well and succeeded
        return are_well

    def _run(self, script: str, machine: Machine, environment: dict[str, str]) -> tuple[bool, str]:
        github = {
            "GITHUB_ACTIONS": "true",
            "GITHUB_ENV": str(machine.variables),
            "GITHUB_REF_NAME": self.ref.rpartition("/")[2],
            "GITHUB_REF_TYPE": "tag" if self.ref.startswith("refs/tags/") else "branch",
            "GITHUB_REPOSITORY": "someone/tandem",
            "GITHUB_SERVER_URL": "https://github.com",
            "HOME": str(machine.folder),
            "PATH": f"{self.tools}:/usr/bin:/bin",
            "PLAYED_PYTHON": str(self.tools / "python"),
            "PLAYED_REAL_PYTHON": sys.executable,
            "PLAYED_STATE": str(self.state),
            "PYTHONDONTWRITEBYTECODE": "1",
            "RUNNER_TEMP": str(machine.folder),
        }
        file = machine.folder / "script.sh"
        file.write_text(script, encoding="utf-8")
        command = ["bash", "-e", str(file)]
        if self.root and machine.system == "Linux":
            github["PATH"] = f"{machine.python}/bin:{self.tools_in_root}:{_SYSTEM}"
            return self.root.run(command, machine.work, self.scratch, {**github, **environment})
        done = subprocess.run(
            command,
            cwd=machine.work,
            env={**github, **environment},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        return done.returncode == 0, done.stdout

    def _use(self, step: dict[str, Any], machine: Machine, names: dict[str, Any]) -> bool:
        """Do what an action of GitHub does. Raises KeyError for one that is not known here."""
        action = step["uses"].partition("@")[0].removeprefix("actions/")
        options = self._filled_values(step.get("with", {}), names)
        work = machine.work
        if action == "checkout":
            shutil.copytree(self.source, work, symlinks=True, dirs_exist_ok=True)
        elif action == "upload-artifact":
            files = [file for pattern in options["path"].split() for file in work.glob(pattern)]
            (self.artifacts / options["name"]).mkdir(exist_ok=True)
            for file in files:
                shutil.copy(file, self.artifacts / options["name"])
            return bool(files)
        elif action == "download-artifact":
            (work / options["path"]).mkdir()
            for file in self.artifacts.glob("*/*"):
                shutil.copy(file, work / options["path"])
        elif action != "setup-python":
            raise KeyError(action)
        elif self.root and machine.system == "Linux":
            return self._run(f'/usr/bin/python3 -m venv "{machine.python}"', machine, {})[0]
        return True

    def _is_wanted(self, condition: str, are_well: bool, names: dict[str, Any]) -> bool:
        if not are_well and not _STATUS.search(condition):
            return False
        inside = _EXPRESSION.fullmatch(condition.strip())
        return bool(self._value(inside[1] if inside else condition, names))

    def _value(self, expression: str, names: dict[str, Any]) -> Any:
        """The value of an expression in GitHub's language."""
        written = re.sub(r"!(?!=)", " not ", expression.replace("&&", " and ").replace("||", " or "))
        functions = {
            "startsWith": lambda text, beginning: str(text).startswith(beginning),
            "success": lambda: True,
            "cancelled": lambda: False,
            "always": lambda: True,
        }
        contexts = {"secrets": Context(**self.secrets), "github": Context(ref=self.ref, token="a token"), **names}
        return eval(written.strip(), {"__builtins__": {}}, {**functions, **contexts})

    def _filled(self, text: Any, names: dict[str, Any]) -> str:
        def replace(match: re.Match[str]) -> str:
            value = self._value(match[1], names)
            return json.dumps(value) if isinstance(value, bool) else str(value)

        return _EXPRESSION.sub(replace, text if isinstance(text, str) else json.dumps(text))

    def _filled_values(self, values: dict[str, Any], names: dict[str, Any]) -> dict[str, str]:
        return {name: self._filled(value, names) for name, value in values.items()}

    def failed(self) -> list[tuple[str, str]]:
        """The job and the name of each step that failed."""
        return [(step.job, step.step) for step in self.ended if not step.succeeded]


def matrix_of(job: dict[str, Any]) -> Iterator[dict[str, str]]:
    """Yield the values of each job of a matrix."""
    matrix = dict(job.get("strategy", {}).get("matrix", {}))
    if included := matrix.pop("include", []):
        yield from included
        return
    for values in itertools.product(*matrix.values()):
        yield dict(zip(matrix, values, strict=True))
