"""The colours of drafted tokens in a terminal: which letters have them, and that they change nothing else."""

from __future__ import annotations

import io
import random
import re
from collections.abc import Callable, Sequence

import pytest

from app.cli.answers import TextOutput
from app.cli.rendered import MarkdownText, UnchangedText, growing_text
from app.cli.tinted_markdown import _COLOURS
from engine import Finished, RequestStats, Token, TokensCommitted
from tests.app.cli.scripted_chat import ROUND
from tests.app.cli.terminal import screen_of
from tests.app.contrast import contrast
from tests.app.random_rounds import NamedAnswer, in_rounds, pairs, sample, starter_tokenizer, token_texts

ROLES = ("", "draft", "lookup", "chats")
_SGR = re.compile(r"\x1b\[([\d;]*)m")


class TerminalStream(io.StringIO):
    """A stream that says that it is a terminal."""

    def isatty(self) -> bool:
        return True


@pytest.fixture(autouse=True)
def terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    """Stand for a terminal of 60 columns and all colours, on which every piece is drawn."""
    monkeypatch.setattr("app.cli.rendered._DRAW_EVERY_S", 0)
    for name, value in {"COLUMNS": "60", "LINES": "25", "TERM": "xterm-256color", "COLORTERM": "truecolor"}.items():
        monkeypatch.setenv(name, value)
    for name in ("NO_COLOR", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)


def drawn(pieces: Sequence[str], roles: Sequence[str] = ()) -> str:
    """Return what a terminal is sent for pieces of Markdown, each of which one role wrote."""
    stream = TerminalStream()
    growing = MarkdownText(stream)
    for number, piece in enumerate(pieces):
        growing.write(piece, [roles[number]] * len(piece) if roles else ())
    growing.end()
    return stream.getvalue()


def coloured(written: str) -> dict[str, str]:
    """Return for each role the letters that have its colour at the end, without blanks."""
    codes = {
        role: ";".join(str(int(exact[at : at + 2], 16)) for at in (1, 3, 5)) for role, (exact, _) in _COLOURS.items()
    }
    letters = dict.fromkeys(codes, "")
    now = ""
    # Codes of colours are letters of their own, so that what is erased takes them along.
    for line in screen_of(_SGR.sub(lambda code: f"⟨{code[1]}⟩", written)):
        for code, text in re.findall(r"⟨([\d;]*)⟩([^⟨]*)", line):
            now = code
            for role, colour in codes.items():
                if now.endswith(colour):
                    letters[role] += "".join(text.split())
    return letters


@pytest.mark.parametrize(
    ("pieces", "words"),
    [
        (["It ", "is **bo", "ld** here", "."], {"draft": "isbo", "lookup": "ldhere"}),
        (["See ", "[the pa", "per](https://example.org)", "."], {"draft": "thepa", "lookup": "per"}),
        (["`a", "b", "c` d", "e"], {"draft": "b", "lookup": "cd"}),
        (["```py\n", "\tx = ", "1\n\ty", " = 2\n```\n"], {"draft": "x=", "lookup": "1y"}),
        (["| A | B", " |\n|---|---|\n| o", "ne | two |\n", "| 3 | 4 |\n"], {"draft": "o", "lookup": "netwo"}),
        (["1. fi", "rst\n2. se", "cond\n", "   - third\n"], {"draft": "rstse", "lookup": "cond"}),
        (["> quo", "ted &am", "p; 🙂 草", "稿\n"], {"draft": "ted&", "lookup": "🙂草"}),
        (["| A |\n|---|\n", "| 👩\u200d", "👩\u200d👧 and é |\n"], {"draft": "👩\u200d👩\u200d👧", "lookup": "andé"}),
        (["# Hea", "ding\n\nwo", "rds\n", "and"], {"draft": "dingwo", "lookup": "rds"}),
        (
            ["<tool_response>and more", "\n</tool_response>\nAnd", " and more", "\n"],
            {"draft": "And", "lookup": "andmore"},
        ),
        (["- <tool_resp", "onse>and", "\n</tool_response> and", "\n- more\n"], {"draft": "", "lookup": "and"}),
    ],
)
def test_each_letter_has_the_colour_of_what_wrote_it(pieces: list[str], words: dict[str, str]) -> None:
    assert coloured(drawn(pieces, ["", "draft", "lookup", ""])) == {"chats": "", **words}


def letters_of(written: str) -> str:
    """Return what is on the screen at the end, without colours."""
    return "\n".join(screen_of(_SGR.sub("", written))).rstrip()


def differs(answer: NamedAnswer, seed: int) -> bool:
    """Return whether colours change a letter or a line of an answer, in rounds or whole."""
    draw = random.Random(seed)
    pieces = token_texts(answer.text, starter_tokenizer())
    rounds = in_rounds(pieces, seed)
    tinted = drawn(rounds, [draw.choice(ROLES) for _ in rounds])
    whole = drawn(["".join(pieces)], ["draft"])
    plain = letters_of(drawn(["".join(pieces)]))
    return any(letters_of(written) != plain for written in (tinted, whole))


def test_colours_change_no_letter_and_no_line() -> None:
    assert [answer for answer in sample(4, seed=7) if differs(answer, 7)] == []


@pytest.mark.full
@pytest.mark.parametrize("part", range(8))
def test_colours_change_no_letter_and_no_line_of_two_blocks(part: int) -> None:
    answers = list(pairs())
    random.Random(9).shuffle(answers)
    assert [answer for answer in [*answers[part::256], *sample(10, part)] if differs(answer, part)] == []


@pytest.mark.parametrize(("name", "value", "kind"), [("NO_COLOR", "1", MarkdownText), ("TERM", "dumb", UnchangedText)])
def test_a_terminal_that_has_or_wants_no_colours_gets_none(
    name: str, value: str, kind: type, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(name, value)
    growing = growing_text(TerminalStream())
    assert isinstance(growing, kind)
    assert not growing.has_colours


def test_a_pipe_gets_no_colours() -> None:
    assert not growing_text(io.StringIO()).has_colours


def test_a_terminal_of_sixteen_colours_gets_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("COLORTERM")
    monkeypatch.setenv("TERM", "xterm")
    assert "\x1b[36mdraf" in drawn(["It draf", "ted"], ["draft", ""]).replace("It ", "")


@pytest.mark.parametrize("background", ["#ffffff", "#000000"])
def test_the_colours_can_be_read_on_white_and_on_black(background: str) -> None:
    assert min(contrast(exact, background) for exact, _ in _COLOURS.values()) >= 3.8


# An answer after a thought, of which a draft model and prompt lookup wrote a part each.
TOKENS = (("<think>\nHm.\n</think>\n\n", "draft"), ("It", "main"), (" is", "draft"), (" so", "ngram"), (".", "main"))


def answer(output: TextOutput) -> None:
    tokens = [Token(number, text, source, 0, 0, 0.0) for number, (text, source) in enumerate(TOKENS)]
    text = "".join(token.text for token in tokens)
    committed = [TokensCommitted(token.text, (token,), ROUND, RequestStats()) for token in tokens]
    output.events([*committed, Finished("stop", text, (), RequestStats(generated_tokens=5))])


def streams(monkeypatch: pytest.MonkeyPatch) -> Callable[[], tuple[str, str]]:
    """Put terminals in the place of the two outputs, and return a function for what they were sent."""
    out = TerminalStream()
    err = TerminalStream()
    monkeypatch.setattr("sys.stdout", out)
    monkeypatch.setattr("sys.stderr", err)
    return lambda: (out.getvalue(), err.getvalue())


def test_a_reply_has_the_colours_of_its_tokens_and_a_legend_once(monkeypatch: pytest.MonkeyPatch) -> None:
    written = streams(monkeypatch)
    output = TextOutput()
    answer(output)
    out, err = written()
    assert coloured(out) == {"draft": "is", "lookup": "so", "chats": ""}
    assert coloured(err) == {"draft": "draft", "lookup": "promptlookup", "chats": ""}
    assert screen_of(_SGR.sub("", err))[-3:] == [
        "[colours: draft, prompt lookup; the rest: the main model; off: --no-tokens]",
        "[5 tokens]",
        "",
    ]
    answer(output)
    assert written()[1].count("colours:") == 1


def test_colours_are_switched(monkeypatch: pytest.MonkeyPatch) -> None:
    written = streams(monkeypatch)
    output = TextOutput(coloured=False)
    answer(output)
    assert coloured("".join(written())) == dict.fromkeys(_COLOURS, "")
    assert output.switch_colours() == "Accepted draft tokens have colours."
    answer(output)
    assert coloured(written()[0])["draft"] == "is"
    assert output.switch_colours() == "Answers have no colours of draft tokens."
