"""Writes the tokenizer and the chat templates in a GGUF file's metadata as files that Transformers reads.

The ids are the same as llama.cpp's own tokenizer gives, after the normal form that the published one gives a text.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from engine.errors import ModelNotUsable
from engine.gguf.pre_tokenizers import BEGIN_WITH_BOS, COMPOSED, EXPRESSIONS, WHOLE_WORDS

# Values of `tokenizer.ggml.token_type`.
_NORMAL = 1
_UNKNOWN = 2
_CONTROL = 3
_USER_DEFINED = 4
_SPACE = "▁"
# Tokens that end an answer though files declare only one of them; some files do not even mark them as control tokens.
_ENDS = (
    *("<|eot_id|>", "<|eom_id|>", "<|im_end|>", "<|end|>", "<|return|>", "<|call|>", "<|endoftext|>", "<EOT>", "[e~["),
    *("<|end_of_text|>", "<end_of_turn>", "<turn|>", "<end_of_utterance>", "<｜end▁of▁sentence｜>"),
)


def kind_of(metadata: Mapping[str, Any], path: Path) -> tuple[str, str]:
    """Return the values of `tokenizer.ggml.model` and `.pre`. Raises `ModelNotUsable`: no-tokenizer."""
    model = str(metadata.get("tokenizer.ggml.model", ""))
    pre = "gemma4" if model == "gemma4" else str(metadata.get("tokenizer.ggml.pre", "default"))
    if model not in ("gpt2", "llama", "gemma4") or (model != "llama" and pre not in EXPRESSIONS):
        raise ModelNotUsable(path, "no-tokenizer", (f"{model}, {pre}" if model == "gpt2" else model)[:80])
    return model, pre


def write_tokenizer(metadata: Mapping[str, Any], folder: Path) -> None:
    """Write tokenizer.json, tokenizer_config.json with the chat templates, and generation_config.json into `folder`.

    `metadata` holds the file's fields by their keys. Raises `ModelNotUsable`: no-tokenizer for a kind that is not
    known, damaged for fields that do not fit together.
    """
    fields = _Fields(metadata, folder)
    added = [
        {
            "id": index,
            "content": text,
            "single_word": False,
            "lstrip": False,
            "rstrip": fields.strips_spaces and text not in ("<unk>", "<s>", "<|endoftext|>"),
            "normalized": False,
            "special": kind != _USER_DEFINED,
        }
        for index, (text, kind) in enumerate(zip(fields.tokens, fields.kinds, strict=True))
        if kind in (_UNKNOWN, _CONTROL, _USER_DEFINED)
    ]
    frame = {"version": "1.0", "truncation": None, "padding": None, "added_tokens": added}
    rules = _sentence_piece(fields) if fields.model == "llama" else _merging(fields)
    _write(folder / "tokenizer.json", frame | rules | {"post_processor": _around(fields)})
    named = {"bos": fields.id_of("bos"), "eos": fields.id_of("eos"), "unk": fields.id_of("unknown")}
    named["pad"] = fields.id_of("padding")
    given = {name: index for name, index in named.items() if index is not None}
    config: dict[str, Any] = {f"{name}_token": fields.tokens[index] for name, index in given.items()}
    config |= {"tokenizer_class": "PreTrainedTokenizerFast", "clean_up_tokenization_spaces": False}
    _write(folder / "tokenizer_config.json", config | _templates(metadata))
    ends = {"bos_token_id": named["bos"], "eos_token_id": _stop_ids(fields) or None}
    _write(folder / "generation_config.json", {name: value for name, value in ends.items() if value is not None})


class _Fields:
    """The checked fields of a tokenizer in a file's metadata."""

    def __init__(self, metadata: Mapping[str, Any], folder: Path) -> None:
        self._metadata = metadata
        self._folder = folder
        self.model, self.pre = kind_of(metadata, folder)
        # Empty strings would be one token.
        self.tokens = [text or f"[EMPTY_{index}]" for index, text in enumerate(self.texts("tokens"))]
        if not self.tokens or len(set(self.tokens)) < len(self.tokens):
            raise ModelNotUsable(folder, "damaged", "tokenizer.ggml.tokens")
        self.kinds = self.numbers("token_type") or [_NORMAL] * len(self.tokens)
        for index, text in enumerate(self.tokens):
            self.kinds[index] = _CONTROL if text in _ENDS else self.kinds[index]
        self.ids = {text: index for index, text in enumerate(self.tokens)}
        name = str(metadata.get("general.name", "")).lower()
        # Phi-3's makers let its control tokens take the white space after them; files do not say so.
        self.strips_spaces = "phi-3" in name or "phi3" in name

    def get(self, key: str, default: Any = None) -> Any:
        return self._metadata.get(f"tokenizer.ggml.{key}", default)

    def texts(self, key: str) -> list[str]:
        """Return the texts of a field, [] if the file lacks it. Raises `ModelNotUsable` (damaged) for anything else."""
        texts = self.get(key, [])
        if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
            raise ModelNotUsable(self._folder, "damaged", f"tokenizer.ggml.{key}")
        return texts

    def numbers(self, key: str) -> list[Any]:
        """Return one number for each token, or nothing.

        Raises `ModelNotUsable` (damaged) for too few, and for anything else.
        """
        numbers = self.get(key, [])
        sound = isinstance(numbers, list) and all(isinstance(number, int | float) for number in numbers)
        if not sound or 0 < len(numbers) < len(self.tokens):
            raise ModelNotUsable(self._folder, "damaged", f"tokenizer.ggml.{key}")
        return list(numbers[: len(self.tokens)])

    def id_of(self, name: str) -> int | None:
        """Return the id of the token with this role, such as "bos"; None if the file names none.

        Raises `ModelNotUsable` (damaged) for an id that is no whole number.
        """
        token = self.get(f"{name}_token_id", -1)
        if type(token) is not int:
            raise ModelNotUsable(self._folder, "damaged", f"tokenizer.ggml.{name}_token_id")
        return token if 0 <= token < len(self.tokens) else None


def _merging(fields: _Fields) -> dict[str, Any]:
    """Return the rules of a tokenizer that lists its merges."""
    splits = [
        {"type": "Split", "pattern": {"Regex": expression}, "behavior": "Isolated", "invert": False}
        for expression in EXPRESSIONS[fields.pre]
    ]
    merges = []
    for line in fields.texts("merges"):
        left, _, right = line[1:].partition(" ")
        pair = (line[:1] + left, right)
        if pair[0] in fields.ids and pair[1] in fields.ids and "".join(pair) in fields.ids:
            merges.append(pair)
    if fields.model == "gemma4":
        return _plain_text(fields, merges, prefix=False) | {"pre_tokenizer": splits[0]}
    plain = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": False}
    model = {"type": "BPE", "vocab": fields.ids, "merges": merges, "ignore_merges": fields.pre in WHOLE_WORDS}
    return {
        "normalizer": {"type": "NFC"} if fields.pre in COMPOSED else None,
        "pre_tokenizer": {"type": "Sequence", "pretokenizers": [*splits, plain]},
        "model": model | {"fuse_unk": False, "byte_fallback": False},
        "decoder": plain,
    }


def _sentence_piece(fields: _Fields) -> dict[str, Any]:
    """Return the rules of a tokenizer that merges the pair whose token has the highest score."""
    scores = fields.numbers("scores") or [0.0] * len(fields.tokens)
    ids = fields.ids
    whole = [index for index, kind in enumerate(fields.kinds) if kind not in (_UNKNOWN, _CONTROL, _USER_DEFINED)]
    merges = []
    # The sort is stable: of equal scores, the token with the smaller id comes first.
    for index in sorted(whole, key=lambda token: -scores[token]):
        text = fields.tokens[index]
        pairs = ((text[:at], text[at:]) for at in range(1, len(text)))
        known = [pair for pair in pairs if pair[0] in ids and pair[1] in ids]
        merges += sorted(known, key=lambda pair: (ids[pair[0]], ids[pair[1]]))
    return _plain_text(fields, merges, prefix=bool(fields.get("add_space_prefix", True))) | {"pre_tokenizer": None}


def _plain_text(fields: _Fields, merges: Sequence[tuple[str, str]], *, prefix: bool) -> dict[str, Any]:
    """Return the rules of a tokenizer with ▁ for spaces, and tokens for the bytes of letters that it does not have."""
    spaces: dict[str, Any] = {"type": "Replace", "pattern": {"String": " "}, "content": _SPACE}
    first = {"type": "Prepend", "prepend": _SPACE}
    back: list[dict[str, Any]] = [{"type": "Replace", "pattern": {"String": _SPACE}, "content": " "}]
    back += [{"type": "ByteFallback"}, {"type": "Fuse"}]
    if prefix:
        back.append({"type": "Strip", "content": " ", "start": 1, "stop": 0})
    unknown = fields.id_of("unknown")
    unk = None if unknown is None else fields.tokens[unknown]
    model = {"type": "BPE", "vocab": fields.ids, "merges": merges, "unk_token": unk}
    return {
        "normalizer": {"type": "Sequence", "normalizers": [first, spaces]} if prefix else spaces,
        "model": model | {"fuse_unk": True, "byte_fallback": True, "ignore_merges": False},
        "decoder": {"type": "Sequence", "decoders": back},
    }


def _around(fields: _Fields) -> dict[str, Any] | None:
    """Return what puts BOS before and EOS after a text that is no chat."""
    usual = fields.model != "gpt2" or fields.pre in BEGIN_WITH_BOS
    wanted = {"bos": fields.get("add_bos_token", usual), "eos": fields.get("add_eos_token", False)}
    # llama.cpp adds Gemma 4's BOS even if the file denies it.
    wanted["bos"] = wanted["bos"] or fields.model == "gemma4"
    marks = {name: index for name in wanted if wanted[name] and (index := fields.id_of(name)) is not None}
    if not marks:
        return None
    text = {name: fields.tokens[index] for name, index in marks.items()}
    special = {name: {"SpecialToken": {"id": text[name], "type_id": 0}} for name in marks}
    begin, end = ([special[name]] if name in special else [] for name in ("bos", "eos"))

    def around(*sequences: str) -> list[dict[str, Any]]:
        inner = [{"Sequence": {"id": name, "type_id": 0}} for name in sequences]
        return [*begin, *inner, *end]

    return {
        "type": "TemplateProcessing",
        "single": around("A"),
        "pair": around("A", "B"),
        "special_tokens": {text[n]: {"id": text[n], "ids": [i], "tokens": [text[n]]} for n, i in marks.items()},
    }


def _stop_ids(fields: _Fields) -> list[int]:
    """Return the tokens that end an answer: EOS, the ones that the metadata names, and ones known by their text."""
    ends = {fields.id_of(name) for name in ("eos", "eot", "eom")} | {fields.ids.get(text) for text in _ENDS}
    if {"<|return|>", "<|call|>"} <= fields.ids.keys():
        # In gpt-oss's form it ends a message, after which the answer goes on.
        ends.discard(fields.ids.get("<|end|>"))
    return sorted(index for index in ends if index is not None)


def _templates(metadata: Mapping[str, Any]) -> dict[str, Any]:
    """Return the chat templates: one as a text, several as a list with their names, none for a base model."""
    start = "tokenizer.chat_template"
    keys = {key: key[len(start) + 1 :] or "default" for key in metadata if key == start or key.startswith(f"{start}.")}
    named = {name: metadata[key] for key, name in keys.items() if isinstance(metadata[key], str)}
    listed = [{"name": name, "template": text} for name, text in named.items()]
    if not listed:
        return {}
    return {"chat_template": listed if len(listed) > 1 else listed[0]["template"]}


def _write(path: Path, content: Mapping[str, Any]) -> None:
    path.write_text(json.dumps(content, ensure_ascii=False), encoding="utf-8")
