"""A command on a pseudo-terminal, as a person types at it and reads it."""

from __future__ import annotations

import os
import pty
import re
import select
import signal
import subprocess
import time
from pathlib import Path

from tests.patience import PATIENCE_S

ROOT = Path(__file__).resolve().parents[3]
AGAIN_S = 3.0
CTRL_C, CTRL_D, UP = "\x03", "\x04", "\x1b[A"
_CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
# Sets the title, clears the screen, writes the clipboard, hides the rest, reorders the line; Markdown spells two out.
ATTACK = "&#x202e; <http://a.example/%1B%5D0;%07> "
ATTACK += "\x1b]0;PWNED\x07\x1b[2J\x1b]52;c;cHduZWQ=\x07\x9b31m\x08\x00\x7f\u202eevil\u2066 \u009d52;c;x\u009c"
# Runs the command with an engine that answers with ATTACK.
ATTACKED_CHAT = f"""
import sys
import app.__main__, app.cli.chat as chat
from tests.app.cli.scripted_chat import ROUND, AnsweringEngine
from engine import Finished, RequestStats, TokensCommitted
text = {ATTACK!r}
answer = [TokensCommitted(text, (), ROUND, RequestStats()), Finished("stop", text, (), RequestStats())]
chat.Engine = lambda _: AnsweringEngine([*answer])
sys.exit(app.__main__.main(sys.argv[1:]))
"""
# Colours, the cursor's moves and lines that are cleared: how Markdown is drawn.
DRAWING = re.compile(r"\x1b\[(?:[\d;]*m|\?25[hl]|\d*A|2K)|\r(?=\x1b)")


class Terminal:
    """A command on a terminal of its own; `text` is what it wrote since the last words that were awaited."""

    def __init__(self, command: list[str], **environment: str) -> None:
        self._ours, theirs = pty.openpty()
        variables = os.environ | {"PYTHONPATH": str(ROOT), "PYTHONIOENCODING": "utf-8", "TERM": "xterm"} | environment
        self._process = subprocess.Popen(
            command, stdin=theirs, stdout=theirs, stderr=theirs, env=variables, cwd=ROOT, start_new_session=True,
            preexec_fn=lambda: _take_terminal(theirs),
        )  # fmt: skip
        os.close(theirs)
        self.text = ""

    def type(self, keys: str) -> None:
        os.write(self._ours, keys.encode())

    def until(self, words: str) -> str:
        """Read until the words appear; return what came before them since the last call."""
        deadline = time.monotonic() + PATIENCE_S
        while words not in self.text:
            assert time.monotonic() < deadline, self.text
            if not self._read():
                break
        assert words in self.text, self.text
        before, _, self.text = self.text.partition(words)
        return before

    def interrupt(self) -> None:
        """Press Ctrl-C, and again if it came between the prompt and the line editor's wait, which then misses it."""
        self.type(CTRL_C)
        while True:
            if not select.select([self._ours], [], [], AGAIN_S)[0]:
                self.type(CTRL_C)
            elif not self._read():
                return

    def end(self) -> tuple[int, str]:
        """Return the exit code and the text before it."""
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
    """Make the pty the terminal of this process, so that Ctrl-C on it is a signal."""
    import fcntl
    import termios

    signal.signal(signal.SIGINT, signal.SIG_DFL)
    fcntl.ioctl(descriptor, termios.TIOCSCTTY, 0)


def on_a_terminal(command: list[str], kind: str = "xterm") -> tuple[int, str]:
    """Exit code and everything that the command writes to a terminal of its own."""
    terminal = Terminal(command, TERM=kind)
    try:
        return terminal.end()
    finally:
        terminal.close()


def controls(text: str) -> set[str]:
    """The control characters of a text except tabs, line ends (CR LF on a pty) and what clears a line of progress."""
    return set(_CONTROLS.findall(text.replace("\r\n", "\n").replace("\r\x1b[K", "")))


def screen_of(written: str) -> list[str]:
    """Return the lines that stay on a terminal after cursors went up and erased lines were written anew."""
    lines, row = [""], 0
    for sign in re.findall(r"\x1b\[[\d;?]*[a-zA-Z]|[^\x1b]", written):
        if sign == "\n":
            row += 1
            lines += [""] * (row + 1 - len(lines))
        elif sign == "\x1b[1A":
            row -= 1
        elif sign == "\x1b[2K":
            lines[row] = ""
        elif len(sign) == 1 and sign != "\r":
            lines[row] += sign
    return [line.rstrip() for line in lines]
