from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from engine.model_files.bounded_json import UntrustedJsonError
from engine.speculation.vocabulary import (
    NO_ID,
    Vocabulary,
    bytes_by_id,
    compare,
    fingerprint,
    map_tokens,
    read_vocabulary,
    vocabulary_of,
)
from tests.engine.speculation.tokenizers_in_test import byte_level, metaspace, saved, unigram, vocabulary


def words(count: int, *, special: dict[str, int] | None = None, start: int = 0) -> Vocabulary:
    ids = {f"Ġword{index}": index for index in range(start, count)}
    return Vocabulary(ids | (special or {}), frozenset(special or ()))


def test_equal_maps_are_the_same_vocabulary() -> None:
    relation = compare(words(50, special={"<eos>": 50}), words(50, special={"<eos>": 50}))
    assert (relation.kind, relation.shared, relation.misplaced_special) == ("same", 1.0, ())


@pytest.mark.parametrize(("main", "draft"), [(100, 95), (95, 100)])
def test_extra_ids_at_the_end_of_either_are_padding(main: int, draft: int) -> None:
    assert compare(words(main), words(draft)).kind == "padded"


def test_a_small_part_of_a_vocabulary_is_different() -> None:
    assert compare(words(100), words(50)).kind == "different"


def test_one_id_with_two_meanings_is_different() -> None:
    swapped = Vocabulary({**words(100).ids, "Ġword3": 4, "Ġword4": 3}, frozenset())
    relation = compare(words(100), swapped)
    assert relation.kind == "different"
    assert relation.shared == pytest.approx(0.98)


def test_control_tokens_that_moved_are_named() -> None:
    main = words(100, special={"<eos>": 100, "<pad>": 101})
    draft = words(100, special={"<eos>": 101, "<pad>": 100})
    relation = compare(main, draft)
    assert relation.kind == "different"
    assert relation.misplaced_special == ("<eos>", "<pad>")


def test_same_size_is_not_the_same_vocabulary() -> None:
    assert compare(vocabulary(byte_level(350)), vocabulary(byte_level(350, True))).kind == "different"


def test_a_file_and_the_tokenizer_loaded_from_it_agree(tmp_path: Path) -> None:
    from transformers import PreTrainedTokenizerFast

    path = saved(byte_level(), tmp_path)
    loaded = PreTrainedTokenizerFast(
        tokenizer_file=str(path), eos_token="<|im_end|>", additional_special_tokens=["<|im_start|>"]
    )
    assert vocabulary_of(loaded) == read_vocabulary(path)


@pytest.mark.parametrize("tokenizer", [byte_level, metaspace, unigram])
def test_vocabularies_of_every_family_can_be_read_from_their_file(tokenizer: Any, tmp_path: Path) -> None:
    assert read_vocabulary(saved(tokenizer(), tmp_path)).ids == tokenizer().get_vocab()


@pytest.mark.parametrize("content", ["", "[]", "{", '{"model": 3}', '{"model": {"vocab": {"a": "b"}}}'])
def test_what_is_no_tokenizer_is_refused(content: str, tmp_path: Path) -> None:
    path = tmp_path / "tokenizer.json"
    path.write_text(content)
    with pytest.raises((UntrustedJsonError, ValueError)):
        read_vocabulary(path)
    with pytest.raises((UntrustedJsonError, ValueError)):
        fingerprint(path)


def rewritten(path: Path, **changes: Any) -> Path:
    content = json.loads(path.read_text())
    for name, value in changes.items():
        content[name] = value
    other = path.with_name("other.json")
    other.write_text(json.dumps(content, indent=3, sort_keys=True))
    return other


def test_the_fingerprint_ignores_layout_padding_and_post_processing(tmp_path: Path) -> None:
    path = saved(byte_level(), tmp_path)
    model = json.loads(path.read_text())["model"]
    model["merges"] = [" ".join(pair) for pair in model["merges"]]
    other = rewritten(path, model=model, padding={"strategy": "BatchLongest"}, post_processor=None)
    assert fingerprint(other) == fingerprint(path)


def merges_reversed(content: dict[str, Any]) -> None:
    content["model"]["merges"].reverse()


def another_normalizer(content: dict[str, Any]) -> None:
    content["normalizer"] = {"type": "NFC"}


def another_pre_tokenizer(content: dict[str, Any]) -> None:
    content["pre_tokenizer"]["add_prefix_space"] = True


def another_special_token(content: dict[str, Any]) -> None:
    content["added_tokens"][0]["special"] = False


def another_id(content: dict[str, Any]) -> None:
    content["model"]["vocab"]["Ġthe"] = 9999


@pytest.mark.parametrize(
    "change", [merges_reversed, another_normalizer, another_pre_tokenizer, another_special_token, another_id]
)
def test_the_fingerprint_changes_with_whatever_changes_the_ids(change: Any, tmp_path: Path) -> None:
    path = saved(byte_level(), tmp_path)
    content = json.loads(path.read_text())
    change(content)
    other = tmp_path / "other.json"
    other.write_text(json.dumps(content))
    assert fingerprint(other) != fingerprint(path)


def test_tokens_are_matched_by_the_bytes_they_stand_for() -> None:
    main = Vocabulary({"Ġthe": 0, "the": 1, "é": 2, "Ã©": 3, "<eos>": 4}, frozenset({"<eos>"}))
    draft = Vocabulary({"the": 0, "▁the": 1, "é": 2, "▁a": 3, "<eos>": 4}, frozenset({"<eos>"}))
    matched = map_tokens(main, draft)
    assert matched.to_main.tolist() == [1, 0, 3, NO_ID, 4]
    assert matched.to_draft.tolist() == [1, 0, NO_ID, 2, 4]
    assert matched.main_share == 0.8


def test_a_control_token_never_stands_for_the_text_that_looks_like_it() -> None:
    main = Vocabulary({"Ġa": 0, "<eos>": 1}, frozenset({"<eos>"}))
    draft = Vocabulary({"Ġa": 0, "<eos>": 1}, frozenset())
    assert map_tokens(main, draft).to_main.tolist() == [0, NO_ID]


def test_a_fallback_byte_yields_to_the_ordinary_token() -> None:
    main = Vocabulary({"▁a": 0, "<0x41>": 1, "A": 2, "<0xFF>": 3}, frozenset())
    draft = Vocabulary({"▁a": 0, "A": 1, "<0xFF>": 2}, frozenset())
    assert map_tokens(main, draft).to_main.tolist() == [0, 2, 3]


@pytest.mark.parametrize("pair", [(byte_level, metaspace), (metaspace, byte_level), (byte_level, unigram)])
def test_the_map_is_one_to_one_and_keeps_the_bytes(pair: tuple[Any, Any]) -> None:
    main, draft = (vocabulary(tokenizer()) for tokenizer in pair)
    matched, main_bytes, draft_bytes = map_tokens(main, draft), bytes_by_id(main), bytes_by_id(draft)
    assert (matched.to_main != NO_ID).sum() == (matched.to_draft != NO_ID).sum() > 40
    for draft_id, main_id in enumerate(matched.to_main.tolist()):
        if main_id != NO_ID:
            assert matched.to_draft[main_id] == draft_id
            assert main_bytes[main_id] == draft_bytes[draft_id]
