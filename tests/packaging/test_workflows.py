"""The release workflow: the order of its steps, and secrets that are optional and only visible where needed."""

from __future__ import annotations

import re
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


def step(job: dict[str, Any], name: str) -> tuple[int, dict[str, Any]]:
    """A step by its name, with its place."""
    return next((place, step) for place, step in enumerate(job["steps"]) if step.get("name") == name)


@pytest.mark.parametrize("file", WORKFLOWS, ids=lambda file: file.name)
def test_scripts_are_bash_name_existing_files_and_hold_no_secret(file: Path) -> None:
    for job in jobs_of(file).values():
        for one in job["steps"]:
            assert ("run" in one) != ("uses" in one)
            script = one.get("run", "")
            assert subprocess.run(["bash", "-n"], input=script.encode()).returncode == 0, script
            for named in re.findall(r"(?:python|bash) ([\w./-]+/[\w.-]+)", script):
                assert (ROOT / named).is_file(), named
            assert re.fullmatch(r"actions/[\w-]+@v\d+", one.get("uses", "actions/x@v1"))
            # GitHub knows no secrets in conditions, and a secret within a script would be part of its text.
            assert "secrets." not in script + str(one.get("if", ""))


@pytest.mark.parametrize("file", WORKFLOWS, ids=lambda file: file.name)
def test_a_virtual_mac_computes_on_its_cpu_and_has_the_time(file: Path) -> None:
    for job in jobs_of(file).values():
        systems = job.get("strategy", {}).get("matrix", {}).get("os", [job["runs-on"]])
        if any(system.startswith("macos") for system in systems):
            assert job["env"]["TANDEM_DEVICE"] == "${{ startsWith(matrix.os, 'macos') && 'cpu' || '' }}"
            # pip is told the version of macOS, by which it chooses MLX's wheel.
            assert job["env"]["SYSTEM_VERSION_COMPAT"] == "0"
            assert job["timeout-minutes"] >= 90


def test_a_tag_builds_tests_signs_and_drafts(jobs: dict[str, Any]) -> None:
    assert jobs["draft"]["needs"] == "build"
    assert jobs["draft"]["if"] == "startsWith(github.ref, 'refs/tags/v')"
    assert {system.partition("-")[0] for system in jobs["build"]["strategy"]["matrix"]["os"]} == {"ubuntu", "macos"}


@pytest.mark.parametrize("file", WORKFLOWS, ids=lambda file: file.name)
def test_a_workflow_says_what_it_may_do(file: Path) -> None:
    permissions = yaml.safe_load(file.read_text(encoding="utf-8"))["permissions"]
    assert permissions == {"contents": "write" if file.name == "feed.yml" else "read"}


def test_only_the_draft_may_write(jobs: dict[str, Any]) -> None:
    whole = yaml.safe_load((ROOT / ".github" / "workflows" / "release.yml").read_text(encoding="utf-8"))
    assert whole["permissions"] == {"contents": "read"}
    assert "permissions" not in jobs["build"]
    assert jobs["draft"]["permissions"] == {"contents": "write"}


def test_the_certificate_may_be_absent(jobs: dict[str, Any]) -> None:
    build = jobs["build"]
    _, certificate = step(build, "Certificate")
    # Neither the tests nor what they install see it.
    assert build["env"].pop("HAS_CERTIFICATE") == "${{ secrets.MACOS_CERTIFICATE != '' }}"
    assert "secrets." not in str(build["env"])
    assert certificate["if"] == "runner.os == 'macOS' && env.HAS_CERTIFICATE == 'true'"
    assert all("secrets." not in str(one) for one in build["steps"] if one is not certificate)
    variables = {"TANDEM_SIGNING_IDENTITY", "TANDEM_NOTARY_PROFILE"}
    # A keychain that locks itself makes codesign wait for a password until the job is ended.
    assert 'security set-keychain-settings "$keychain"\n' in certificate["run"]
    assert {*re.findall(r'echo "(TANDEM_\w+)=', certificate["run"])} == variables
    signing = (ROOT / "packaging" / "sign.py").read_text(encoding="utf-8")
    assert all(f'"{variable}"' in signing for variable in variables)


def test_the_draft_has_a_cask_checksums_and_says_whether_it_is_signed(jobs: dict[str, Any]) -> None:
    _, draft = step(jobs["draft"], "Draft the release")
    order = ["cask.py", "SHA256SUMS", "feed.py sign", "not signed", "feed.py news", "gh release create"]
    places = [draft["run"].index(word) for word in order]
    assert places == sorted(places)
    assert '"$HAS_CERTIFICATE" != true' in draft["run"]


def test_what_is_downloaded_is_what_was_uploaded(jobs: dict[str, Any]) -> None:
    [upload] = [one for one in jobs["build"]["steps"] if "upload-artifact" in one.get("uses", "")]
    assert upload["with"]["if-no-files-found"] == "error"
    kinds = {Path(path).suffix for path in upload["with"]["path"].split()}
    assert kinds == {".dmg", ".xz", ".whl"}
    [download] = [one for one in jobs["draft"]["steps"] if "download-artifact" in one.get("uses", "")]
    assert download["with"] == {"path": "files", "merge-multiple": True}
