"""Each letter of a rendered text has the place where it stands in the source, and so the token that wrote it."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from itertools import accumulate

import pytest

from app.text.blocks import Block, Code, Fold, Splitter
from app.text.places import CodePlaces, SourcePlace, TokenPlace, first_change, token_places
from app.text.prose_places import ProsePlaces
from app.text.shown import document_text, paragraphs_of, shown
from tests.app.random_rounds import (
    BLOCKS,
    PROSE_CODE_TABLE,
    NamedAnswer,
    answer_of,
    pairs,
    sample,
    starter_tokenizer,
    token_texts,
)

_WORD = re.compile(r"[A-Za-z]+\d+(?:\.\d+)?")


def slice_units(text: str, start: int, end: int) -> str:
    """Return a stretch of a document's text, whose bounds are UTF-16 units."""
    return text.encode("utf-16-le", "surrogatepass")[2 * start : 2 * end].decode("utf-16-le", "surrogatepass")


def blocks_of(text: str) -> list[Block]:
    splitter = Splitter()
    splitter.feed(text)
    splitter.finish()
    return [splitter.resolved(block) for block in splitter.frozen]


def place(block: Block, source: str, at: int) -> tuple[str, list[SourcePlace], int]:
    """Return the text of a block's document, its places, and where the block ends in the source."""
    if isinstance(block, Code):
        code = CodePlaces()
        return block.text, code.place(block.text, source, at), code.end
    assert not isinstance(block, Fold)
    prose, paragraphs = ProsePlaces(), paragraphs_of(block)
    return document_text(paragraphs), prose.place(paragraphs, source, at, lambda _: 1), prose.end


def places_of(markdown: str) -> tuple[str, list[SourcePlace]]:
    """Return what a text of one block shows, and the places."""
    (block,) = blocks_of(markdown)
    text, places, _ = place(block, markdown, 0)
    return text, places


def pairs_of(markdown: str) -> list[tuple[str, str]]:
    """Return what each place shows, and what stands there in the source."""
    text, places = places_of(markdown)
    return [(slice_units(text, at.start, at.end), markdown[at.source_start : at.source_end]) for at in places]


def check_words(answer: NamedAnswer, text: str) -> None:
    """Check that each word that occurs once is coloured as the tokens that wrote it, and nothing is left out."""
    source = answer.text
    pieces = token_texts(source, starter_tokenizer())
    starts = list(accumulate(map(len, pieces), initial=0))[:-1]
    at = 0
    for block in blocks_of(text):
        if isinstance(block, Fold):
            return
        shown_text, places, at = place(block, source, at)
        owners: dict[int, int] = {}
        for written in token_places(places, starts):
            owners |= dict.fromkeys(range(written.start, written.end), written.token)
        for word in _WORD.finditer(shown_text):
            if source.count(word[0]) == 1:
                begin = source.index(word[0])
                units = len(shown_text[: word.start()].encode("utf-16-le")) // 2
                for letter in range(len(word[0])):
                    token = owners[units + letter]
                    assert starts[token] <= begin + letter < starts[token] + len(pieces[token]), (answer.name, word)


@pytest.mark.parametrize("kind", BLOCKS)
def test_words_of_a_block_have_the_tokens_that_wrote_them(kind: str) -> None:
    check_words(answer_of([kind, "paragraph"]), answer_of([kind, "paragraph"]).text)


def test_words_of_an_answer_have_their_tokens_at_any_round() -> None:
    for seed, answer in enumerate([NamedAnswer("prose, code, table", PROSE_CODE_TABLE), *sample(12, 7)]):
        draw, end = random.Random(seed), 0
        while end < len(answer.text):
            end += draw.randint(1, 90)
            check_words(answer, answer.text[:end])


@pytest.mark.full
@pytest.mark.parametrize("part", range(8))
def test_words_of_pairs_of_blocks_have_their_tokens(part: int) -> None:
    for answer in list(pairs())[part::8]:
        check_words(answer, answer.text)


@pytest.mark.parametrize(
    ("markdown", "expected"),
    [
        ("1. 1\n", [("1", "1")]),
        ("[b](https://b.org/b)b b", [("b", "b"), ("b b", "b b")]),
        ("a &amp; b", [("a ", "a "), ("&", "&amp;"), (" b", " b")]),
        (r"a \*b\*", [("a ", "a "), ("*b", "*b"), ("*", "*")]),
        ("> [!NOTE]\n> so", [("Note", "[!NOTE]"), ("so", "so")]),
        ("x $a^2$ y", [("x ", "x "), ("\ufffc", "$a^2$"), (" y", " y")]),
        ("| - | a |\n|---|---|\n| – | - |\n", [("-", "-"), ("a", "a"), ("–", "–"), ("-", "-")]),
        ("😀 **下書き**", [("😀", "😀"), (" ", " "), ("下書き", "下書き")]),
    ],
)  # fmt: skip
def test_what_the_rendering_swallows_has_no_place(markdown: str, expected: list[tuple[str, str]]) -> None:
    assert pairs_of(markdown) == expected


@pytest.mark.parametrize(
    "text", ["Run1:```sh\nls2 | x3\n```\nafter4\n", "- > ```md\n  > ```sh\n  > ls1\n  > ```\n  > ```\n"]
)
def test_words_of_code_have_their_tokens_wherever_its_fence_stands(text: str) -> None:
    check_words(NamedAnswer("code", text), text)


def test_equal_words_stand_where_they_are_written() -> None:
    _, places = places_of("[b](https://b.org/b)b")
    assert [at.source_start for at in places] == [1, 20]
    _, places = places_of("1. 1\n2. 2")
    assert [at.source_start for at in places] == [3, 8]


def test_a_right_to_left_table_has_its_cells_from_the_left() -> None:
    markdown = "| א | ב |\n|---|---|\n| 1 | 2 |\n"
    assert pairs_of(markdown) == [("ב", "ב"), ("א", "א"), ("2", "2"), ("1", "1")]


def test_a_token_has_the_letters_that_it_wrote() -> None:
    markdown = "It is** so**"
    places = ProsePlaces().place(shown(markdown), markdown, 0, lambda _: 1)
    assert token_places([SourcePlace(0, 5, 0, 5), SourcePlace(5, 8, 7, 10)], [0, 3, 7]) == [
        TokenPlace(0, 3, 0), TokenPlace(3, 5, 1), TokenPlace(5, 8, 2)
    ]  # fmt: skip
    assert token_places(places, []) == []


def growing(markdown: str, at_words: Sequence[int]) -> list[list[SourcePlace]]:
    """Return the places of a text after each of several lengths, by one reader that knows the ones before."""
    prose = ProsePlaces()
    return [list(prose.place(shown(markdown[:end]), markdown[:end], 0, lambda _: 1)) for end in at_words]


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ([(0, 4, 0, 4), (4, 9, 6, 11)], [(0, 4, 0, 4), (4, 9, 6, 11)], 9),
        ([(0, 4, 0, 4)], [(0, 4, 0, 4), (4, 9, 6, 11)], 4),
        ([], [(3, 4, 0, 1)], 3),
        # Words before a sign that turned out to begin a bold word, of which the place keeps its beginning.
        ([(0, 9, 0, 9)], [(0, 4, 0, 4), (4, 7, 6, 9)], 4),
        # A reference, all of which is shown for all of the place.
        ([(0, 4, 0, 4), (4, 9, 4, 9)], [(0, 4, 0, 4), (4, 5, 4, 9)], 4),
        ([(0, 4, 0, 4), (6, 9, 6, 9)], [(0, 4, 0, 4), (5, 8, 6, 9)], 5),
    ],
)
def test_the_first_change_of_places_is_told(
    before: list[tuple[int, int, int, int]], after: list[tuple[int, int, int, int]], expected: int
) -> None:
    places = [[SourcePlace(*place) for place in all_places] for all_places in (before, after)]
    assert first_change(*places) == expected


def test_a_growing_text_has_the_places_of_a_whole_one() -> None:
    for answer in sample(6, 11):
        ends = range(7, len(answer.text), 7)
        for end, places in zip(ends, growing(answer.text, ends), strict=True):
            so_far = answer.text[:end]
            assert places == ProsePlaces().place(shown(so_far), so_far, 0, lambda _: 1), answer.name


def test_growing_code_has_the_places_of_whole_code() -> None:
    source = "1. So:\n\n   ```py\n   x = 1\n\n   😀 = 2\n   ```\n   after"
    code, whole = CodePlaces(), CodePlaces()
    assert code.place("", source[: source.index("`")], 7) == []
    for end in range(1, len("x = 1\n\n😀 = 2\n") + 1):
        places = code.place("x = 1\n\n😀 = 2\n"[:end], source, 7)
    assert places == whole.place("x = 1\n\n😀 = 2\n", source, 7)
    assert code.end == whole.end == source.index("   after")
