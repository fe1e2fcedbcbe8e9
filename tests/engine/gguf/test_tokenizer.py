"""Tokenizers written from metadata; the golden ids are those of llama.cpp v0.5.0 for the same tokens."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from unicodedata import is_normalized, normalize

import pytest
from tokenizers import Tokenizer
from transformers import AutoTokenizer

from engine.errors import ModelNotUsable
from engine.gguf.pre_tokenizers import COMPOSED, EXPRESSIONS
from engine.gguf.tokenizer import write_tokenizer

GOLDEN = json.loads((Path(__file__).parent / "golden_tokenizers.json").read_text(encoding="utf-8"))
CHATML = "{% for m in messages %}<|im_start|>{{ m.content }}<|im_end|>{% endfor %}"


def metadata_of(kind: str, **changes: Any) -> dict[str, Any]:
    """Return the metadata of a tokenizer: a value of `pre`, "llama", "llama without prefix" or "gemma4"."""
    fields = dict(GOLDEN["byte_level"] if kind in EXPRESSIONS and kind != "gemma4" else GOLDEN["pieces"])
    if kind in ("gemma4", "gpt2"):
        fields["model"] = kind
    elif kind == "llama without prefix":
        fields |= {"add_space_prefix": False, "add_bos_token": False}
    elif kind != "llama":
        fields["pre"] = kind
    return {f"tokenizer.ggml.{name}": value for name, value in (fields | changes).items()}


def written(folder: Path, metadata: dict[str, Any], name: str = "tokenizer_config.json") -> Any:
    write_tokenizer(metadata, folder)
    return json.loads((folder / name).read_text(encoding="utf-8"))


@pytest.mark.parametrize("kind", GOLDEN["ids"])
def test_ids_are_those_of_llama_cpp_unless_the_published_tokenizer_composes_the_text(kind: str, tmp_path: Path) -> None:
    write_tokenizer(metadata_of(kind), tmp_path)
    tokenizer = Tokenizer.from_file(str(tmp_path / "tokenizer.json"))
    for text, ids in zip(GOLDEN["texts"], GOLDEN["ids"][kind], strict=True):
        if kind not in COMPOSED or is_normalized("NFC", text):
            assert tokenizer.encode(text).ids == ids


@pytest.mark.parametrize("kind", GOLDEN["ids"])
def test_a_text_without_control_tokens_comes_back_from_its_ids(kind: str, tmp_path: Path) -> None:
    write_tokenizer(metadata_of(kind), tmp_path)
    tokenizer = AutoTokenizer.from_pretrained(tmp_path)
    for text in (text for text in GOLDEN["texts"] if "<" not in text):
        expected = normalize("NFC", text) if kind in COMPOSED else text
        assert tokenizer.decode(tokenizer.encode(text), skip_special_tokens=True) == expected


@pytest.mark.parametrize("kind", sorted(COMPOSED))
def test_a_decomposed_text_has_the_ids_of_the_composed_one_where_the_published_tokenizer_composes(
    kind: str, tmp_path: Path
) -> None:
    write_tokenizer(metadata_of(kind), tmp_path)
    tokenizer = Tokenizer.from_file(str(tmp_path / "tokenizer.json"))
    for text in ("한국어 파일 이름.txt", "naïve café"):
        assert tokenizer.encode(normalize("NFD", text)).ids == tokenizer.encode(text).ids


@pytest.mark.parametrize("kind", ["gpt-4o", "tekken"])
def test_marks_stay_in_their_words_and_large_letters_of_any_script_begin_new_ones(kind: str, tmp_path: Path) -> None:
    write_tokenizer(metadata_of(kind), tmp_path)
    splitting = Tokenizer.from_file(str(tmp_path / "tokenizer.json")).pre_tokenizer
    pieces = ["हिन्दी", " ที่นี่", " בְּרֵאשִׁית", " Привет", "Мир", " Éa", "Éa"]
    text = "".join(pieces)
    assert [text[start:stop] for _, (start, stop) in splitting.pre_tokenize_str(text)] == pieces


def test_every_split_of_the_table_has_golden_ids() -> None:
    tried = {EXPRESSIONS[kind] for kind in GOLDEN["ids"] if kind in EXPRESSIONS}
    assert tried == set(EXPRESSIONS.values())


def test_control_tokens_are_special_and_users_tokens_are_not(tmp_path: Path) -> None:
    added = written(tmp_path, metadata_of("qwen2"), "tokenizer.json")["added_tokens"]
    assert {one["content"]: one["special"] for one in added} == {
        "<s>": True,
        "</s>": True,
        "<|im_end|>": True,
        "<think>": False,
    }


def test_the_end_of_a_turn_stops_an_answer_beside_eos(tmp_path: Path) -> None:
    ends = written(tmp_path, metadata_of("qwen2"), "generation_config.json")
    assert (ends["bos_token_id"], ends["eos_token_id"]) == (0, [1, 2])


def test_the_end_of_a_message_stops_nothing_in_gpt_oss_s_form(tmp_path: Path) -> None:
    metadata = metadata_of("gpt-4o")
    metadata["tokenizer.ggml.tokens"] = [*metadata["tokenizer.ggml.tokens"], "<|return|>", "<|call|>", "<|end|>"]
    metadata["tokenizer.ggml.token_type"] = [*metadata["tokenizer.ggml.token_type"], 3, 3, 3]
    ids = metadata["tokenizer.ggml.tokens"]
    ends = written(tmp_path, metadata, "generation_config.json")["eos_token_id"]
    assert {ids[one] for one in ends} == {"</s>", "<|im_end|>", "<|return|>", "<|call|>"}


def test_a_phi_3_eats_the_spaces_behind_its_control_tokens(tmp_path: Path) -> None:
    write_tokenizer(metadata_of("llama") | {"general.name": "Phi-3 mini"}, tmp_path)
    tokenizer = Tokenizer.from_file(str(tmp_path / "tokenizer.json"))
    spaced, plain = (tokenizer.encode(f"a<end_of_turn>{between}b").ids for between in (" \n", ""))
    assert spaced == plain


@pytest.mark.parametrize(
    ("templates", "expected"),
    [
        ({}, None),
        ({"": CHATML}, CHATML),
        ({"": CHATML, ".tool_use": "T"}, [("default", CHATML), ("tool_use", "T")]),
        ({".tool_use": "T"}, "T"),
    ],
    ids=["base model", "one", "several", "only a named one"],
)
def test_chat_templates(templates: dict[str, str], expected: Any, tmp_path: Path) -> None:
    fields = {f"tokenizer.chat_template{key}": text for key, text in templates.items()}
    found = written(tmp_path, metadata_of("qwen2") | fields | {"tokenizer.chat_templates": ["tool_use"]})
    template = found.get("chat_template")
    assert (template if isinstance(template, str | None) else [tuple(one.values()) for one in template]) == expected


def test_a_template_renders_with_the_written_files(tmp_path: Path) -> None:
    write_tokenizer(metadata_of("qwen2") | {"tokenizer.chat_template": CHATML}, tmp_path)
    tokenizer = AutoTokenizer.from_pretrained(tmp_path)
    assert tokenizer.eos_token == "</s>"
    rendered = tokenizer.apply_chat_template([{"role": "user", "content": "x"}], tokenize=False)
    assert rendered == "<|im_start|>x<|im_end|>"


@pytest.mark.parametrize(
    ("metadata", "reason", "detail"),
    [
        (metadata_of("qwen2", pre="no-such-kind"), "no-tokenizer", "gpt2, no-such-kind"),
        (metadata_of("llama", model="bert"), "no-tokenizer", "bert"),
        (metadata_of("llama", tokens=[]), "damaged", "tokenizer.ggml.tokens"),
        (metadata_of("llama", tokens=["a", "a"]), "damaged", "tokenizer.ggml.tokens"),
        (metadata_of("llama", tokens=7), "damaged", "tokenizer.ggml.tokens"),
        (metadata_of("llama", scores=[0.0]), "damaged", "tokenizer.ggml.scores"),
        (metadata_of("qwen2", token_type=[1]), "damaged", "tokenizer.ggml.token_type"),
        (metadata_of("qwen2", merges="ab"), "damaged", "tokenizer.ggml.merges"),
        (metadata_of("qwen2", bos_token_id="x"), "damaged", "tokenizer.ggml.bos_token_id"),
    ],
)
def test_what_is_no_known_tokenizer_is_refused(
    metadata: dict[str, Any], reason: str, detail: str, tmp_path: Path
) -> None:
    with pytest.raises(ModelNotUsable) as caught:
        write_tokenizer(metadata, tmp_path)
    assert (caught.value.reason, caught.value.detail) == (reason, detail)


def test_ids_beyond_the_vocabulary_are_ignored(tmp_path: Path) -> None:
    config = written(tmp_path, metadata_of("qwen2", bos_token_id=10**6, padding_token_id=-1))
    assert [config.get(name) for name in ("bos_token", "pad_token", "eos_token")] == [None, None, "</s>"]
