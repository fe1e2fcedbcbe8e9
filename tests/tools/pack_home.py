"""Packs a home for tests of updates: `python -m tests.tools.pack_home FILE.zip`.

It plays a session on an empty home with this version's window and the starter pair (two questions, settings of every
kind, a paused download), exports the chat, and packs all files. Files of prefix caches are truncated.
"""

from __future__ import annotations

import os
import sys
import tempfile
import zipfile
from collections.abc import Callable
from pathlib import Path

from tests.app.older_homes import CHOSEN, PAUSED, QUESTIONS

_ROOT = Path(__file__).resolve().parents[2]
_FOLDERS = {"data": "XDG_DATA_HOME", "config": "XDG_CONFIG_HOME", "cache": "XDG_CACHE_HOME"}
_PREFIX_BYTES = 4096
# The date of every file of an archive.
_DATE = (2026, 1, 1, 0, 0, 0)


def pack(data: Path, config: Path, cache: Path, export: Path, target: Path) -> None:
    """Pack the JSON files, databases and prefix caches of the folders."""
    with zipfile.ZipFile(target, "w") as packed:
        for kind, folder in (("data", data), ("config", config), ("cache", cache)):
            for file in sorted(folder.rglob("*")):
                if file.is_file() and file.suffix in (".json", ".db", ".safetensors"):
                    _add(packed, f"{kind}/{file.relative_to(folder).as_posix()}", file.read_bytes())
        _add(packed, "export.json", export.read_bytes())


def _add(packed: zipfile.ZipFile, name: str, content: bytes) -> None:
    entry = zipfile.ZipInfo(name, _DATE)
    entry.compress_type = zipfile.ZIP_DEFLATED
    # The checkout's path and the caches' contents are of no use elsewhere.
    content = content.replace(str(_ROOT).encode(), b"/opt/tandem") if name.endswith(".json") else content
    packed.writestr(entry, content[:_PREFIX_BYTES] if name.endswith(".safetensors") else content)


def play_session(export: Path) -> None:
    """Play one session on the home of this process."""
    from app.conversations.exports.writing import write_json
    from app.conversations.opening import open_store
    from app.settings.store import SettingsStore
    from app.system.paths import data_folder, settings_folder
    from app.widgets.application import Application
    from app.window.startup import open_window
    from engine.hub.download_state import DownloadStatus, write_queue

    data_folder().mkdir(parents=True)
    paused = DownloadStatus(
        PAUSED, state="paused", commit="0" * 40, bytes_done=1_200_000_000, bytes_total=4_600_000_000
    )
    write_queue(data_folder() / "downloads.json", [paused])
    settings = SettingsStore(settings_folder() / "settings.json")
    application = Application(["tandem"], "en")
    window, session = open_window(application, settings)
    _wait(lambda: session.answers.ready and not session.models.pair.loading)
    settings.change(**CHOSEN)
    for question in QUESTIONS:
        answer = session.answers.ask(question).answer
        _wait(lambda answer=answer: answer.ended)
    window.close()
    session.close()
    store, _damaged = open_store(data_folder() / "chats.db")
    write_json(lambda operation: operation(store), [1], export)
    store.close()


def _wait(done: Callable[[], bool]) -> None:
    from PySide6.QtCore import QEventLoop, QTimer

    loop, tick = QEventLoop(), QTimer()
    tick.timeout.connect(lambda: loop.quit() if done() else None)
    tick.start(20)
    loop.exec()


def main(target: str) -> None:
    with tempfile.TemporaryDirectory() as home:
        folders = {kind: Path(home, kind) for kind in _FOLDERS}
        os.environ |= {"HOME": home, "QT_QPA_PLATFORM": "offscreen"}
        os.environ |= {variable: str(folders[kind]) for kind, variable in _FOLDERS.items()}
        play_session(Path(home, "export.json"))
        from app.system.paths import cache_folder, data_folder, settings_folder

        pack(data_folder(), settings_folder(), cache_folder(), Path(home, "export.json"), Path(target))


if __name__ == "__main__":
    main(sys.argv[1])
