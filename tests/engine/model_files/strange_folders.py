"""Sound model folders with one thing changed: the tokenizer, the template, or the kind of a file."""

from __future__ import annotations

import json
import os
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


def _template(text: str) -> Change:
    return lambda folder: (folder / "chat_template.jinja").write_text(text) and None


def _json(name: str, **changes: Any) -> Change:
    def change(folder: Path) -> None:
        content = json.loads((folder / name).read_bytes())
        (folder / name).write_text(json.dumps(content | changes))

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


def write(folder: Path, change: Change) -> Path:
    change(write_folder(folder, model_files()))
    return folder
