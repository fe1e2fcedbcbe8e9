"""The Homebrew cask names the images of a release and follows Homebrew's style."""

from __future__ import annotations

import hashlib
import os
import re
import runpy
import shutil
import subprocess
from pathlib import Path

import pytest

PACKAGING = Path(__file__).resolve().parents[2] / "packaging"
cask = runpy.run_path(str(PACKAGING / "cask.py"))
IMAGES = ["Tandem-1.2.3-arm64.dmg", "Tandem-1.2.3-macos26-arm64.dmg"]


@pytest.fixture
def written(tmp_path: Path) -> str:
    """A cask of disk images with a little in them."""
    for name in IMAGES:
        (tmp_path / name).write_bytes(name.encode())
    cask["main"](str(tmp_path), "someone/tandem", str(tmp_path / "tandem.rb"))
    return (tmp_path / "tandem.rb").read_text()


def test_each_system_gets_its_image_with_its_checksum(written: str) -> None:
    assert 'version "1.2.3"' in written
    found = re.findall(r"  on_(\w+(?: :\w+)?) do\n    sha256 \"(\w+)\"\n    url \"(.*)\"\n", written)
    release = "https://github.com/someone/tandem/releases/download/v1.2.3"
    assert [(system, checksum, url.replace("#{version}", "1.2.3")) for system, checksum, url in found] == [
        (system, hashlib.sha256(name.encode()).hexdigest(), f"{release}/{name}")
        for system, name in zip(("sequoia", "tahoe :or_newer"), IMAGES, strict=True)
    ]


def test_it_follows_the_rules_that_brew_style_checks(written: str) -> None:
    [description] = re.findall(r'desc "(.*)"', written)
    assert len(description) <= 80
    assert not re.search(r"(?i)^(an?|the|tandem)\b|\bmacos\b|\.$", description)
    # The form of 2026: that system or a newer one.
    assert "depends_on macos: :sequoia\n" in written
    removed = re.findall(r'"(~/.*)"', written)
    assert removed == sorted(removed, key=str.casefold)
    assert not [line for line in written.splitlines() if line != line.rstrip() or "'" in line or "\t" in line]
    assert written.count("[") == written.count("]") == 1
    assert written.count('"') % 2 == 0


def test_macos_26_0_and_26_1_are_told_what_their_image_needs(written: str) -> None:
    assert "26.2" in written[written.index("on_tahoe") : written.index("  name")]


@pytest.mark.parametrize(("arguments", "started"), [([], "open"), (["chat", "Why is it?"], "Tandem")])
def test_its_command_opens_the_app_and_runs_its_program_in_the_app(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str], started: str
) -> None:
    """The program in place of a link to it, because macOS takes a program at a link's path for one without an app."""
    app, bin_folder = tmp_path / "An app" / "Tandem.app", tmp_path / "bin"
    program, script = app / "Contents" / "MacOS" / "Tandem", app / "Contents" / "Resources" / "tandem.sh"
    for file in (program, bin_folder / "open"):
        file.parent.mkdir(parents=True)
        file.write_text('#!/bin/sh\nprintf "%s\n" "$0" "$@"\n')
        file.chmod(0o755)
    script.parent.mkdir()
    shutil.copy(PACKAGING / "bundle" / "tandem.sh", script)
    (bin_folder / "tandem").symlink_to(script)
    monkeypatch.setenv("PATH", f"{bin_folder}:{os.environ['PATH']}")
    said = subprocess.run(["tandem", *arguments], check=True, capture_output=True, text=True).stdout
    expected = {"open": [bin_folder / "open", app], "Tandem": [program, *arguments]}[started]
    assert said.splitlines() == [str(part) for part in expected]


@pytest.mark.parametrize(
    ("images", "repository"),
    [
        (["Tandem.dmg", IMAGES[1]], "someone/tandem"),
        (IMAGES[:1], "someone/tandem"),
        ([IMAGES[0], IMAGES[1].replace("1.2.3", "1.2.2")], "someone/tandem"),
        (IMAGES, "tandem"),
        (IMAGES, 'a/b"; x'),
    ],
)
def test_a_wrong_name_is_refused(tmp_path: Path, images: list[str], repository: str) -> None:
    for name in images:
        (tmp_path / name).write_bytes(b"")
    with pytest.raises(SystemExit):
        cask["content"]([tmp_path / name for name in images], repository)
