"""Malformed and hostile model folders, one recipe each, and combinations of them by number."""

from __future__ import annotations

import json
import os
import random
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.engine.model_files.model_folders import (
    llama_config,
    llama_tensors,
    model_files,
    safetensors,
    with_header,
    write_folder,
)

Recipe = Callable[[Path, random.Random], None]
INDEX = "model.safetensors.index.json"
EVIL = "import pathlib; pathlib.Path(__file__).with_name('ran').write_text('code ran')\n"


def _content(path: Path) -> bytes:
    """Return the file's content. Raises ValueError if an earlier recipe has replaced it by a device or a pipe."""
    if path.is_symlink() or not path.is_file():
        raise ValueError("spoiled already")
    return path.read_bytes()


def _edit(name: str, change: Callable[[dict[str, Any], random.Random], None]) -> Recipe:
    def recipe(folder: Path, source: random.Random) -> None:
        content = json.loads(_content(folder / name))
        change(content, source)
        (folder / name).write_text(json.dumps(content))

    return recipe


def _set(name: str, **values: Any) -> Recipe:
    return _edit(name, lambda content, _: content.update(values))


def _write(name: str, content: Callable[[random.Random], bytes]) -> Recipe:
    def recipe(folder: Path, source: random.Random) -> None:
        (folder / name).unlink(missing_ok=True)
        (folder / name).write_bytes(content(source))

    return recipe


def _cut(name: str) -> Recipe:
    def recipe(folder: Path, source: random.Random) -> None:
        whole = _content(folder / name)
        (folder / name).write_bytes(whole[: source.randrange(len(whole))])

    return recipe


def _flip(name: str, first: int) -> Recipe:
    """Change some of the file's first bytes."""

    def recipe(folder: Path, source: random.Random) -> None:
        content = bytearray(_content(folder / name))
        for _ in range(source.randint(1, 20)):
            content[source.randrange(min(first, len(content)))] = source.randrange(256)
        (folder / name).write_bytes(content)

    return recipe


def _instead(name: str, make: Callable[[Path], object]) -> Recipe:
    """Replace the file by something else."""

    def recipe(folder: Path, _: random.Random) -> None:
        (folder / name).unlink(missing_ok=True)
        make(folder / name)

    return recipe


def _link(name: str, target: str) -> Recipe:
    return _instead(name, lambda path: path.symlink_to(target))


def _unlink(name: str) -> Recipe:
    return lambda folder, _: (folder / name).unlink()


def _wrong_shape(content: dict[str, Any], source: random.Random) -> None:
    key = source.choice(
        ["hidden_size", "intermediate_size", "num_attention_heads", "vocab_size", "num_key_value_heads"]
    )
    content[key] = source.choice([1, 3, 7, 48, 4096, content[key] * 2])


def _nonsense_value(content: dict[str, Any], source: random.Random) -> None:
    key = source.choice([key for key in content if key != "architectures"])
    content[key] = source.choice([None, -1, 0, "x", [], {}, 1e308, 2**63, True, "9" * 1000, [[[]]], 10**30])


def _many_files(folder: Path, _: random.Random) -> None:
    for number in range(2_050):
        (folder / f"f{number}").touch()


def _header(**entry: Any) -> Recipe:
    return _headers({"t": entry}, 8)


def _headers(entries: dict[str, dict[str, Any]], data_bytes: int) -> Recipe:
    tensor = {"dtype": "F16", "shape": [2, 2], "data_offsets": [0, 8]}
    text = json.dumps({name: tensor | entry for name, entry in entries.items()}).encode()
    return _write("model.safetensors", lambda _: with_header(text, bytes(data_bytes)))


def _code(name: str, recipe: Recipe) -> Recipe:
    def with_code(folder: Path, source: random.Random) -> None:
        (folder / name).write_text(EVIL)
        recipe(folder, source)

    return with_code


# Folders that are refused, by the reason.
_REFUSED: dict[str, dict[str, Recipe]] = {
    "unsafe": {
        "model_file": _code("evil.py", _set("config.json", model_file="evil.py")),
        "tokenizer auto_map": _code(
            "evil.py", _set("tokenizer_config.json", auto_map={"AutoTokenizer": ["evil.T", None]}, tokenizer_class="T")
        ),
        "auto_map as list": _code(
            "evil.py", _set("tokenizer_config.json", auto_map=["evil.T", None], tokenizer_class=None)
        ),
        "tool parser": _set("tokenizer_config.json", tool_parser_type="..os"),
        "template type": _set("tokenizer_config.json", chat_template_type="os"),
        "init inputs": _set("tokenizer_config.json", init_inputs=["/etc/passwd"]),
        "tokenizer elsewhere": _set("tokenizer_config.json", tokenizer_file="/etc/passwd"),
        "versions elsewhere": _set("tokenizer_config.json", fast_tokenizer_files=["../../../etc/tokenizer.4.0.json"]),
        "link to config": _link("config.json", "/etc/hostname"),
        "link to weights": _link("model.safetensors", "/bin/sh"),
        "link to above": _link("up", ".."),
        "link to device": _link("tokenizer.json", "/dev/zero"),
        "index outside": _write(INDEX, lambda _: b'{"weight_map": {"a": "../../x"}}'),
        "index absolute": _write(INDEX, lambda _: b'{"weight_map": {"a": "/etc/passwd"}}'),
        "index around": _write(INDEX, lambda _: b'{"weight_map": {"a": "a/../../b.safetensors"}}'),
        "index with zero": _write(INDEX, lambda _: b'{"weight_map": {"a": "x\\u0000y"}}'),
        "thousands of files": _many_files,
    },
    "unknown-architecture": {
        "config auto_map": _code("evil.py", _set("config.json", auto_map={"AutoConfig": "evil.C"}, model_type="evil")),
        "type with path": _code("evil.py", _set("config.json", model_type="../../evil")),
        "type with dots": _set("config.json", model_type="llama.os"),
        "type of a helper": _set("config.json", model_type="base"),
        "type as list": _set("config.json", model_type=["llama"]),
    },
    "not-a-model": {"link to itself": _link("config.json", "config.json"), "config gone": _unlink("config.json")},
    "incomplete": {
        "index absent shard": _write(INDEX, lambda _: b'{"weight_map": {"a": "model-b.safetensors"}}'),
        "weights cut": _cut("model.safetensors"),
        "weights empty": _write("model.safetensors", lambda _: b""),
        "place behind": _header(data_offsets=[10**12, 10**12 + 8]),
        "weights gone": _unlink("model.safetensors"),
    },
    "wrong-tensors": {"a layer less": _write("model.safetensors", lambda _: safetensors(llama_tensors(layers=1)))},
    "no-tokenizer": {
        "tokenizer cut": _cut("tokenizer.json"),
        "tokenizer of noise": _write("tokenizer.json", lambda source: source.randbytes(3000)),
        "tokenizer deep": _write("tokenizer.json", lambda _: b'{"model":' * 50_000 + b"1" + b"}" * 50_000),
        "tokenizer wide": _write("tokenizer.json", lambda _: b'{"model": [' + b"[]," * 5_000_000 + b"[]]}"),
        "tokenizer gone": _unlink("tokenizer.json"),
        "tokenizer empty": _write("tokenizer.json", lambda _: b""),
        "tokenizer of nothing": _write("tokenizer.json", lambda _: b"{}"),
    },
    "damaged": {
        "pipe as config": _instead("config.json", os.mkfifo),
        "pipe as weights": _instead("model.safetensors", os.mkfifo),
        "pipe as tokenizer": _instead("tokenizer.json", os.mkfifo),
        "folder as weights": _instead("model.safetensors", Path.mkdir),
        "folder as config": _instead("config.json", Path.mkdir),
        "index of numbers": _write(INDEX, lambda _: b'{"weight_map": {"a": 1}}'),
        "index as list": _write(INDEX, lambda _: b"[]"),
        "index map as list": _write(INDEX, lambda _: b'{"weight_map": []}'),
        "index of many": _write(INDEX, lambda _: json.dumps({"weight_map": {n: f"{n}" for n in range(2001)}}).encode()),
        "shards of a million": _write("model-00001-of-99999.safetensors", lambda _: safetensors({"t": ("F16", (1,))})),
        "deep config": _write("config.json", lambda _: b'{"a":' * 100_000 + b"1" + b"}" * 100_000),
        "wide config": _write("config.json", lambda _: b"[" + b"[]," * 1_300_000 + b"[]]"),
        "huge config": _write("config.json", lambda _: b" " * (5 * 2**20)),
        "escapes": _write("config.json", lambda _: b'"' + b'\\"' * 2_000_000),
        "config of noise": _write("config.json", lambda source: source.randbytes(3000)),
        "config not utf-8": _write("config.json", lambda _: b'{"model_type": "\xff\xfe"}'),
        "config empty": _write("config.json", lambda _: b""),
        "config as list": _write("config.json", lambda _: b"[]"),
        "config cut": _cut("config.json"),
        "config thrice": _write("config.json", lambda _: b"{}" * 3),
        "layers without end": _set("config.json", num_hidden_layers=10**9),
        "negative layers": _set("config.json", num_hidden_layers=-4),
        "no layers": _set("config.json", num_hidden_layers=0),
        "no heads": _set("config.json", num_attention_heads=0),
        "endless vocabulary": _set("config.json", vocab_size=2**40),
        "no bits": _set("config.json", quantization={"bits": 0, "group_size": 0}),
        "a layer without groups": _set("config.json", quantization={"bits": 4, "lm_head": {"group_size": 0}}),
        "quantised by words": _set("config.json", quantization="four"),
        "flag as size": _set("config.json", hidden_size=True),
        "text as size": _set("config.json", vocab_size="32"),
        "text part as list": _set("config.json", text_config=[]),
        "number beyond floats": _set("config.json", rope_scaling={"factor": 10**300}),
        "weights of noise": _write("model.safetensors", lambda source: source.randbytes(5000)),
        "header length": _write("model.safetensors", lambda _: struct.pack("<Q", 2**62) + b"{}"),
        "header deep": _write("model.safetensors", lambda _: with_header(b"[" * 50_000 + b"]" * 50_000, b"")),
        "header wide": _write("model.safetensors", lambda _: with_header(b"[" + b"{}," * 3_000_000 + b"{}]", b"")),
        "header as list": _write("model.safetensors", lambda _: with_header(b"[]", b"")),
        "header not json": _write("model.safetensors", lambda _: with_header(b"not json", b"")),
        "tensor as number": _write("model.safetensors", lambda _: with_header(b'{"t": 1}', b"")),
        "shape overflows": _header(shape=[2**62, 2**62, 4]),
        "shape negative": _header(shape=[-2, -2]),
        "shape lies": _header(shape=[1000, 1000]),
        "shape as text": _header(shape="22"),
        "shape of flags": _header(shape=[True, 4]),
        "place backwards": _header(data_offsets=[8, 0]),
        "place below zero": _header(data_offsets=[-8, 0]),
        "place without end": _header(data_offsets=[0]),
        "places overlap": _headers({"a": {}, "b": {"data_offsets": [2, 10]}}, 10),
        "one place twice": _headers({"a": {}, "b": {}}, 8),
        "bytes after": _headers({"t": {}}, 9),
        "unknown dtype": _header(dtype="F3"),
        "dtype as list": _header(dtype=["F16"]),
        "pickle": _write("model.safetensors", lambda _: b"\x80\x04cos\nsystem\n(S'touch ran'\ntR."),
        "template too long": _write("chat_template.jinja", lambda _: b"{{ 1 }}" * 300_000),
    },
}
# Folders that may open: they are left to the loader, or harmless with some values.
_MAY_OPEN: dict[str, Recipe] = {
    "module beside": _code("tokenizers.py", _code("mlx_lm.py", _set("config.json", model_type="llama"))),
    "config infinity": _write("config.json", lambda _: json.dumps(llama_config(rope_theta=float("inf"))).encode()),
    "heads do not divide": _set("config.json", num_attention_heads=3, num_key_value_heads=2),
    "odd bits": _set("config.json", quantization={"bits": 7, "group_size": 48}),
    "unknown method": _set("config.json", quantization_config={"quant_method": "evil"}),
    "rope of nonsense": _set("config.json", rope_scaling={"rope_type": "evil", "factor": "x"}),
    "wrong shape": _edit("config.json", _wrong_shape),
    "nonsense value": _edit("config.json", _nonsense_value),
    "weights flipped": _flip("model.safetensors", 600),
    "tensors of others": _write("model.safetensors", lambda _: safetensors({"other.weight": ("F16", (4, 4))})),
    "other width": _write("model.safetensors", lambda _: safetensors(llama_tensors(hidden=32))),
    "tokenizer empty model": _write("tokenizer.json", lambda _: b'{"model": {}}'),
}
REASONS = {name: reason for reason, recipes in _REFUSED.items() for name in recipes}
RECIPES = {name: recipe for recipes in (*_REFUSED.values(), _MAY_OPEN) for name, recipe in recipes.items()}


def make(folder: Path, number: int) -> str:
    """Make folder `number`: each recipe once, then two random ones together. Returns its description."""
    names = list(RECIPES)
    source = random.Random(number)
    chosen = [names[number]] if number < len(names) else source.sample(names, 2)
    write_folder(folder, model_files())
    for name in chosen:
        try:
            RECIPES[name](folder, source)
        except (OSError, ValueError, KeyError, AttributeError, IndexError):
            # The first recipe has removed what the second one changes.
            continue
    return " + ".join(chosen)
