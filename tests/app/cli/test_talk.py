"""The interactive chat on a terminal: how it begins, its commands, its history, and how it is left."""

from __future__ import annotations

import sys
from collections.abc import Iterator

import pytest

from tests.app.cli.terminal import CTRL_D, UP, Terminal

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


@pytest.fixture
def terminal() -> Iterator[Terminal]:
    # A dumb terminal gets no escape sequences from the line editor.
    opened = Terminal([sys.executable, "-c", CHAT], TERM="dumb")
    yield opened
    opened.close()


@pytest.mark.full
@pytest.mark.parametrize("leave", ["/quit\n", CTRL_D])
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
    assert all(words in banner for words in ("no draft model", "/help", "/exit"))

    terminal.type("/help\n")
    assert "/model" in terminal.until("earlier questions")
    terminal.type("/nonsense\n")
    assert "NONSENSE!" not in terminal.until("there is no command /nonsense")

    terminal.type("/model\n")
    terminal.until("no draft model")
    terminal.type("/model org/other\n")
    terminal.until("other, no draft model")
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
    terminal.until("> ")
    terminal.type("/exit\n")
    assert terminal.end()[0] == 0
