"""Sound model folders with one thing changed: configuration, weights, tokenizer, template, or their bytes."""

from __future__ import annotations

import json
import os
import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from tests.engine.model_files.model_folders import model_files, write_folder

Change = Callable[[Path], None]

TEMPLATES = (
    "{% for a in range(99999) %}{% for b in range(99999) %}{% endfor %}{% endfor %}",
    "{% set n=namespace(a='aaaaaaaa') %}{% for i in range(40) %}{% set n.a=n.a~n.a %}{% endfor %}{{n.a}}",
    "{{ 'a'*(10**10) }}",
    "{{ [0]*(10**9) }}",
    "{{ '%1000000000d' % 1 }}",
    "{{ '{:>2000000000}'.format('x') }}",
    "{{ 'a'|center(2000000000) }}",
    "{{ ('a'*100000).replace('a','b'*100000) }}",
    "{{ range(99999)|join('a'*100000) }}",
    "{{ (10**100000)**100 }}",
    "{% for i in range(99999) %}{{ range(99999)|list|sort|length }}{% endfor %}",
    "{{ 'hello world ' * 2000000 }}",
    "{{ ''.__class__.__mro__ }}",
    "{{ lipsum.__globals__ }}",
    "{{ cycler.__init__.__globals__ }}",
    "{% include 'config.json' %}",
    "{% import 'config.json' as c %}{{ c }}",
    "{{ raise_exception('no') }}",
    "{{ messages[99].content }}",
    "{{ 1 // 0 }}",
    "{% for m in messages %}",
    "",
    "{{ messages }}",
    "{% macro f(x) %}{{ f(x) }}{% endmacro %}{{ f(1) }}",
    "{{ 'x'.encode() }}",
    "{{ '\\ud800' }}",
    "{% set x = range(10**9)|list %}",
    "{{ 'a'|indent(10**10) }}",
    "{{ '{0.__class__}'.format(messages) }}",
    "{{ ('ab'*50000)|wordwrap(1)|upper|lower|title }}",
)


def _replace(pattern: dict[str, str], content: str, times: int = 1) -> list[dict[str, Any]]:
    return [{"type": "Replace", "pattern": pattern, "content": content}] * times


TOKENIZERS: tuple[dict[str, Any], ...] = (
    {"normalizer": {"type": "Precompiled", "precompiled_charsmap": "AAAA////"}},
    {"normalizer": {"type": "Precompiled", "precompiled_charsmap": ""}},
    {"normalizer": {"type": "Replace", "pattern": {"Regex": ""}, "content": "x"}},
    *(
        {"pre_tokenizer": {"type": "Split", "pattern": {"Regex": regex}, "behavior": "Isolated", "invert": False}}
        for regex in ("(a+)+$", "(.*a){25}b", "", "(", "(?<=a+)b", "(x?){1,100}y", "((a|aa)+)+$")
    ),
    *({"normalizer": _replace({"Regex": regex}, "b")[0]} for regex in ("(a+)+$", "(.*a){25}b", "a{1,99999}")),
    *(
        {"normalizer": {"type": "Sequence", "normalizers": _replace({"String": "e"}, "e" * 1000, times)}}
        for times in (1, 2, 3, 9)
    ),
    *(
        {"decoder": {"type": "Sequence", "decoders": _replace({"Regex": "."}, "e" * 1000, times)}}
        for times in (1, 2, 4)
    ),
    {"normalizer": {"type": "Prepend", "prepend": "a" * 10_000_000}},
    {"padding": {"strategy": {"Fixed": 2**31}, "direction": "Right", "pad_id": 0, "pad_type_id": 0, "pad_token": "a"}},
    {"truncation": {"max_length": 0, "strategy": "LongestFirst", "stride": 0, "direction": "Right"}},
    {"post_processor": {"type": "TemplateProcessing", "single": [], "pair": [], "special_tokens": {}}},
    {"model": {"type": "BPE", "vocab": {f"w{number}": number for number in range(300_000)}, "merges": []}},
    {"model": {"type": "BPE", "vocab": {"a": 2**31}, "merges": []}},
    {"model": {"type": "Unigram", "vocab": [["a", -1.0]], "unk_id": 7}},
    {"model": {"type": "WordLevel", "vocab": {}, "unk_token": "x"}},
    {"decoder": None, "pre_tokenizer": None},
    {"added_tokens": [{"id": 3, "content": "", "special": True}]},
)
VALUES = (0, -1, 1, 2**31, 2**63, 10**400, 1e308, "x", "", None, [], {}, [1] * 999, True, float("nan"))


def _template(text: str) -> Change:
    return lambda folder: (folder / "chat_template.jinja").write_text(text) and None


def _json(name: str, **changes: Any) -> Change:
    def change(folder: Path) -> None:
        content = json.loads((folder / name).read_bytes())
        (folder / name).write_text(json.dumps(content | changes))

    return change


def _bytes(name: str, seed: int) -> Change:
    """Change some bytes of the file, or cut it."""

    def change(folder: Path) -> None:
        draw, raw = random.Random(seed), bytearray((folder / name).read_bytes())
        if draw.random() < 0.3:
            del raw[draw.randrange(len(raw)) :]
        else:
            for _ in range(draw.choice((1, 3, 30))):
                raw[draw.randrange(len(raw))] = draw.randrange(256)
        (folder / name).write_bytes(raw)

    return change


def special(name: str, kind: str) -> Change:
    """Replace the file by a pipe, a file of six gigabytes, or a link to `kind`."""

    def change(folder: Path) -> None:
        (path := folder / name).unlink(missing_ok=True)
        if kind == "large":
            path.touch()
            os.truncate(path, 6 * 2**30)
        else:
            os.mkfifo(path) if kind == "pipe" else path.symlink_to(kind)

    return change


def prompt_changes() -> Iterator[Change]:
    """Yield changes to hostile or wrong templates and tokenizers."""
    yield from map(_template, TEMPLATES)
    yield from (_json("tokenizer.json", **changes) for changes in TOKENIZERS)


def folder_changes() -> Iterator[Change]:
    """Yield changes to the other files."""
    keys = (
        *("num_hidden_layers", "hidden_size", "vocab_size", "num_attention_heads", "num_key_value_heads", "rope_theta"),
        *("intermediate_size", "rms_norm_eps", "max_position_embeddings", "model_type", "tie_word_embeddings"),
        *("quantization", "quantization_config", "rope_scaling", "eos_token_id", "head_dim", "text_config"),
    )
    yield from (_json("config.json", **{key: value}) for key in keys for value in VALUES)
    files = ("generation_config.json", "special_tokens_map.json", "added_tokens.json", "config.json", "tokenizer.json")
    files = (*files, "tokenizer_config.json", "model.safetensors", "vocab.txt", "chat_template.jinja")
    yield from (
        special(name, kind) for name in files for kind in ("pipe", "large", "/dev/zero", "/etc/passwd", "nowhere", ".")
    )
    whole = ("config.json", "tokenizer.json", "tokenizer_config.json", "model.safetensors")
    yield from (_bytes(name, seed) for seed in range(110) for name in whole)


def write(folder: Path, change: Change) -> Path:
    change(write_folder(folder, model_files()))
    return folder
