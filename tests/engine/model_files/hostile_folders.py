"""Model folders that are malformed or mean harm, one recipe each, and combinations of them by number."""

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
    """What the file holds, unless an earlier recipe has made something of it that can never be read to its end."""
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
    """Something that is no file in place of it."""

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
    tensor = {"dtype": "F16", "shape": [2, 2], "data_offsets": [0, 8]} | entry
    return _write("model.safetensors", lambda _: with_header(json.dumps({"t": tensor}).encode(), bytes(8)))


def _code(name: str, recipe: Recipe) -> Recipe:
    def with_code(folder: Path, source: random.Random) -> None:
        (folder / name).write_text(EVIL)
        recipe(folder, source)

    return with_code


RECIPES: dict[str, Recipe] = {
    "model_file": _code("evil.py", _set("config.json", model_file="evil.py")),
    "config auto_map": _code("evil.py", _set("config.json", auto_map={"AutoConfig": "evil.C"}, model_type="evil")),
    "tokenizer auto_map": _code(
        "evil.py", _set("tokenizer_config.json", auto_map={"AutoTokenizer": ["evil.T", None]}, tokenizer_class="T")
    ),
    "auto_map as list": _code(
        "evil.py", _set("tokenizer_config.json", auto_map=["evil.T", None], tokenizer_class=None)
    ),
    "module beside": _code("tokenizers.py", _code("mlx_lm.py", _set("config.json", model_type="llama"))),
    "type with path": _code("evil.py", _set("config.json", model_type="../../evil")),
    "type with dots": _set("config.json", model_type="llama.os"),
    "type of a helper": _set("config.json", model_type="base"),
    "tool parser": _set("tokenizer_config.json", tool_parser_type="..os"),
    "template type": _set("tokenizer_config.json", chat_template_type="os"),
    "init inputs": _set("tokenizer_config.json", init_inputs=["/etc/passwd"]),
    "tokenizer elsewhere": _set("tokenizer_config.json", tokenizer_file="/etc/passwd"),
    "versions elsewhere": _set("tokenizer_config.json", fast_tokenizer_files=["../../../../etc/tokenizer.4.0.json"]),
    "link to config": _link("config.json", "/etc/hostname"),
    "link to weights": _link("model.safetensors", "/bin/sh"),
    "link to itself": _link("config.json", "config.json"),
    "link to above": _link("up", ".."),
    "link to device": _link("tokenizer.json", "/dev/zero"),
    "pipe as config": _instead("config.json", os.mkfifo),
    "pipe as weights": _instead("model.safetensors", os.mkfifo),
    "pipe as tokenizer": _instead("tokenizer.json", os.mkfifo),
    "folder as weights": _instead("model.safetensors", Path.mkdir),
    "folder as config": _instead("config.json", Path.mkdir),
    "index outside": _write(INDEX, lambda _: b'{"weight_map": {"a": "../../x"}}'),
    "index absolute": _write(INDEX, lambda _: b'{"weight_map": {"a": "/etc/passwd"}}'),
    "index of numbers": _write(INDEX, lambda _: b'{"weight_map": {"a": 1}}'),
    "index as list": _write(INDEX, lambda _: b"[]"),
    "index absent shard": _write(INDEX, lambda _: b'{"weight_map": {"a": "b.safetensors"}}'),
    "shards of a million": _write("model-00001-of-99999.safetensors", lambda _: safetensors({"t": ("F16", (1,))})),
    "deep config": _write("config.json", lambda _: b'{"a":' * 100_000 + b"1" + b"}" * 100_000),
    "wide config": _write("config.json", lambda _: b"[" + b"[]," * 1_300_000 + b"[]]"),
    "huge config": _write("config.json", lambda _: b" " * (5 * 2**20)),
    "escapes": _write("config.json", lambda _: b'"' + b'\\"' * 2_000_000),
    "config of noise": _write("config.json", lambda source: source.randbytes(3000)),
    "config not utf-8": _write("config.json", lambda _: b'{"model_type": "\xff\xfe"}'),
    "config empty": _write("config.json", lambda _: b""),
    "config infinity": _write("config.json", lambda _: json.dumps(llama_config(rope_theta=float("inf"))).encode()),
    "layers without end": _set("config.json", num_hidden_layers=10**9),
    "negative layers": _set("config.json", num_hidden_layers=-4),
    "no layers": _set("config.json", num_hidden_layers=0),
    "no heads": _set("config.json", num_attention_heads=0),
    "heads do not divide": _set("config.json", num_attention_heads=3, num_key_value_heads=2),
    "endless vocabulary": _set("config.json", vocab_size=2**40),
    "no bits": _set("config.json", quantization={"bits": 0, "group_size": 0}),
    "odd bits": _set("config.json", quantization={"bits": 7, "group_size": 48}),
    "quantised by words": _set("config.json", quantization="four"),
    "unknown method": _set("config.json", quantization_config={"quant_method": "evil"}),
    "rope of nonsense": _set("config.json", rope_scaling={"rope_type": "evil", "factor": "x"}),
    "wrong shape": _edit("config.json", _wrong_shape),
    "nonsense value": _edit("config.json", _nonsense_value),
    "weights cut": _cut("model.safetensors"),
    "weights flipped": _flip("model.safetensors", 600),
    "weights of noise": _write("model.safetensors", lambda source: source.randbytes(5000)),
    "weights empty": _write("model.safetensors", lambda _: b""),
    "header length": _write("model.safetensors", lambda _: struct.pack("<Q", 2**62) + b"{}"),
    "header deep": _write("model.safetensors", lambda _: with_header(b"[" * 50_000 + b"]" * 50_000, b"")),
    "header wide": _write("model.safetensors", lambda _: with_header(b"[" + b"{}," * 3_000_000 + b"{}]", b"")),
    "shape overflows": _header(shape=[2**62, 2**62, 4]),
    "shape negative": _header(shape=[-2, -2]),
    "shape lies": _header(shape=[1000, 1000]),
    "place backwards": _header(data_offsets=[8, 0]),
    "place behind": _header(data_offsets=[10**12, 10**12 + 8]),
    "unknown dtype": _header(dtype="F3"),
    "tensors of others": _write("model.safetensors", lambda _: safetensors({"other.weight": ("F16", (4, 4))})),
    "a layer less": _write("model.safetensors", lambda _: safetensors(llama_tensors(layers=1))),
    "other width": _write("model.safetensors", lambda _: safetensors(llama_tensors(hidden=32))),
    "pickle": _write("model.safetensors", lambda _: b"\x80\x04cos\nsystem\n(S'touch ran'\ntR."),
    "tokenizer cut": _cut("tokenizer.json"),
    "tokenizer of noise": _write("tokenizer.json", lambda source: source.randbytes(3000)),
    "tokenizer deep": _write("tokenizer.json", lambda _: b'{"model":' * 50_000 + b"1" + b"}" * 50_000),
    "tokenizer wide": _write("tokenizer.json", lambda _: b'{"model": [' + b"[]," * 5_000_000 + b"[]]}"),
    "tokenizer empty model": _write("tokenizer.json", lambda _: b'{"model": {}}'),
    "tokenizer gone": _unlink("tokenizer.json"),
    "weights gone": _unlink("model.safetensors"),
    "config gone": _unlink("config.json"),
    "template too long": _write("chat_template.jinja", lambda _: b"{{ 1 }}" * 300_000),
    "thousands of files": _many_files,
    "type as list": _set("config.json", model_type=["llama"]),
    "flag as size": _set("config.json", hidden_size=True),
    "text as size": _set("config.json", vocab_size="32"),
    "text part as list": _set("config.json", text_config=[]),
    "number beyond floats": _set("config.json", rope_scaling={"factor": 10**300}),
    "config as list": _write("config.json", lambda _: b"[]"),
    "config cut": _cut("config.json"),
    "config thrice": _write("config.json", lambda _: b"{}" * 3),
    "tokenizer empty": _write("tokenizer.json", lambda _: b""),
    "tokenizer of nothing": _write("tokenizer.json", lambda _: b"{}"),
    "index map as list": _write(INDEX, lambda _: b'{"weight_map": []}'),
    "index around": _write(INDEX, lambda _: b'{"weight_map": {"a": "a/../../b.safetensors"}}'),
    "index with zero": _write(INDEX, lambda _: b'{"weight_map": {"a": "x\\u0000y"}}'),
    "index of many": _write(INDEX, lambda _: json.dumps({"weight_map": {n: f"{n}" for n in range(2001)}}).encode()),
    "header as list": _write("model.safetensors", lambda _: with_header(b"[]", b"")),
    "header not json": _write("model.safetensors", lambda _: with_header(b"not json", b"")),
    "tensor as number": _write("model.safetensors", lambda _: with_header(b'{"t": 1}', b"")),
    "dtype as list": _header(dtype=["F16"]),
    "shape as text": _header(shape="22"),
    "shape of flags": _header(shape=[True, 4]),
    "place below zero": _header(data_offsets=[-8, 0]),
    "place without end": _header(data_offsets=[0]),
}
# Why each is refused. The others may open: they are left to the loader, or harmless with some values.
REASONS = {
    "unsafe": (
        *("model_file", "tokenizer auto_map", "auto_map as list", "tool parser", "template type", "init inputs"),
        *("tokenizer elsewhere", "versions elsewhere", "link to config", "link to weights", "link to above"),
        *("link to device", "index outside", "index absolute", "index around", "index with zero", "thousands of files"),
    ),
    "unknown-architecture": (
        *("config auto_map", "type with path", "type with dots", "type of a helper", "type as list"),
    ),
    "not-a-model": ("link to itself", "config gone"),
    "incomplete": ("index absent shard", "weights cut", "weights empty", "place behind", "weights gone"),
    "wrong-tensors": ("a layer less",),
    "no-tokenizer": (
        *("tokenizer cut", "tokenizer of noise", "tokenizer deep", "tokenizer wide", "tokenizer gone"),
        *("tokenizer empty", "tokenizer of nothing"),
    ),
    "damaged": (
        *("pipe as config", "pipe as weights", "pipe as tokenizer", "folder as weights", "folder as config"),
        *("index of numbers", "index as list", "index map as list", "index of many", "shards of a million"),
        *(
            "deep config",
            "wide config",
            "huge config",
            "escapes",
            "config of noise",
            "config not utf-8",
            "config empty",
        ),
        *("config as list", "config cut", "config thrice", "layers without end", "negative layers", "no layers"),
        *("no heads", "endless vocabulary", "no bits", "quantised by words", "flag as size", "text as size"),
        *("text part as list", "number beyond floats", "weights of noise", "header length", "header deep"),
        *("header wide", "header as list", "header not json", "tensor as number", "shape overflows", "shape negative"),
        *("shape lies", "shape as text", "shape of flags", "place backwards", "place below zero", "place without end"),
        *("unknown dtype", "dtype as list", "pickle", "template too long"),
    ),
}


def make(folder: Path, number: int) -> str:
    """Folder number `number`: each recipe once, then two at random on top of each other. Gives its description."""
    names = list(RECIPES)
    source = random.Random(number)
    chosen = [names[number]] if number < len(names) else source.sample(names, 2)
    write_folder(folder, model_files())
    for name in chosen:
        try:
            RECIPES[name](folder, source)
        except (OSError, ValueError, KeyError, AttributeError, IndexError):
            # The first recipe has left nothing for the second to spoil.
            continue
    return " + ".join(chosen)
