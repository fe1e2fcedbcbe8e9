"""What a person writes, and what only this computer knows, stays out of reports, logs, children and notifications."""

from __future__ import annotations

import json
import logging
import os
import re
import socket
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import psutil
import pytest
from PySide6.QtWidgets import QApplication

from app.agents.codex_catalog import kept_catalog
from app.conversations.exports.writing import SUFFIXES
from app.session.attachments import read_attachment
from app.session.calls import CallState
from app.settings.checkup import gather, report
from app.settings.declarations import SettingsValues
from app.settings.relocation import move_folder
from app.system import crash
from app.system.log_buffer import LOG_BUFFER
from app.system.opened_pages import write_page
from app.system.paths import cache_folder, data_folder, settings_folder
from app.text.file_texts import NotAttachable
from app.tools.tool import ToolFailed, ToolResult
from app.transcript.call_card import CallCard
from app.transcript.preview import picture_of
from engine.bench.pair_check import PairCheck
from engine.errors import TemplateFailed
from engine.grammars.checks import answer_problems
from engine.machine.facts import read_facts
from tests.app.conftest import OpenWindow, Tray
from tests.app.fake_tools import FakeHost, call_text, set_up, tool
from tests.app.picture_files import RULES, picture
from tests.app.scripted_engine import ScriptedEngine
from tests.app.scripts import Script
from tests.app.tools.conftest import Hosts, hostile
from tests.app.window_driver import WindowDriver

pytestmark = pytest.mark.campaign
SECRET = "zanzibar"
# As programs that many have name them; the last ones are in addresses.
VARIABLES = [
    "HF_TOKEN", "HUGGING_FACE_HUB_TOKEN", "OPENAI_API_KEY", "ANTHROPIC_API_KEY", "AWS_ACCESS_KEY_ID", "GITHUB_PAT",
    "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN", "NPM_CONFIG__AUTH", "PGPASSWORD", "MYSQL_PWD", "DOCKER_AUTH_CONFIG",
    "GOOGLE_APPLICATION_CREDENTIALS", "SENTRY_DSN", "SLACK_WEBHOOK_URL", "SSH_AUTH_SOCK", "GPG_PASSPHRASE", "NETRC",
    "TANDEM_API_KEY", "TANDEM_FEED_KEY", "TWINE_PASSWORD", "DATABASE_URL", "REDIS_URL", "MONGODB_URI", "SMTP_PASS",
    "PIP_INDEX_URL", "UV_INDEX_URL", "GIT_CONFIG_VALUE_0", "COOKIE", "MY_NOTES",
]  # fmt: skip


@pytest.fixture
def secrets(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in VARIABLES:
        monkeypatch.setenv(name, f"scheme://{SECRET}:{SECRET}@host")


def told(process: psutil.Process) -> str:
    """Return what a process was given when it was started."""
    return json.dumps([process.cmdline(), process.environ()])


@pytest.mark.usefixtures("secrets", "qapp")
def test_no_process_is_told_a_secret_or_leaves_a_core(hosts: Hosts, tmp_path: Path) -> None:
    for name, content in {"a.pdf": b"%PDF-1.7", "b.docx": b"PK", "c.png": picture()}.items():
        (tmp_path / name).write_bytes(content)
        with suppress(NotAttachable):
            read_attachment(tmp_path / name, keep=lambda _: None)
    picture_of("<svg xmlns='http://www.w3.org/2000/svg' width='9' height='9'/>")
    answer_problems("{}", "[]")
    hosts.start(hostile(values={"KEY": "value"}))
    children = psutil.Process().children(recursive=True)
    programs = {re.sub(r".*from (\S+) import main.*", r"\1", " ".join(child.cmdline())) for child in children}
    assert {"engine.sandbox.worker", "app.tools.guardian"} <= programs
    print(len(children), "processes:", programs)
    for child in children:
        assert SECRET not in told(child)
        if sys.platform == "linux" and "engine.sandbox.worker" in told(child):
            assert child.rlimit(psutil.RLIMIT_CORE) == (0, 0)


def test_a_report_of_the_check_names_nobody(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("engine.machine.facts.local_network", lambda: "none")
    folder = str(tmp_path / SECRET / "model")
    for name in (SECRET, ""):
        pair = PairCheck(name, name)
        found = report(gather(read_facts(), SettingsValues(main_model=folder), pair, f"{folder} is damaged"))
        assert SECRET not in found
        for owner in (socket.gethostname(), os.environ.get("USER") or "no user", str(Path.home())):
            assert len(owner) < 4 or owner not in found


@pytest.fixture
def log() -> Iterator[None]:
    LOG_BUFFER.start()
    yield
    LOG_BUFFER.stop()


def asking(window: WindowDriver) -> list[CallCard]:
    return [card for card in window.window.findChildren(CallCard) if card.call.state is CallState.ASKS]


def busy_window(open_window: OpenWindow, host: FakeHost, folder: Path) -> WindowDriver:
    """Return a window after work whose every word is a secret."""
    asked = [Script(call_text("clock_look", zone=SECRET)), Script(f"{SECRET}.")]
    failing = Script(f"{SECRET} begins and ends", error=TemplateFailed(f"no {SECRET} here"), fail_after=1)
    scripts = [Script(f"All of {SECRET}."), *asked * 3, failing]
    engine = ScriptedEngine(scripts, tool_format="json_tools", pictures=RULES)
    window = open_window(engine)
    (folder / f"{SECRET}.md").write_text(f"# {SECRET}")
    (folder / f"{SECRET}.png").write_bytes(picture())
    (folder / f"{SECRET}.gif").write_bytes(b"GIF89a" + SECRET.encode())
    for ending in ("md", "png", "gif"):
        window.paste(folder / f"{SECRET}.{ending}")
        window.wait(lambda: not window.composer.files.reading)
    window.ask_and_wait(f"Where is {SECRET}?")
    set_up(window.session, "clock")
    outcomes = (
        ToolResult(SECRET),
        ToolFailed("refused", server="clock", tool="look", detail=SECRET),
        ToolResult(SECRET, True),
    )
    for outcome in outcomes:
        host.results["look"] = outcome
        window.ask(f"And {SECRET}?")
        window.wait(lambda: bool(asking(window)))
        card = asking(window)[0]
        card.chosen.emit(card.call, "once")
        window.wait_until_answered()
    window.ask_and_wait(f"Again {SECRET}?")
    window.edit.setPlainText(f"unsent {SECRET}")
    return window


@pytest.mark.usefixtures("log")
def test_nothing_of_a_chat_is_in_log_diagnostics_or_notifications(
    open_window: OpenWindow, trays: list[Tray], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("app.window.chat_parts.answer_notice.LEAST_S", 0.0)
    monkeypatch.setattr(QApplication, "activeWindow", staticmethod(lambda: None))
    host = FakeHost()
    host.offered = [tool("look", description=SECRET)]
    host.install(monkeypatch)
    window = busy_window(open_window, host, tmp_path)
    logging.getLogger("app").info("the log is kept")
    window.settings_page("advanced").export_to(tmp_path / "out.json")
    window.wait((tmp_path / "out.json").exists)
    said = (tmp_path / "out.json").read_text()
    assert "the log is kept" in said
    assert SECRET not in said
    notified = [words for tray in trays for words in tray.notified]
    assert notified
    assert SECRET not in str(notified)


@pytest.mark.parametrize("umask", [0o022, 0, 0o777])
def test_all_that_is_written_is_private(
    open_window: OpenWindow, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, umask: int
) -> None:
    before = os.umask(umask)
    try:
        host = FakeHost()
        host.offered = [tool("look")]
        host.install(monkeypatch)
        crash.start_watching()
        window = busy_window(open_window, host, tmp_path)
        crash.report(ValueError(SECRET))
        exported = tmp_path / "exported"
        exported.mkdir(0o700)
        for form, suffix in SUFFIXES.items():
            window.window.transfer.write_all(exported / f"{form}{suffix}")
            window.wait(lambda: not window.window.transfer.busy)
        write_page(SECRET)
        kept_catalog(SECRET)
        window.close()
        (data_folder() / "empty").mkdir(0o700)
        move_folder(data_folder(), exported / "moved")
        made = [
            path
            for folder in {data_folder().resolve(), cache_folder(), settings_folder(), exported}
            if folder.exists()
            for path in (folder, *folder.rglob("*"))
        ]
        print(len(made), "files and folders")
        assert len(made) > 30
        assert [str(path) for path in made if path.stat().st_mode & 0o077] == []
    finally:
        os.umask(before)
        crash.stop_watching()
