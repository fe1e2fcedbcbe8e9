"""The release on a Linux machine as bare as GitHub's: real packages, pip, PyInstaller and checks, from tag to draft.

Each step's own commands of the workflow run in a root file system that has only what such a machine has. It takes some
ten minutes and 4 GB of disk, so it is a campaign. Stand-ins remain for Macs, for `gh` and for GitHub's actions; what
each of them could hide is in packaging/README.md.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
from pathlib import Path

import pytest

from tests.packaging.played_repository import ROOT, WORKFLOWS, player_of
from tests.packaging.played_root import PlayedRoot
from tests.packaging.workflow_player import Player

pytestmark = [
    pytest.mark.campaign,
    pytest.mark.skipif(sys.platform != "linux" or os.geteuid() != 0, reason="needs root on Linux"),
    pytest.mark.skipif(not shutil.which("debootstrap"), reason="needs debootstrap"),
]
# Not of the repository, or larger than anything that is built from it.
_LEFT_OUT = shutil.ignore_patterns(".git", ".venv", "build", "__pycache__", ".*_cache")
# Starts the app as a hardened runtime does on a Mac: nothing that it writes can be loaded as code.
_HARDENED = """
mount -t tmpfs -o noexec tmpfs /mnt
TMPDIR=/mnt TANDEM_DEVICE=cpu QT_QPA_PLATFORM=offscreen "$1/Tandem/Tandem" --self-test
test ! -e /mnt/mlx
"""


@pytest.fixture(scope="module")
def bare(tmp_path_factory: pytest.TempPathFactory) -> PlayedRoot:
    """A machine on which nothing was done yet."""
    return PlayedRoot.made_of_packages(tmp_path_factory.mktemp("roots") / "bare")


@pytest.fixture
def player(bare: PlayedRoot, tmp_path: Path) -> Player:
    """A repository with a tag for the first version, whose Linux jobs run on a machine of their own."""
    source = tmp_path / "source"
    shutil.copytree(ROOT, source, ignore=_LEFT_OUT)
    player = player_of(source, tmp_path / "play")
    player.root = bare.copy(tmp_path / "root")
    return player


def hardened_self_test(player: Player, folder: Path) -> tuple[bool, str]:
    """Let the app in a folder answer where it can load no code that it compiles."""
    assert player.root
    environment = {"HOME": "/root", "PATH": "/usr/bin:/bin:/usr/sbin:/sbin", "LANG": "C.UTF-8"}
    return player.root.run(["bash", "-ec", _HARDENED, "bash", str(folder)], player.scratch, player.scratch, environment)


def test_a_tag_ends_in_a_draft_whose_archive_answers_where_nothing_can_be_compiled(player: Player) -> None:
    player.play(WORKFLOWS / "release.yml")
    assert player.failed() == [], [ended.output for ended in player.ended if not ended.succeeded]
    files = player.state / "releases" / "v0.1.0" / "files"
    [archive] = files.glob("*.tar.xz")
    shutil.unpack_archive(archive, player.scratch / "unpacked", filter="tar")
    succeeded, output = hardened_self_test(player, player.scratch / "unpacked")
    assert succeeded, output
    assert json.loads(output.splitlines()[-1])["ok"]


def test_what_stopped_a_first_release_before_stops_its_own_step(player: Player) -> None:
    """Only some of the window's packages, and MLX that compiles on the CPU."""
    page = player.source / "docs" / "installing.md"
    page.write_text(page.read_text(encoding="utf-8").replace(" libxcb-cursor0", ""), encoding="utf-8")
    backend = player.source / "engine" / "cpu_backend" / "backend.py"
    backend.write_text(backend.read_text(encoding="utf-8").replace("mx.disable_compile()", "pass"), encoding="utf-8")
    player.play(WORKFLOWS / "release.yml")
    assert player.failed() == [("bundle-linux", "Verify")]
    assert player.results["draft"] == "skipped"
    output = next(ended.output for ended in player.ended if not ended.succeeded)
    assert "libqxcb.so needs libxcb-cursor.so.0, which is missing" in output
    [built] = player.scratch.glob("machines/bundle-*/work/build/bundle/dist/Tandem/Tandem")
    succeeded, output = hardened_self_test(player, built.parents[1])
    assert not succeeded
    assert "Could not load C++ shared library" in output
