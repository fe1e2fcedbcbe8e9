"""The interactive chat on a terminal: how it begins, its commands, its history, and how it is left."""

from __future__ import annotations

import os
import pty
import select
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.patience import PATIENCE_S

ROOT = Path(__file__).resolve().parents[3]
# Answers each question with its own words, in upper case.
CHAT = """
import sys
import app.__main__, app.cli.chat as chat
from tests.app.cli.scripted_chat import ROUND, ScriptedEngine
from engine import Finished, RequestStats, TokensCommitted

class Echo(ScriptedEngine):
    def submit(self, request):
        text = request.messages[-1]["content"].upper() + "!"
        self.answers = [[TokensCommitted(text, (), ROUND, RequestStats()), Finished("stop", text, (), RequestStats())]]
        return super().submit(request)

chat.Engine = lambda _: Echo()
sys.exit(app.__main__.main(["chat", *sys.argv[1:]]))
"""
AGAIN_S = 3.0
CTRL_C, CTRL_D, UP = "\x03", "\x04", "\x1b[A"


class Terminal:
    """The command on a pty of its own."""

    def __init__(self, *arguments: str) -> None:
        self._ours, theirs = pty.openpty()
        # The line editor wants a terminal to be told of; a dumb one gets no escape sequences from it.
        variables = os.environ | {"PYTHONPATH": str(ROOT), "PYTHONIOENCODING": "utf-8", "TERM": "dumb"}
        self._process = subprocess.Popen(
            [sys.executable, "-c", CHAT, *arguments],
            stdin=theirs, stdout=theirs, stderr=theirs, env=variables, cwd=ROOT, start_new_session=True,
            preexec_fn=lambda: _take_terminal(theirs),
        )  # fmt: skip
        os.close(theirs)
        self.text = ""

    def type(self, keys: str) -> None:
        os.write(self._ours, keys.encode())

    def until(self, words: str) -> str:
        """Read until the words appear; returns what came before them since the last call."""
        deadline = time.monotonic() + PATIENCE_S
        while words not in self.text:
            assert time.monotonic() < deadline, self.text
            if not self._read():
                break
        assert words in self.text, self.text
        before, _, self.text = self.text.partition(words)
        return before

    def interrupt(self) -> None:
        """Press Ctrl-C; again where it came between the prompt and the line editor's wait, which then misses it."""
        self.type(CTRL_C)
        while True:
            if not select.select([self._ours], [], [], AGAIN_S)[0]:
                self.type(CTRL_C)
            elif not self._read():
                return

    def end(self) -> tuple[int, str]:
        """Exit code, and what came before it."""
        while self._read():
            pass
        return self._process.wait(PATIENCE_S), self.text

    def _read(self) -> bool:
        if not select.select([self._ours], [], [], PATIENCE_S)[0]:
            return False
        try:
            piece = os.read(self._ours, 65536)
        except OSError:
            return False
        self.text += piece.decode("utf-8", "replace")
        return bool(piece)

    def close(self) -> None:
        self._process.kill()
        self._process.wait()
        os.close(self._ours)


def _take_terminal(descriptor: int) -> None:
    """Make the pty the terminal of this process, so that Ctrl-C on it is a signal, also where the tests run without."""
    import fcntl
    import termios

    signal.signal(signal.SIGINT, signal.SIG_DFL)
    fcntl.ioctl(descriptor, termios.TIOCSCTTY, 0)


@pytest.fixture
def terminal() -> Iterator[Terminal]:
    opened = Terminal()
    yield opened
    opened.close()


@pytest.mark.parametrize(
    "leave", ["/exit\n", *(pytest.param(key, marks=pytest.mark.full) for key in ("/quit\n", CTRL_D))]
)
def test_it_is_left_with_exit_code_0(terminal: Terminal, leave: str) -> None:
    terminal.until("> ")
    terminal.type(leave)
    assert terminal.end()[0] == 0


def test_ctrl_c_at_the_prompt_leaves_with_130_and_a_newline(terminal: Terminal) -> None:
    terminal.until("> ")
    terminal.interrupt()
    code, text = terminal.end()
    assert code == 130
    assert text.endswith("\n")


def test_a_talk(terminal: Terminal) -> None:
    banner = terminal.until("> ")
    assert all(words in banner for words in ("starter", "/help", "/exit"))

    terminal.type("/help\n")
    assert "/model" in terminal.until("earlier questions")
    terminal.type("/nonsense\n")
    assert "NONSENSE!" not in terminal.until("there is no command /nonsense")

    terminal.type("/model\n")
    terminal.until("no draft model")
    terminal.type("/model org/other\n")
    terminal.until("org/other, no draft model")
    terminal.until("> ")

    terminal.type("hello\n")
    terminal.until("HELLO!")
    terminal.until("> ")
    # The key brings the last question back.
    terminal.type(f"{UP} again\n")
    terminal.until("HELLO AGAIN!")
    terminal.until("> ")
    # A path is a question, not a command.
    terminal.type("/etc/hosts: what is it?\n")
    terminal.until("WHAT IS IT?!")
