"""A second start with the same data folder raises the first window, also after a process was killed."""

from __future__ import annotations

import os
import signal
import stat
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QObject
from pytestqt.qtbot import QtBot

from app.system.single_instance import SingleInstance
from tests.patience import PATIENCE_S

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture
def first(tmp_path: Path) -> Iterator[SingleInstance]:
    instance = SingleInstance(tmp_path / "cache", tmp_path / "data")
    yield instance
    instance.close()


def second(tmp_path: Path, data: str = "data") -> SingleInstance:
    return SingleInstance(tmp_path / "cache", tmp_path / data)


def socket_folder(home: Path) -> Path:
    """Return the folder that the only lock below `home` names."""
    (lock,) = home.rglob("instance-*.lock")
    return Path(lock.read_text())


def claimed_meanwhile(qtbot: QtBot, instance: SingleInstance) -> bool:
    """Return the outcome of a claim on another thread, which stands for a process, while events are handled."""
    outcome: list[bool] = []
    thread = threading.Thread(target=lambda: outcome.append(instance.claim()))
    thread.start()
    qtbot.waitUntil(lambda: bool(outcome))
    thread.join()
    return outcome[0]


def test_the_first_one_comes_to_the_front(first: SingleInstance, tmp_path: Path, qtbot: QtBot, qapp: QObject) -> None:
    raised: list[bool] = []

    def come_to_front() -> bool:
        raised.append(True)
        return True

    assert first.claim()
    first.listen(come_to_front, qapp)
    assert not claimed_meanwhile(qtbot, second(tmp_path))
    assert not claimed_meanwhile(qtbot, second(tmp_path))
    assert len(raised) == 2


def test_a_long_name_of_the_temporary_folder_is_no_hindrance(
    first: SingleInstance, tmp_path: Path, qtbot: QtBot, qapp: QObject, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The path of a socket has about 100 bytes at most, and TMPDIR can have more."""
    temporary = tmp_path / ("long" * 25)
    temporary.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(temporary))
    assert first.claim()
    first.listen(lambda: True, qapp)
    assert not claimed_meanwhile(qtbot, second(tmp_path))
    folder = socket_folder(tmp_path)
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    first.close()
    assert not folder.exists()
    assert not list(temporary.iterdir())


def test_another_data_folder_is_another_app(first: SingleInstance, tmp_path: Path) -> None:
    assert first.claim()
    other = second(tmp_path, "elsewhere")
    assert other.claim(patience_s=0)
    other.close()


def test_a_window_that_closes_makes_room(first: SingleInstance, tmp_path: Path, qtbot: QtBot, qapp: QObject) -> None:
    def close() -> bool:
        first.close()
        return False

    assert first.claim()
    first.listen(close, qapp)
    next_one = second(tmp_path)
    assert claimed_meanwhile(qtbot, next_one)
    next_one.close()


def test_one_that_does_not_react_does_not_keep_others_from_starting(first: SingleInstance, tmp_path: Path) -> None:
    assert first.claim()
    assert second(tmp_path).claim(patience_s=0.2)


def test_where_no_lock_can_be_made_the_app_starts(tmp_path: Path) -> None:
    (tmp_path / "cache").write_text("a file, not a folder")
    assert second(tmp_path).claim(patience_s=0)


def test_what_stands_in_the_file_of_the_lock_is_not_trusted(tmp_path: Path) -> None:
    kept = tmp_path / "tandem-kept"
    kept.mkdir()
    (kept / "letters.txt").write_text("mine")
    for content in (str(kept).encode(), b"\xff\xfe", b"/", b"tandem-kept", b""):
        instance = second(tmp_path)
        assert instance.claim(patience_s=0)
        (lock,) = (tmp_path / "cache").glob("*.lock")
        instance.close()
        lock.write_bytes(content)
    assert (kept / "letters.txt").read_text() == "mine"


def start(*module: str, home: Path) -> subprocess.Popen[str]:
    environment = {key: value for key, value in os.environ.items() if not key.startswith("XDG_")}
    environment |= {"HOME": str(home), "QT_QPA_PLATFORM": "offscreen"}
    return subprocess.Popen(
        [sys.executable, "-m", *module], cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True
    )


def leave_a_page(home: Path) -> Path:
    """Write a page as one that was opened in the browser, and return its folder."""
    pages = home / ("Library/Caches" if sys.platform == "darwin" else ".cache") / "Tandem" / "pages"
    pages.mkdir(parents=True)
    (pages / "left.html").write_text("<p>")
    return pages


@pytest.mark.parametrize("after_a_kill", [False, pytest.param(True, marks=pytest.mark.full)])
def test_two_processes_have_one_window_also_after_a_kill(tmp_path: Path, after_a_kill: bool) -> None:
    folders: list[Path] = []
    if after_a_kill:
        killed = start("tests.app.first_instance", home=tmp_path)
        assert killed.stdout is not None
        assert killed.stdout.readline() == "minimised\n"
        folders.append(socket_folder(tmp_path))
        killed.send_signal(signal.SIGKILL)
        killed.communicate()
    pages = leave_a_page(tmp_path)
    first = start("tests.app.first_instance", home=tmp_path)
    assert first.stdout is not None
    assert first.stdout.readline() == "minimised\n"
    assert not pages.exists()
    leave_a_page(tmp_path)
    folders.append(socket_folder(tmp_path))
    assert [folder.exists() for folder in folders] == [False] * (len(folders) - 1) + [True]
    again = start("app", home=tmp_path)
    said, _ = again.communicate(timeout=PATIENCE_S)
    assert (again.returncode, said) == (0, "Tandem is already open. Its window is now in front.\n")
    assert first.communicate(timeout=PATIENCE_S)[0] == "raised\n"
    assert first.returncode == 0
    assert not folders[-1].exists()
    assert not pages.exists()
