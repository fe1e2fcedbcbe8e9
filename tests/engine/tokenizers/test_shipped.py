"""The tokenizer of what ships is the one that mlx-lm makes of the same folder, without its imports."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest
from mlx_lm.utils import load_tokenizer

from engine import starter_pair
from engine.main_model.loading import load
from engine.tokenizers.answer_text import AnswerText
from engine.tokenizers.shipped import ShippedTokenizer, is_plain

MAIN, DRAFT = starter_pair()
TEXTS = (
    "",
    " a  b\n\n\tc ",
    "Hello, what's it? 12345",
    "안녕하세요 반가워요",
    "日本語と漢字、中文也可以。",
    "<|im_end|> <|im_start|>user",
    "👩‍👩‍👧 é \u0000 \ufffd",
)
NAMES = (
    *("has_chat_template", "has_thinking", "has_tool_calling", "chat_template", "all_special_tokens"),
    *("all_special_ids", "eos_token_id", "eos_token_ids"),
)


@pytest.fixture(scope="module")
def theirs() -> Any:
    return load_tokenizer(MAIN, {"trust_remote_code": False}, eos_token_ids=[2, 0])


@pytest.fixture
def ours(theirs: Any) -> ShippedTokenizer:
    return ShippedTokenizer(MAIN, [2, 0], lambda: theirs)


@pytest.fixture
def alone() -> ShippedTokenizer:
    def refuse() -> None:
        raise AssertionError("mlx-lm's tokenizer is not needed for this")

    return ShippedTokenizer(MAIN, [2, 0], refuse)


def test_the_pair_that_ships_is_loaded_with_it() -> None:
    assert is_plain(MAIN)
    assert isinstance(load(DRAFT).tokenizer, ShippedTokenizer)


def test_another_chat_template_is_left_to_mlx_lm(tmp_path: Path) -> None:
    config = (MAIN / "tokenizer_config.json").read_text(encoding="utf-8")
    (tmp_path / "tokenizer_config.json").write_text(config.replace("| trim", "| upper"), encoding="utf-8")
    assert not is_plain(tmp_path)


@pytest.mark.parametrize("name", NAMES)
def test_what_it_knows_is_what_mlx_lm_knows(name: str, alone: ShippedTokenizer, theirs: Any) -> None:
    assert getattr(alone, name) == getattr(theirs, name)


@pytest.mark.parametrize("ends", [None, 2, [0]])
def test_the_ends_of_a_turn_come_from_the_configuration_as_mlx_lm_reads_it(ends: Any, theirs: Any) -> None:
    expected = {2} | ({ends} if isinstance(ends, int) else set(ends or ()))
    assert ShippedTokenizer(MAIN, ends, lambda: theirs).eos_token_ids == expected


@pytest.mark.parametrize("text", TEXTS)
def test_texts_become_the_same_ids_and_ids_the_same_text(text: str, alone: ShippedTokenizer, theirs: Any) -> None:
    ids = theirs.encode(text)
    assert alone.encode(text) == ids
    assert alone.encode(text, add_special_tokens=False) == theirs.encode(text, add_special_tokens=False)
    assert alone.decode(ids) == theirs.decode(ids)


def test_the_vocabulary_is_the_same(alone: ShippedTokenizer, theirs: Any) -> None:
    assert alone.get_vocab() == theirs.get_vocab()
    assert len(alone) == len(theirs)


@pytest.mark.parametrize("prompted", [False, True])
@pytest.mark.parametrize("seed", range(4))
def test_conversations_are_rendered_the_same(seed: int, prompted: bool, alone: ShippedTokenizer, theirs: Any) -> None:
    choose = random.Random(seed)
    chat = [
        {"role": choose.choice(("system", "user", "assistant", "tool")), "content": choose.choice(TEXTS)}
        for _ in range(seed + 1)
    ]
    options: dict[str, Any] = {"tools": [{"name": "clock"}]} if seed % 2 else {"continue_final_message": False}
    expected = theirs.apply_chat_template(chat, add_generation_prompt=prompted, **options)
    assert alone.apply_chat_template(chat, add_generation_prompt=prompted, **options) == expected


@pytest.mark.parametrize(
    ("chat", "options"),
    [
        ([{"role": "user", "content": "a"}], {"tokenize": False}),
        ([{"role": "user", "content": "a"}], {"messages_of": "nobody"}),
        ([{"role": "user", "content": 3}], {}),
    ],
)
def test_whatever_else_is_asked_for_is_mlx_lms_answer(
    chat: list[dict[str, Any]], options: dict[str, Any], ours: ShippedTokenizer, theirs: Any
) -> None:
    assert ours.apply_chat_template(chat, **options) == theirs.apply_chat_template(chat, **options)


@pytest.mark.parametrize("seed", range(6))
def test_tokens_stream_as_the_same_text(seed: int, alone: ShippedTokenizer, theirs: Any) -> None:
    """Also ones that make no text together: parts of characters, a byte of 0, control tokens, ids behind the last."""
    choose = random.Random(seed)
    # The first ids are single bytes.
    ids = [choose.randrange(300) if choose.random() < 0.7 else choose.randrange(4100) for _ in range(400)]
    one, other = AnswerText(alone.detokenizer), AnswerText(theirs.detokenizer)
    assert [one.add(token) for token in ids] == [other.add(token) for token in ids]
    assert one.finish() == other.finish()


@pytest.mark.parametrize("text", TEXTS)
def test_an_answer_is_continued_as_by_mlx_lm(text: str, alone: ShippedTokenizer, theirs: Any) -> None:
    chat = [{"role": "user", "content": "a"}, {"role": "assistant", "content": text}]
    expected = theirs.apply_chat_template(chat, continue_final_message=True)
    assert alone.apply_chat_template(chat, continue_final_message=True) == expected


@pytest.mark.parametrize("text", TEXTS[:-1])
def test_a_streamed_text_is_the_text(text: str, alone: ShippedTokenizer) -> None:
    answer = AnswerText(alone.detokenizer)
    for token in alone.encode("x" + text):
        answer.add(token)
    answer.finish()
    assert answer.text == "x" + text
