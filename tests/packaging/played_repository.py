"""A copy of the repository, made ready for its first release, whose workflows are played."""

from __future__ import annotations

import base64
import json
import re
import subprocess
import sys
from pathlib import Path

from tests.packaging.certificates import exported_certificate
from tests.packaging.played_tools.tools import APP_PASSWORD, PASSWORD
from tests.packaging.workflow_player import Player

ROOT = Path(__file__).resolve().parents[2]
WORKFLOWS = ROOT / ".github" / "workflows"
CERTIFICATE = exported_certificate(PASSWORD)
ADDRESS = "https://github.com/someone/tandem/releases/latest/download/feed.json"
APPLE = {
    "MACOS_CERTIFICATE": base64.encodebytes(CERTIFICATE).decode(),
    "MACOS_CERTIFICATE_PASSWORD": PASSWORD,
    "APPLE_ID": "somebody@example.org",
    "APPLE_TEAM": "ABCDE12345",
    "APPLE_APP_PASSWORD": APP_PASSWORD,
}


def player_of(source: Path, scratch: Path) -> Player:
    """Do the README's steps up to the secrets and the first tag, in a copy of the repository; its tests are played."""
    (source / ".ci" / "run").write_text('grep -qx tests "$PLAYED_STATE/faults" && exit 1\nexit 0\n', encoding="utf-8")
    updates = source / "resources" / "updates.json"
    updates.write_text(json.dumps({"feed": ADDRESS, "key": ""}), encoding="utf-8")
    command = [sys.executable, "packaging/feed.py", "keys"]
    made = subprocess.run(command, cwd=source, capture_output=True, text=True, check=True)
    secrets = {**APPLE, "TANDEM_FEED_KEY": made.stdout.strip().partition("=")[2]}
    player = Player(source, scratch, secrets)
    (player.state / "certificate.p12").write_bytes(CERTIFICATE)
    set_version(player, "0.1.0")
    return player


def set_version(player: Player, version: str) -> None:
    """Do what comes before a tag, and set the tag."""
    project = player.source / "pyproject.toml"
    text = project.read_text(encoding="utf-8")
    project.write_text(re.sub(r'^version = ".*"', f'version = "{version}"', text, flags=re.MULTILINE), encoding="utf-8")
    changelog = f"# Changelog\n\n## {version} – 1 May 2027\n\nWhat is new in {version}.\n"
    (player.source / "CHANGELOG.md").write_text(changelog, encoding="utf-8")
    player.ref = f"refs/tags/v{version}"
