"""Which texts count as a loop, and when: repeated without end, or on purpose."""

from __future__ import annotations

import base64
import random

import pytest

from app.text.repetition import EMOJI, EVERY, IN_CODE, SIGNS, WORDS, Repetition
from tests.app.scripts import pieces

BEGINNINGS = ("", "Sure! Here is what I know about it, in a few words.\n\n")

# What small models have written until they were stopped, as the span that they repeated.
OF_WORDS = {
    "a thought": " I'm so glad you're here.",
    "a line": "\nGolden Retreves",
    "a letter": "\n[Your Job Title] [Your Position] [Your Company Name]",
    "dialogue": "\n\nDaughter: (laughs) Oh, they're so special!",
    "comparison": '\n\n"Daddy, it\'s like a plant that eats light, and the light is like a plant."',
    "a paragraph": (
        "\n\nMy name is Anna and I live in Oslo. I am a teacher at a small school near the harbour, and I like to walk"
        " along the water in the evening, when the ferries come in and the lights of the islands can be seen."
    ),
    "two sentences": " The sea is a place of wonder. It is also a place of fear.",
    "one word": " the",
    "laughter": " ha",
    "a title": "\n\n## Conclusion\n\nIn conclusion, it is important to note that it is important.",
    "a bullet": "\n- The use of the word “love” in the poem",
    "a list of two": "\n* Bread\n* Butter",
    "a numbered quote": "\n> 1. Be kind.",
    "code outside a block": "\nif n % 3 == 0 and n % 5 == 0:\n    return False",
    "a block": "\n```python\nprint(total(items))\n```\n",
    "a thought's end": "Wait, let me check that again. ",
    "formula": " Let $x$ be the number of apples that Anna has.",
    "Korean": " 저는 오슬로에 살고 있는 안나입니다.",
    "Korean, a word": " 정말",
    "Korean, a line": "\n- 물을 많이 마시고 충분히 쉬세요.",
    "Japanese": "これはとても大切なことです。",
    "Japanese, a word": "はい、",
    "Japanese, dialogue": "\n「ありがとうございます」と彼女は言いました。",
    "Chinese": "这个问题非常重要，我们需要认真对待。",
    "Chinese, a character": "很",
    "Chinese, a list": "\n- 保持健康的生活方式",
    "Russian": " Меня зовут Анна, и я живу в Осло.",
    "Arabic": " أنا سعيد جدا لأنك هنا.",
    "Hindi": " मुझे बहुत खुशी है कि आप यहाँ हैं।",
    "Thai": "สวัสดีครับ ",
}
OF_EMOJI = {"globes": "🌍🌎🌏", "one globe": "🌍", "smileys": " 😊"}
OF_SIGNS = {"dots": ".", "blank lines": "\n", "dashes": "—", "zeros": "0", "a placeholder": "_", "entities": "<|>"}
NUMBERED = {
    "breeds": "\n{}. Golden Retriever",
    "items": "\n{}. The use of the word “the”",
    "Korean": "\n{}. 건강한 음식을 먹으세요.",
    "quotes": "\n> {}. Be kind.",
    "bold numbers": "\n**{}.** Be kind to yourself.\n",
}
CODE_LINES = {
    "a condition": "    if n % 3 == 0 and n % 5 == 0:\n        return False\n",
    "an import": "import numpy as np\n",
    "a comment": "# TODO: write this\n",
}


CODE = IN_CODE * WORDS


def count_until_found(text: str, *, in_call: bool = False, step: int = 5) -> int | None:
    """Return after how many tokens a loop is found in a text that arrives in rounds of `step` tokens."""
    watched, tokens = Repetition(), pieces(text)
    for at in range(0, len(tokens), step):
        watched.add(tokens[at : at + step], in_call=in_call)
        if watched.found:
            return at + step
    return None


def repeated(span: str, tokens: int) -> str:
    return span * (1 + tokens // len(pieces(span)))


@pytest.mark.parametrize("beginning", BEGINNINGS, ids=["from the start", "later"])
@pytest.mark.parametrize(
    ("span", "least"),
    [
        *(pytest.param(span, WORDS, id=name) for name, span in OF_WORDS.items()),
        *(pytest.param(span, EMOJI, id=name) for name, span in OF_EMOJI.items()),
        *(pytest.param(span, SIGNS, id=name) for name, span in OF_SIGNS.items()),
    ],
)
def test_a_span_that_repeats_itself_is_found(span: str, least: int, beginning: str) -> None:
    at = count_until_found(beginning + repeated(span, 4 * least))
    # A long span is said four times first.
    soonest = max(least, 4 * len(pieces(span)))
    assert at is not None
    assert soonest <= at <= soonest + len(pieces(beginning)) + EVERY + 10


@pytest.mark.parametrize("line", NUMBERED.values(), ids=NUMBERED)
def test_lines_that_differ_only_by_their_numbers_are_found(line: str) -> None:
    at = count_until_found("".join(line.format(number) for number in range(1, 400)))
    assert at is not None
    assert EMOJI <= at <= 2 * EMOJI


@pytest.mark.parametrize("line", CODE_LINES.values(), ids=CODE_LINES)
def test_a_loop_in_code_is_found_later(line: str) -> None:
    at = count_until_found("```python\n" + repeated(line, 2 * CODE))
    assert at is not None
    assert CODE <= at <= CODE + EVERY + 30


def test_numbered_lines_of_words_in_a_table_are_found_at_last() -> None:
    at = count_until_found(
        "| No. | Breed |\n|---|---|\n" + "".join(f"| {n} | Golden Retriever |\n" for n in range(1000))
    )
    assert at is not None
    assert IN_CODE * EMOJI <= at <= 2 * IN_CODE * EMOJI


def test_whole_sections_are_found_when_they_come_for_the_fourth_time() -> None:
    words = [f" {chr(97 + n // 26)}{chr(97 + n % 26)}" for n in range(600)]
    section = "\n\n## The sea" + "".join(words)
    at = count_until_found(section * 8)
    assert at is not None
    assert 4 * len(pieces(section)) <= at <= 5 * len(pieces(section))


def test_a_loop_in_a_call_of_a_tool_is_found_later() -> None:
    text = "<function=write_file><parameter=content>" + repeated("All work and no play. ", 2 * CODE)
    assert (count_until_found(text) or 0) < EMOJI
    at = count_until_found(text, in_call=True)
    assert at is not None
    assert CODE <= at <= CODE + EVERY + 30


def _random_bytes(count: int) -> bytes:
    return random.Random(5).randbytes(count)


ROW = "[" + ", ".join(["0"] * 16) + "],\n"
INNOCENT = {
    "a list of numbers": "\n".join(f"{n}." for n in range(1, 600)),
    "counting": ", ".join(map(str, range(1, 1001))),
    "counting in words of one": "".join(f"{n} sheep, " for n in range(1, 60)),
    "a song with numbers": "".join(
        f"{n} bottles of beer on the wall, {n} bottles of beer.\nTake one down, pass it around.\n\n"
        for n in range(99, 0, -1)
    ),
    "hello a hundred times": "\n".join(f"{n}. Hello" for n in range(1, 101)),
    "a plan of weeks": "".join(f"Week {n}:\n- Monday: Run\n- Wednesday: Rest\n\n" for n in range(1, 60)),
    "names with numbers": "\n".join(f"- Item {n}" for n in range(1, 80)),
    "a table of products": "\n".join(f"{a} x {b} = {a * b}" for a in range(1, 11) for b in range(1, 11)),
    "a multiplication table": "| x | 1 | 2 |\n|---|---|---|\n"
    + "".join(f"| {n} | {n} | {2 * n} |\n" for n in range(1, 100)),
    "a table of equal cells": "| Day | A | B | C |\n|---|---|---|---|\n" + "| – | – | – | – |\n" * 40,
    "a table of equal words": "| Name | Role | Status |\n|---|---|---|\n" + "| N/A | N/A | Not set |\n" * 60,
    "an empty form": "| Name | Signature |\n|---|---|\n" + "| | |\n" * 90,
    "a timetable": "\n".join(f"{h}:00 – Free" for h in range(24)),
    "a wide rule of a table": "|" + "---|" * 60,
    "a matrix of zeros": "```python\nA = [\n" + ROW * 16 + "]\n```",
    "a list of zeros": "[" + "0, " * 500 + "0]",
    "a list of zeros in a sentence": "The result is [" + "0, " * 120 + "0].",
    "a list of zeros in code": "```python\ndata = [" + "0, " * 500 + "0]\n```",
    "zeros as an answer in JSON": '{"values": [' + "0.0, " * 300 + "0.0]}",
    "an array of bytes": "```c\nstatic const char data[] = {" + "0x00, " * 130 + "};\n```",
    "closing braces": "```js\n" + "\n".join("    " * n + "}," for n in range(12, 0, -1)) + "\n```",
    "equal objects": "```json\n[\n" + '  {"id": 0, "name": ""},\n' * 30 + "]\n```",
    "equal objects, no fence": "[\n" + '{"a": 0, "b": 0},\n' * 20 + "]",
    "a board in HTML": '```html\n<div class="board">\n' + '<div class="cell"></div>\n' * 64 + "</div>\n```",
    "a calendar in HTML": "```html\n<tr>\n" + ("<td></td>" * 7 + "\n") * 6 + "</tr>\n```",
    "paddings in CSS": "```css\n" + "".join(f".c{n} {{ margin: 0; padding: 0; }}\n" for n in range(60)) + "```",
    "assertions": "```python\n" + "".join(f"assert f({n}) == 0\n" for n in range(100)) + "```",
    "prints": "```python\n" + 'print("-" * 40)\n' * 25 + "```",
    "a function of two": "```c\n" + "x = x + 1;\ny = y + 1;\n" * 20 + "```",
    "assembler": "```asm\n" + "    nop\n" * 100 + "```",
    "a box": "```\n+" + "-" * 60 + "+\n" + ("|" + " " * 60 + "|\n") * 12 + "+" + "-" * 60 + "+\n```",
    "box drawing": "┌" + "─" * 40 + "┐\n" + ("│" + " " * 40 + "│\n") * 8 + "└" + "─" * 40 + "┘",
    "a large box": ("#" + " " * 60 + "#\n") * 40,
    "a filled square": ("█" * 30 + "\n") * 20,
    "a large filled square": "```\n" + ("#" * 60 + "\n") * 40 + "```",
    "a tree of files": "src\n" + "├── a.py\n├── b.py\n└── c.py\n" * 3,
    "a picture of letters": "\n".join(" " * (20 - n) + "*" * (2 * n + 1) for n in range(20)),
    "a board of emoji": ("🟩" * 10 + "\n") * 10,
    "a game of chess": "\n".join(["r n b q k b n r", "p p p p p p p p", *[". . . . . . . ."] * 4, "P P P P P P P P"]),
    "laughter": "That is funny! " + "ha " * 60 + "Now seriously.",
    "a long vowel": "Nooo" + "o" * 200 + "!",
    "a song": (
        ("Na na na nananana, nananana, hey Jude.\n" * 8)
        + "Hey Jude, don't make it bad, take a sad song and make it better.\n"
    )
    * 2,
    "a refrain": "".join(
        f"Verse {n}: {words}\n\nRow, row, row your boat,\nGently down the stream.\n\n" * 2
        for n, words in enumerate(("The sea is wide", "The waves roll in", "A gull will glide", "The moon is thin"))
    ),
    "a round, said thrice": "Are you sleeping, are you sleeping, brother John? Morning bells are ringing. " * 3,
    "a Korean song": "아리랑 아리랑 아라리요\n아리랑 고개로 넘어간다\n" * 3 + "나를 버리고 가시는 임은\n",
    "a Japanese cheer": "がんばれ、" * 20 + "もう少しです。",
    "a Chinese poem": "床前明月光，疑是地上霜。举头望明月，低头思故乡。" * 3,
    "base64": base64.b64encode(_random_bytes(3000)).decode(),
    "base64 of zeros": "```\n" + base64.b64encode(bytes(300) + _random_bytes(600)).decode() + "\n```",
    "hexadecimal": _random_bytes(1000).hex(" "),
    "blank lines": "Dear Sir," + "\n" * 60 + "Yours, Anna",
    "a form to fill in": "".join(f"{name}: {'_' * 40}\n" for name in ("Name", "Street", "Town", "Date", "Sign")),
    "lines to write on": ("_" * 50 + "\n") * 5,
    "a checklist": "".join(f"- [ ] {name}\n" for name in ("Passport", "Tickets", "Socks", "Charger") * 3),
    "drums": "```\n" + ("HH |x-x-x-x-|\nSD |--o---o-|\n" * 16) + "```",
    "a deep nest": "[" * 150 + "]" * 150,
    "digits of a third": "1/3 = 0." + "3" * 200 + "…",
    "a knitting pattern": "".join(f"Row {n}: {'Knit' if n % 2 else 'Purl'} all stitches.\n" for n in range(1, 25)),
    "prose": "".join(f"The {noun} is {kind}. " for kind in ("red", "old", "far") for noun in ("boat", "sea", "gull"))
    * 3,
}


@pytest.mark.parametrize("text", INNOCENT.values(), ids=INNOCENT)
def test_what_is_repeated_on_purpose_is_left_alone(text: str) -> None:
    assert count_until_found(text + "\nThat is all.") is None


def test_a_text_that_ends_its_repetitions_is_none_any_more() -> None:
    watched = Repetition()
    watched.add(pieces(repeated(" so glad", 2 * WORDS)))
    assert watched.found
    watched.add(pieces(" that it is over. I will tell of something else now."))
    watched.look()
    assert not watched.found


def test_a_loop_that_goes_on_is_new_again_when_it_has_doubled() -> None:
    first = pieces(repeated(" so glad to see you", 300))
    watched = Repetition(first)
    assert (watched.found, watched.is_new) == (True, False)
    more = pieces(repeated(" so glad to see you", 600))
    found_at = next(at for at, token in enumerate(more) if watched.add([token]) or watched.is_new)
    assert len(first) <= found_at <= len(first) + 2 * EVERY + len(first) // 4


def test_another_loop_in_a_continued_answer_is_new() -> None:
    watched = Repetition(pieces(repeated(" so glad to see you", 3000)))
    watched.add(pieces(" But then. " + repeated("\n- Bread and butter", WORDS + 3 * EVERY)))
    watched.look()
    assert (watched.found, watched.is_new) == (True, True)


def test_tokens_without_text_are_no_code_and_no_words() -> None:
    watched = Repetition()
    watched.add([""] * SIGNS)
    assert watched.found
