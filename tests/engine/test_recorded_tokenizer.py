"""A recorded tokenizer does what mlx-lm's of the same folder does, and what cannot be recorded is not."""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest
from tokenizers import Tokenizer

from engine.prompts import apply_template
from engine.recorded_tokenizer import RecordedTokenizer, record_of, recorded
from engine.text import AnswerText
from engine.tokenizer_records import TokenizerRecords
from tests.engine.tokenizer_folders import FAMILIES, OTHERS, record_made, refuse, theirs_of, write_tokenizer

# transformers warns of odd settings.
pytestmark = pytest.mark.expects_log

PARTS = (
    *(" ", "  ", "\n", "\n\n", "\t", "a", "The quick", " brown", "it's", "12345.678", ".", " ,", " !", "naïve", "é"),
    *(
        "안녕하세요",
        " 오늘은",
        "ㅋㅋ",
        "ᄒ\u1161\u11ab",
        "日本語",
        "の文章",
        "ﾊﾝｶｸ",
        "中文",
        "，繁體",
        "。",
        "🙂",
        "👩‍👩‍👧",
        "🇰🇷",
    ),
    *("\u00a0", "\u200b", "\ufeff", "\u0000", "\ufffd", "▁", "Ġ", "<0xE2>", "<s>", "</s>", "<unk>", "<pad>", "<bos>"),
    *("<|im_start|>", "<|im_end|>", "<|endoftext|>", "<think>", "</think>", "<|eot_id|>", "<start_of_turn>", "[INST]"),
)
TOOLS = [{"type": "function", "function": {"name": "clock", "description": "时间 <b>", "parameters": {"a": [1, None]}}}]
NAMES = (
    *("has_chat_template", "has_thinking", "has_tool_calling", "chat_template", "all_special_tokens"),
    *("all_special_ids", "eos_token_id", "eos_token_ids", "think_start", "think_end", "think_start_tokens"),
    *("think_end_tokens", "think_start_id", "think_end_id", "tool_parser", "tool_call_start", "tool_call_end"),
)


@pytest.fixture(scope="module", params=FAMILIES)
def pair(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[RecordedTokenizer, Any]:
    """Ours and theirs of the same folder."""
    folder = write_tokenizer(tmp_path_factory.mktemp("family") / "model", request.param)
    theirs = theirs_of(folder)
    return record_made(theirs, folder), theirs


def some_text(choose: random.Random) -> str:
    return "".join(choose.choice(PARTS) for _ in range(choose.randrange(12)))


def test_what_it_knows_is_what_mlx_lm_knows(pair: tuple[RecordedTokenizer, Any]) -> None:
    ours, theirs = pair
    assert {name: getattr(ours, name) for name in NAMES} == {name: getattr(theirs, name) for name in NAMES}
    assert ours.get_vocab() == theirs.get_vocab()
    assert len(ours) == len(theirs)


def test_texts_become_the_same_ids_and_ids_the_same_text(pair: tuple[RecordedTokenizer, Any]) -> None:
    ours, theirs = pair
    choose = random.Random(1)
    for _ in range(150):
        text = some_text(choose)
        ids = theirs.encode(text)
        assert ours.encode(text) == ids
        assert ours.encode(text, add_special_tokens=False) == theirs.encode(text, add_special_tokens=False)
        assert ours.decode(ids) == theirs.decode(ids)
        ids = [choose.randrange(len(theirs)) for _ in range(choose.randrange(9))]
        assert ours.decode(ids) == theirs.decode(ids)


def test_tokens_stream_as_the_same_text(pair: tuple[RecordedTokenizer, Any]) -> None:
    """Also ones that make no text together: parts of characters, control tokens."""
    ours, theirs = pair
    choose = random.Random(2)
    for _ in range(12):
        mixed = [choose.randrange(len(theirs)) for _ in range(40)]
        # The first ids are single bytes, or stand beside them.
        ids = [choose.randrange(300) if choose.random() < 0.5 else token for token in mixed]
        ids += theirs.encode(some_text(choose))
        one, other = AnswerText(ours.detokenizer), AnswerText(theirs.detokenizer)
        assert [one.add(token) for token in ids] == [other.add(token) for token in ids]
        assert one.finish() == other.finish()


def some_chat(choose: random.Random) -> list[dict[str, Any]]:
    chat: list[dict[str, Any]] = []
    for _ in range(choose.randrange(5)):
        message: dict[str, Any] = {
            "role": choose.choice(("system", "user", "user", "user", "assistant", "assistant", "tool"))
        }
        message["content"] = choose.choice(
            (some_text(choose), some_text(choose), "", None, [{"type": "text", "text": "b"}])
        )
        if choose.random() < 0.2:
            message[choose.choice(("reasoning_content", "thinking", "reasoning"))] = some_text(choose)
        if choose.random() < 0.1:
            message["tool_calls"] = [{"name": "clock", "arguments": {}}]
        chat.append(message)
    return chat


def rendered(tokenizer: Any, chat: Sequence[dict[str, Any]], options: dict[str, Any]) -> list[int] | str:
    try:
        return list(apply_template(tokenizer, chat, **options))
    # Templates raise all kinds of exceptions.
    except Exception:
        return "refused"


def test_conversations_are_rendered_the_same(pair: tuple[RecordedTokenizer, Any]) -> None:
    ours, theirs = pair
    if not theirs.has_chat_template:
        pytest.skip("a family without a template")
    choose, found = random.Random(3), []
    for _ in range(150):
        chat = some_chat(choose)
        options: dict[str, Any] = {
            "add_generation_prompt": choose.random() < 0.5,
            "continue_final_message": choose.random() < 0.4,
        }
        if choose.random() < 0.3:
            options["tools"] = TOOLS
        if choose.random() < 0.3:
            options[choose.choice(("enable_thinking", "date_string", "bos_token"))] = choose.choice((True, False, "x"))
        before = json.dumps(chat)
        found.append(rendered(theirs, chat, options))
        assert rendered(ours, chat, options) == found[-1]
        assert json.dumps(chat) == before
    assert sum(one != "refused" for one in found) > 20


def test_parameters_of_transformers_and_all_else_are_left_to_mlx_lm(tmp_path: Path) -> None:
    folder = write_tokenizer(tmp_path / "model", "qwen2")
    theirs = theirs_of(folder)
    ours = record_made(theirs, folder, lambda: theirs)
    chat = [{"role": "user", "content": "a"}]
    for options in ({"tokenize": False}, {"max_length": 2, "truncation": True}, {"chat_template": "b"}):
        assert ours.apply_chat_template(chat, **options) == theirs.apply_chat_template(chat, **options)
    assert ours.convert_ids_to_tokens([5]) == theirs.convert_ids_to_tokens([5])


def test_a_token_that_is_not_there_is_an_error_as_with_mlx_lm(pair: tuple[RecordedTokenizer, Any]) -> None:
    ours, theirs = pair

    def streamed(tokenizer: Any) -> str:
        stream = tokenizer.detokenizer
        try:
            stream.add_token(len(tokenizer))
        except IndexError:
            return "refused"
        return str(stream.text)

    assert streamed(ours) == streamed(theirs)


@pytest.mark.parametrize("family", OTHERS)
def test_what_is_decoded_by_the_tokenizer_itself_is_not_recorded(family: str, tmp_path: Path) -> None:
    assert record_of(theirs_of(write_tokenizer(tmp_path, family))) is None


@pytest.mark.parametrize(
    "changes",
    [
        {"split_special_tokens": True},
        {
            "clean_up_tokenization_spaces": True,
            "clean_up_tokenization_spaces_for_bpe_even_though_it_will_corrupt_output": True,
        },
        {"chat_template": [{"name": "default", "template": "a"}, {"name": "tool_use", "template": "b"}]},
        {"chat_template_type": "deepseek_v32"},
        {"tokenizer_class": "CodeGenTokenizer"},
    ],
    ids=str,
)
def test_a_folder_that_asks_for_more_is_not_recorded(changes: dict[str, Any], tmp_path: Path) -> None:
    assert record_of(theirs_of(write_tokenizer(tmp_path, "qwen2", **changes))) is None


def test_a_record_cannot_name_another_module_to_be_imported(tmp_path: Path) -> None:
    made = record_of(theirs_of(write_tokenizer(tmp_path / "model", "llama 3")))
    assert made is not None
    records = TokenizerRecords(tmp_path / "learned.json")
    path = records.path(tmp_path / "model")
    assert path is not None
    records.keep(path, asdict(made[0]) | {"tools": ["antigravity", "<call>", "</call>"]}, made[1])
    with pytest.raises(ValueError, match="antigravity"):
        recorded(path, refuse)


@pytest.mark.parametrize("set_up", ["truncated", "padded", "with a gap"])
def test_a_backend_with_more_than_a_vocabulary_is_not_recorded(set_up: str, tmp_path: Path) -> None:
    folder = write_tokenizer(tmp_path, "llama 3")
    backend = Tokenizer.from_file(str(folder / "tokenizer.json"))
    if set_up == "truncated":
        backend.enable_truncation(8)
    elif set_up == "padded":
        backend.enable_padding(length=8)
    content = json.loads(backend.to_str())
    if set_up == "with a gap":
        del content["model"]["vocab"]["!"]
    (folder / "tokenizer.json").write_text(json.dumps(content))
    assert record_of(theirs_of(folder)) is None
