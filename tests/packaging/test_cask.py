"""The Homebrew cask describes the release in the order of Homebrew's style."""

from __future__ import annotations

import hashlib
import re
import runpy
from pathlib import Path

import pytest

cask = runpy.run_path(str(Path(__file__).resolve().parents[2] / "packaging" / "cask.py"))
# https://docs.brew.sh/Cask-Cookbook#stanza-order: groups, with an empty line between them.
GROUPS = [["version", "sha256"], ["url", "name", "desc", "homepage"], ["depends_on"], ["app", "binary"], ["zap"]]


@pytest.fixture
def written(tmp_path: Path) -> str:
    """A cask of a disk image with a little in it."""
    image = tmp_path / "Tandem-1.2.3-arm64.dmg"
    image.write_bytes(b"an image")
    cask["main"](str(image), "someone/tandem", str(tmp_path / "tandem.rb"))
    return (tmp_path / "tandem.rb").read_text()


def test_it_has_version_checksum_and_address_of_the_release(written: str) -> None:
    assert 'version "1.2.3"' in written
    assert f'sha256 "{hashlib.sha256(b"an image").hexdigest()}"' in written
    [address] = re.findall(r'url "(.*)"', written)
    assert address.replace("#{version}", "1.2.3") == (
        "https://github.com/someone/tandem/releases/download/v1.2.3/Tandem-1.2.3-arm64.dmg"
    )
    assert "OWNER" not in written
    assert ":no_check" not in written


def test_its_stanzas_are_in_homebrews_order(written: str) -> None:
    body = written.removeprefix('cask "tandem" do\n').removesuffix("end\n")
    groups = [[*dict.fromkeys(re.findall(r"^  (\w+)", group, re.MULTILINE))] for group in body.rstrip().split("\n\n")]
    assert groups == GROUPS


def test_it_follows_the_rules_that_brew_style_checks(written: str) -> None:
    [description] = re.findall(r'desc "(.*)"', written)
    assert len(description) <= 80
    assert not re.search(r"(?i)^(an?|the|tandem)\b|\bmacos\b|\.$", description)
    # The form of 2026: that system or a newer one.
    assert "depends_on macos: :sonoma\n" in written
    removed = re.findall(r'"(~/.*)"', written)
    assert removed == sorted(removed, key=str.casefold)
    assert not [line for line in written.splitlines() if line != line.rstrip() or "'" in line or "\t" in line]
    assert written.count("[") == written.count("]") == 1
    assert written.count('"') % 2 == 0


@pytest.mark.parametrize(
    ("image", "repository"),
    [("Tandem.dmg", "someone/tandem"), ("Tandem-1.2.3-arm64.dmg", "tandem"), ("Tandem-1.2.3-arm64.dmg", 'a/b"; x')],
)
def test_a_wrong_name_is_refused(tmp_path: Path, image: str, repository: str) -> None:
    (tmp_path / image).write_bytes(b"")
    with pytest.raises(SystemExit):
        cask["content"](tmp_path / image, repository)
