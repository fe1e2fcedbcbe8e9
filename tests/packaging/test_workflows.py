"""The workflows: what starts them, the order of their steps, what they may do, and which step sees a secret."""

from __future__ import annotations

import os
import re
import runpy
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[2]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))


def jobs_of(file: Path) -> dict[str, Any]:
    jobs: dict[str, Any] = yaml.safe_load(file.read_text(encoding="utf-8"))["jobs"]
    return jobs


@pytest.fixture
def jobs() -> dict[str, Any]:
    return jobs_of(ROOT / ".github" / "workflows" / "release.yml")


@pytest.mark.parametrize("file", WORKFLOWS, ids=lambda file: file.name)
def test_scripts_are_bash_name_existing_files_and_hold_no_secret(file: Path) -> None:
    for job in jobs_of(file).values():
        for step in job["steps"]:
            assert ("run" in step) != ("uses" in step)
            script = step.get("run", "")
            assert subprocess.run(["bash", "-n"], input=script.encode()).returncode == 0, script
            for named in re.findall(r"(?:python|bash) ([\w./-]+/[\w.-]+)", script):
                assert (ROOT / named).is_file(), named
            # GitHub knows no secrets in conditions, and a secret within a script would be part of its text.
            assert "secrets." not in script + str(step.get("if", ""))
            # What comes from outside into a script is a variable, never a part of its text.
            assert "${{" not in script


@pytest.mark.parametrize("file", WORKFLOWS, ids=lambda file: file.name)
def test_actions_of_others_are_named_by_their_commits(file: Path) -> None:
    """A tag can be moved to other code, a commit cannot; the comment says which version it is."""
    text = file.read_text(encoding="utf-8")
    named = re.findall(r"uses: (.*)", text)
    assert all(re.fullmatch(r"actions/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+", action) for action in named)
    assert named.count(next(action for action in named if "checkout" in action)) == text.count(
        "persist-credentials: false"
    )


def test_a_tag_starts_one_set_of_jobs() -> None:
    # YAML takes the word "on" for true.
    started = {file.name: yaml.safe_load(file.read_text(encoding="utf-8"))[True] for file in WORKFLOWS}
    assert started["release.yml"]["push"] == {"tags": ["v*"]}
    assert started["ci.yml"] == {"push": {"branches": ["**"]}, "pull_request": None}
    assert "push" not in started["feed.yml"]


@pytest.mark.parametrize("file", WORKFLOWS, ids=lambda file: file.name)
def test_a_virtual_mac_computes_on_its_cpu_and_has_the_time(file: Path) -> None:
    everywhere = yaml.safe_load(file.read_text(encoding="utf-8")).get("env", {})
    for job in jobs_of(file).values():
        matrix = job.get("strategy", {}).get("matrix", {})
        systems = [*matrix.get("os", [job["runs-on"]]), *(entry["os"] for entry in matrix.get("include", ()))]
        if any(system.startswith("macos") for system in systems):
            assert job["env"]["TANDEM_DEVICE"] == "${{ startsWith(matrix.os, 'macos') && 'cpu' || '' }}"
            # pip is told the version of macOS, by which it chooses MLX's wheel.
            assert {**everywhere, **job["env"]}["SYSTEM_VERSION_COMPAT"] == "0"
            assert job["timeout-minutes"] >= 90


def test_bundles_wait_for_no_test_and_the_draft_for_both(jobs: dict[str, Any]) -> None:
    assert jobs["bundle"]["needs"] == jobs["tests"]["needs"] == "ready"
    assert jobs["draft"]["needs"] == ["tests", "bundle"]
    assert "!cancelled() && needs.bundle.result == 'success'" in jobs["draft"]["if"]
    assert "startsWith(github.ref, 'refs/tags/v')" in jobs["draft"]["if"]


def test_each_step_of_the_build_is_one_of_the_workflow_in_the_same_order(jobs: dict[str, Any]) -> None:
    build = runpy.run_path(str(ROOT / "packaging" / "build.py"))
    scripts = [step.get("run", "") for step in jobs["bundle"]["steps"]]
    steps = [script.rpartition("--only ")[2] for script in scripts if "build.py" in script]
    assert steps == [*build["STEPS"]]
    on_macos = {
        step["run"].rpartition("--only ")[2] for step in jobs["bundle"]["steps"] if "macOS" in step.get("if", "")
    }
    assert {*build["_ON_MACOS"]} == on_macos - {"python packaging/keychain.py"}
    included = jobs["bundle"]["strategy"]["matrix"]["include"]
    assert {entry["options"] for entry in included} == {"", "--macos 26.2", "--macos 15.0"}
    assert len({entry["name"] for entry in included}) == 3


def test_the_linux_bundle_is_built_with_the_window_packages_that_readers_install(
    jobs: dict[str, Any], tmp_path: Path
) -> None:
    """Qt needs them, and PyInstaller takes them into the bundle; GitHub's machines do not have them."""
    steps = jobs["bundle"]["steps"]
    [step] = [step for step in steps if "window-packages" in step.get("run", "")]
    assert step["if"] == "runner.os == 'Linux'"
    assert steps.index(step) < next(place for place, other in enumerate(steps) if "build.py" in other.get("run", ""))
    (tmp_path / "sudo").write_text('#!/bin/sh\necho "$@"\n', encoding="utf-8")
    (tmp_path / "sudo").chmod(0o755)
    path = {"PATH": f"{tmp_path}:{os.environ['PATH']}"}
    done = subprocess.run(["bash", "-ec", step["run"]], cwd=ROOT, env=path, capture_output=True, text=True, check=True)
    update, install = done.stdout.splitlines()
    assert update == "apt-get update"
    page = (ROOT / "docs" / "installing.md").read_text(encoding="utf-8")
    assert f"\nsudo {install.partition(' --')[0]}\n" in page
    assert "libxcb-cursor0" in install


def test_a_wait_for_apple_ends_before_the_job(jobs: dict[str, Any]) -> None:
    bundle = jobs["bundle"]
    waits = [step["timeout-minutes"] for step in bundle["steps"] if step.get("name", "").startswith("Sign the")]
    assert len(waits) == 2
    assert sum(waits) < bundle["timeout-minutes"]
    assert min(waits) * 60 > runpy.run_path(str(ROOT / "packaging" / "sign.py"))["_NOTARIES_S"]


@pytest.mark.parametrize("file", WORKFLOWS, ids=lambda file: file.name)
def test_only_what_publishes_may_write(file: Path) -> None:
    workflow = yaml.safe_load(file.read_text(encoding="utf-8"))
    assert workflow["permissions"] == {"contents": "read"}
    may_write = {name for name, job in workflow["jobs"].items() if "permissions" in job}
    assert may_write == {"release.yml": {"draft"}, "feed.yml": {"renew"}, "ci.yml": set()}[file.name]
    assert all(workflow["jobs"][name]["permissions"] == {"contents": "write"} for name in may_write)


def test_secrets_are_seen_by_the_steps_that_need_them(jobs: dict[str, Any]) -> None:
    # Neither the tests nor what they install see one.
    assert "secrets." not in str(jobs["tests"])
    bundle = jobs["bundle"]
    [certificate] = [step for step in bundle["steps"] if step.get("name") == "Certificate"]
    assert bundle["env"].pop("HAS_MACOS_CERTIFICATE") == "${{ secrets.MACOS_CERTIFICATE != '' }}"
    assert "secrets." not in str(bundle["env"])
    assert certificate["if"] == "runner.os == 'macOS' && env.HAS_MACOS_CERTIFICATE == 'true'"
    assert all("secrets." not in str(step) for step in bundle["steps"] if step is not certificate)
    read = {
        *re.findall(r'environ(?:\.get\(|\[)"(\w+)"', (ROOT / "packaging" / "keychain.py").read_text(encoding="utf-8"))
    }
    assert read - {"RUNNER_TEMP", "GITHUB_ENV"} == {*certificate["env"]}


def test_every_secret_is_described(jobs: dict[str, Any]) -> None:
    text = (ROOT / "packaging" / "README.md").read_text(encoding="utf-8")
    secrets = {*re.findall(r"secrets\.(\w+)", str(jobs))}
    assert len(secrets) == 6
    assert {name for name in secrets if f"`{name}`" not in text} == set()


def test_what_is_downloaded_is_what_was_uploaded(jobs: dict[str, Any]) -> None:
    [upload] = [step for step in jobs["bundle"]["steps"] if "upload-artifact" in step.get("uses", "")]
    assert upload["with"]["if-no-files-found"] == "error"
    kinds = {Path(path).suffix for path in upload["with"]["path"].split()}
    assert kinds == {".dmg", ".xz", ".whl"}
    [download] = [step for step in jobs["draft"]["steps"] if "download-artifact" in step.get("uses", "")]
    assert download["with"] == {"path": "files", "merge-multiple": True}
