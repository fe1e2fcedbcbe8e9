"""The interactive chat on a terminal: how it begins, its commands, its history, and how it is left."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.__main__ import main
from tests.app.cli.scripted_chat import MARKDOWN, engine_of_markdown
from tests.app.cli.terminal import CTRL_D, UP, Terminal, screen_of

# Answers each question with its own words, in upper case.
CHAT = """
import sys
import app.__main__, app.cli.chat as chat
from tests.app.cli.scripted_chat import ROUND, AnsweringEngine
from engine import Finished, RequestStats, TokensCommitted

class Echo(AnsweringEngine):
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
@pytest.mark.parametrize("leave", ["/quit\n", "/bye\n", CTRL_D])
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


def test_a_talk(terminal: Terminal, tmp_path: Path) -> None:
    banner = terminal.until("> ")
    assert all(words in banner for words in ("no draft model", "/help", "/exit"))

    terminal.type("/help\n")
    assert "/model" in terminal.until("earlier questions")
    terminal.type("/nonsense\n")
    assert "NONSENSE!" not in terminal.until("there is no command /nonsense")

    terminal.type("/system Be brief.\n")
    terminal.until("The system prompt is set.")
    terminal.type("/tokens\n")
    terminal.until("This terminal shows no colours.")
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
    # A question between three quotation marks has several lines, and within it nothing is a command.
    terminal.type('"""one\n')
    terminal.until("... ")
    terminal.type("/exit\n")
    terminal.until("... ")
    terminal.type('two"""\n')
    assert re.search(r"ONE\s+/EXIT\s+$", terminal.until("TWO!"))
    terminal.until("> ")
    terminal.type('"""three"""\n')
    terminal.until("THREE!")
    terminal.until("> ")
    # A path is a question, not a command.
    terminal.type("/etc/hosts: what is it?\n")
    terminal.until("WHAT IS IT?!")
    terminal.until("> ")
    terminal.type(f"/save {tmp_path}/chat.md\n")
    terminal.until("Saved in")
    assert "## User\n\nhello\n\n## Assistant\n\nHELLO!\n" in (tmp_path / "chat.md").read_text()
    terminal.type(f"/save {tmp_path}/chat.md\n")
    terminal.until("exists already")
    terminal.type(f"/save {tmp_path}/chat.md/below.md\n")
    terminal.until("cannot be written")
    terminal.type("/clear\n")
    terminal.until("The chat is empty.")
    terminal.type("/exit\n")
    assert terminal.end()[0] == 0


DRAWN = """
import sys
import app.__main__, app.cli.chat as chat
from tests.app.cli.scripted_chat import engine_of_markdown
chat.Engine = engine_of_markdown
sys.exit(app.__main__.main(["chat", "Hi"]))
"""


def test_an_answer_is_drawn_as_markdown_and_each_block_stays_once() -> None:
    terminal = Terminal([sys.executable, "-c", DRAWN])
    code, written = terminal.end()
    terminal.close()
    assert code == 0
    items = [f" • item {number}" for number in range(40)]
    kept = screen_of(written)
    assert kept[:-1] == ["Some bold words and code.", "", *items, "", " x = 1", "", "The end.", "[0 tokens]"]
    assert "\x1b[1mbold\x1b[0m" in written


def test_a_pipe_gets_the_text_unchanged(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr("app.cli.chat.Engine", engine_of_markdown)
    assert main(["chat", "Hi"]) == 0
    assert capsys.readouterr().out == f"{MARKDOWN}\n"
