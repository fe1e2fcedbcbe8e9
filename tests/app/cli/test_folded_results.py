"""Results of tools that a model repeats: one line on a terminal, whatever the rounds, and unchanged in a pipe."""

from __future__ import annotations

import io
import random
from collections.abc import Sequence

import pytest

from app.cli.answers import TextOutput
from engine import Finished, RequestStats, TokensCommitted
from tests.app.cli.printed_markdown import every_piece_is_drawn as every_piece_is_drawn
from tests.app.cli.printed_markdown import printed_lines
from tests.app.cli.scripted_chat import ROUND
from tests.app.random_rounds import BLOCKS, in_rounds, starter_tokenizer, token_texts

pytestmark = pytest.mark.usefixtures("every_piece_is_drawn")

# Answers that repeat a result, in whose place they show a line. "@" is the result.
SHAPES = {
    "alone": "<tool_response>\n@\n</tool_response>\n",
    "in a line": "<tool_response> @ </tool_response>\n",
    "with words behind it": "<tool_response> @ </tool_response> And on.\n",
    "below words": "Words.\n<tool_response>\n@\n</tool_response>\nMore.\n",
    "in a list": "- one\n- <tool_response>\n  @\n\n  </tool_response>\n- three\n",
    "in a list, not indented": "1. one\n2. <tool_response>\n@\n\n</tool_response>\n\nMore.\n",
    "below an item": "- one\n<tool_response> @ </tool_response>\n",
    "in a nested list": "- one\n  - two\n    <tool_response>\n    @\n    </tool_response>\n  - three\n",
    "quoted": "> said\n> <tool_response>\n> @\n>\n> </tool_response>\n> and on\n",
    "quoted, marked once": "> <tool_response>\n@\n</tool_response>\n\nMore.\n",
    "twice": "<tool_response>@</tool_response>\n<tool_response>@</tool_response>\n",
    "not ended": "Words.\n\n<tool_response>\n@\n",
    "half ended": "Words.\n\n<tool_response>\n@\n</tool_resp",
}
RESULT = '{"path": "secret.txt", "hits": [3, 4]}'


class TerminalStream(io.StringIO):
    """A stream that says that it is a terminal."""

    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("shape", "lines"),
    [
        ("alone", ["[result of a tool, 1 line]"]),
        ("with words behind it", ["[result of a tool, 1 line]", "", "And on."]),
        ("below words", ["Words.", "", "[result of a tool, 1 line]", "", "More."]),
        ("in a list", [" • one", " • [result of a tool, 1 line]", " • three"]),
        ("in a list, not indented", [" 1 one", " 2 [result of a tool, 1 line]", "", "More."]),
        ("below an item", [" • one", "", "[result of a tool, 1 line]"]),
        ("quoted", ["▌ said", "▌ [result of a tool, 1 line]", "▌ and on"]),
        ("quoted, marked once", ["▌ [result of a tool, 1 line]", "", "More."]),
        ("half ended", ["Words.", "", "[result of a tool, 1 line]"]),
    ],
)
def test_a_line_stands_for_a_result(shape: str, lines: list[str]) -> None:
    assert printed_lines([SHAPES[shape].replace("@", RESULT)]) == lines


def test_it_says_how_many_lines_there_are() -> None:
    assert printed_lines(["<tool_response>\na\n\nb\nc\n</tool_response>"]) == ["[result of a tool, 4 lines]"]
    assert printed_lines(["<tool_response></tool_response>"]) == ["[result of a tool]"]


def test_marks_in_words_and_in_code_stay() -> None:
    answer = "Between <tool_response> and its end:\n\n```\n<tool_response>\n```\n\n    <tool_response>\n"
    assert sum("<tool_response>" in line for line in printed_lines([answer])) == 3


def committed(pieces: Sequence[str]) -> list[TokensCommitted]:
    return [TokensCommitted(piece, (), ROUND, RequestStats()) for piece in pieces]


@pytest.mark.parametrize("shape", SHAPES)
def test_no_part_of_a_result_is_ever_on_the_terminal(shape: str, monkeypatch: pytest.MonkeyPatch) -> None:
    text = SHAPES[shape].replace("@", RESULT)
    pieces = token_texts(text, starter_tokenizer())
    for most in (1, 16):
        terminal = TerminalStream()
        monkeypatch.setattr("sys.stdout", terminal)
        rounds = committed(in_rounds(pieces, seed=3, most=most))
        TextOutput().events([*rounds, Finished("stop", text, (), RequestStats())])
        assert "result of a tool" in terminal.getvalue()
        for secret in ("tool_resp", "secret", "hits"):
            assert secret not in terminal.getvalue()


@pytest.mark.full
def test_results_look_the_same_in_rounds_and_whole() -> None:
    draw = random.Random(5)
    for shape in SHAPES:
        around = [block.replace("@", "") for block in draw.choices(list(BLOCKS.values()), k=2)]
        answer = draw.choice(("", "\n")).join((around[0], SHAPES[shape].replace("@", RESULT), around[1]))
        pieces = token_texts(answer, starter_tokenizer())
        whole = printed_lines(["".join(pieces)])
        for most in (1, 16):
            assert printed_lines(in_rounds(pieces, seed=5, most=most)) == whole, answer


def test_a_pipe_gets_results_unchanged(capsys: pytest.CaptureFixture[str]) -> None:
    text = SHAPES["alone"].replace("@", RESULT)
    TextOutput().events([*committed([text[:20], text[20:]]), Finished("stop", text, (), RequestStats())])
    assert capsys.readouterr().out == text + "\n"
