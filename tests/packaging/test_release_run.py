"""The whole release on Linux: from a tag to a draft with all its files, and the step that each fault stops.

Each step's own commands of the workflow are run in their order, with stand-ins for Apple's tools, PyInstaller, pip and
`gh`. What the stand-ins cannot say, PyInstaller's own work and what `verify.py` finds, is in `test_release_path.py`.
"""

from __future__ import annotations

import hashlib
import json
import shutil
import sys
from pathlib import Path

import pytest

from app.settings.updates import UpdateCheckFailed, read_feed
from tests.packaging.played_repository import APPLE, ROOT, WORKFLOWS, player_of, set_version
from tests.packaging.workflow_player import Player

pytestmark = [pytest.mark.full, pytest.mark.skipif(sys.platform != "linux", reason="a Mac has the tools themselves")]


@pytest.fixture
def player(tmp_path: Path) -> Player:
    """A repository with a tag for the first version, after the README's steps up to the secrets."""
    source = tmp_path / "source"
    (source / "resources").mkdir(parents=True)
    copied = ("packaging", ".ci", "pyproject.toml", "CHANGELOG.md", "resources")
    for entry in [*ROOT.iterdir(), *(ROOT / "resources").iterdir()]:
        if entry.name not in copied:
            (source / entry.relative_to(ROOT)).symlink_to(entry)
    shutil.copytree(ROOT / "packaging", source / "packaging")
    shutil.copy(ROOT / "pyproject.toml", source)
    (source / ".ci").mkdir()
    (source / "resources" / "updates.json").unlink()
    return player_of(source, tmp_path / "play")


def test_a_tag_ends_in_a_draft_with_signed_images_feed_cask_and_checksums(player: Player) -> None:
    player.play(WORKFLOWS / "release.yml")
    assert player.failed() == []
    assert player.results == dict.fromkeys(("ready", "tests", "bundle", "draft"), "success")
    draft = player.state / "releases" / "v0.1.0"
    assert json.loads((draft / "about.json").read_text()) == {"draft": True, "title": "Tandem 0.1.0"}
    assert (draft / "text.md").read_text() == "What is new in 0.1.0.\n"
    files = {file.name: file.read_bytes() for file in (draft / "files").iterdir()}
    images = {"Tandem-0.1.0-arm64.dmg", "Tandem-0.1.0-macos26-arm64.dmg"}
    archives = {name for name in files if name.endswith((".tar.xz", ".whl"))}
    others = {"tandem.rb", "SHA256SUMS", "feed.json", "feed.json.sig"}
    assert files.keys() == images | archives | others
    assert len(archives) == 2
    checksums = dict(reversed(line.split("  ")) for line in files["SHA256SUMS"].decode().splitlines())
    assert checksums == {name: hashlib.sha256(files[name]).hexdigest() for name in images | archives | {"tandem.rb"}}
    assert all(checksums[name] in files["tandem.rb"].decode() for name in images)
    # Both the app inside and the image are signed and notarised.
    assert all(files[name].count(b"SIGNED Developer ID Application") == 3 for name in images)
    assert all(files[name].count(b"TICKET") == 2 for name in images)


def test_a_linux_machine_without_the_libraries_of_a_window_ends_in_no_draft(player: Player) -> None:
    """GitHub's machines have none, so the workflow installs what the page for readers names."""
    workflow = player.scratch / "release.yml"
    text = (WORKFLOWS / "release.yml").read_text(encoding="utf-8")
    workflow.write_text(text.replace('bash -c "$command', 'true "$command'), encoding="utf-8")
    player.play(workflow)
    assert player.failed() == [("bundle-linux", "Verify")]
    assert player.results["draft"] == "skipped"


def test_started_by_hand_before_the_first_tag_it_builds_signs_and_drafts_nothing(player: Player) -> None:
    player.ref = "refs/heads/main"
    player.play(WORKFLOWS / "release.yml")
    assert player.failed() == []
    assert player.results == {"ready": "success", "tests": "success", "bundle": "success", "draft": "skipped"}
    steps = {ended.step for ended in player.ended}
    assert {"Whether it can be released", "Certificate", "Sign the app", "Sign the image", "Check the image"} <= steps
    assert not any("::warning::" in ended.output for ended in player.ended)
    assert not (player.state / "releases").exists()


def test_the_second_version_arrives_at_the_first_though_its_tests_failed_and_nothing_signs_it(player: Player) -> None:
    key = json.loads((player.source / "resources" / "updates.json").read_text())["key"]
    for name in APPLE:
        player.secrets[name] = ""
    set_version(player, "0.2.0")
    player.seed("tests")
    player.play(WORKFLOWS / "release.yml")
    assert {step for _, step in player.failed()} == {"Tests"}
    draft = player.state / "releases" / "v0.2.0"
    tests, signature, news = (draft / "text.md").read_text().strip().split("\n\n")
    assert "have not passed" in tests
    assert "Open Anyway" in signature
    assert news == "What is new in 0.2.0."
    commands = (player.state / "commands").read_text()
    assert "spctl" not in commands
    assert "codesign --verify --deep --strict" in commands
    feed = draft / "files" / "feed.json"
    release = read_feed(feed.read_bytes(), feed.with_suffix(".json.sig").read_bytes(), key)
    assert release.is_newer_than("0.1.0")
    assert release.page == "https://github.com/someone/tandem/releases/tag/v0.2.0"
    assert release.news_in("ko") == news
    with pytest.raises(UpdateCheckFailed):
        read_feed(feed.read_bytes() + b" ", feed.with_suffix(".json.sig").read_bytes(), key)
    # Before it expires, it is signed again.
    feed.unlink()
    player.play(WORKFLOWS / "feed.yml")
    assert player.failed() == []
    assert read_feed(feed.read_bytes(), feed.with_suffix(".json.sig").read_bytes(), key) == release


@pytest.mark.parametrize(
    "faults",
    [
        {
            ("refused-app", "26.2"): ("Sign the app", "The signature of the binary is invalid."),
            ("refused-image", "15.0"): ("Sign the image", "The signature of the binary is invalid."),
        },
        {
            ("slow-app", "26.2"): ("Sign the app", "`xcrun notarytool info zip` says how far they are"),
            ("no-stamps", "15.0"): ("Sign the app", "The timestamp service is not available."),
        },
        {
            ("copy", "26.2"): ("Check the image", "Contents/Resources/words.txt is missing in the image"),
            ("image", "15.0"): ("Check the image", "'hdiutil', 'verify'"),
        },
    ],
)
def test_a_fault_stops_its_own_step_and_the_draft(
    player: Player, faults: dict[tuple[str, str], tuple[str, str]]
) -> None:
    player.seed(*(f"{fault} --macos {macos}" for fault, macos in faults))
    player.play(WORKFLOWS / "release.yml")
    stopped = [(ended.job, ended.step, ended.output) for ended in player.ended if not ended.succeeded]
    assert [(job, step) for job, step, _ in stopped] == [
        (f"bundle-macos-{macos.partition('.')[0]}", step) for (_, macos), (step, _) in faults.items()
    ]
    assert all(says in output for (_, _, output), (_, says) in zip(stopped, faults.values(), strict=True))
    assert player.results == {"ready": "success", "tests": "success", "bundle": "failure", "draft": "skipped"}
    assert not (player.state / "releases").exists()
    # What has nothing to do with it is there: only what failed has to be run again.
    assert [folder.name for folder in player.artifacts.iterdir()] == ["linux"]


@pytest.mark.parametrize(
    ("secret", "value", "says"),
    [
        ("TANDEM_FEED_KEY", "", "TANDEM_FEED_KEY is missing"),
        ("APPLE_TEAM", "", "APPLE_TEAM is missing beside"),
        ("MACOS_CERTIFICATE_PASSWORD", "?", "MACOS_CERTIFICATE_PASSWORD is not its password"),
    ],
)
@pytest.mark.parametrize("ref", ["refs/tags/v0.1.0", "refs/heads/main"])
def test_a_secret_that_is_missing_or_wrong_stops_it_before_anything_is_built(
    player: Player, secret: str, value: str, says: str, ref: str
) -> None:
    player.ref = ref
    player.secrets[secret] = value
    player.play(WORKFLOWS / "release.yml")
    assert player.failed() == [("ready", "Whether it can be released")]
    assert says in next(ended.output for ended in player.ended if not ended.succeeded)
    assert {ended.job for ended in player.ended} == {"ready"}


def test_an_app_password_that_apple_does_not_accept_stops_what_signs(player: Player) -> None:
    player.secrets["APPLE_APP_PASSWORD"] = "aaaa-bbbb-cccc-dddd"
    player.play(WORKFLOWS / "release.yml")
    assert player.failed() == [("bundle-macos-26", "Certificate"), ("bundle-macos-15", "Certificate")]
    assert player.results["draft"] == "skipped"


def test_before_the_first_release_there_is_no_feed_to_sign_again(player: Player) -> None:
    player.play(WORKFLOWS / "feed.yml")
    assert player.failed() == []
    assert player.ended[-1].output == "Nothing was released yet.\n"


def test_a_feed_in_a_release_that_nobody_can_change_is_said_to_be_one(player: Player) -> None:
    (player.state / "releases" / "v0.1.0").mkdir(parents=True)
    player.seed("immutable ")
    player.play(WORKFLOWS / "feed.yml")
    assert player.failed() == [("renew", "Sign the feed again")]
    assert "immutable release" in player.ended[-1].output
