"""Reading GGUF files that anyone may have made: sound ones, split ones, and those that lie."""

from __future__ import annotations

import struct
import tracemalloc
from collections.abc import Callable
from pathlib import Path

import gguf
import numpy as np
import pytest

from engine.errors import ModelNotUsable
from engine.finding.gguf_models import is_gguf
from engine.gguf.header import SETTINGS_BYTES, read_gguf


def write(path: Path, *, split: int = 0) -> Path:
    writer = gguf.GGUFWriter(path, "llama", split_max_tensors=split)
    writer.add_uint32("llama.block_count", 3)
    writer.add_float32("llama.rope.freq_base", 500.0)
    writer.add_token_list(["<s>", "한", "b"])
    writer.add_array("numbers", [1, 2, 3])
    writer.add_bool("tokenizer.ggml.add_bos_token", True)
    for index in range(3):
        numbers = np.arange(128, dtype=np.float32).reshape(2, 64)
        writer.add_tensor(f"blk.{index}.attn_q.weight", gguf.quants.quantize(numbers, gguf.GGMLQuantizationType.Q8_0),
                          raw_dtype=gguf.GGMLQuantizationType.Q8_0)  # fmt: skip
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path


@pytest.fixture
def sound(tmp_path: Path) -> Path:
    return write(tmp_path / "model.gguf")


def test_metadata_and_tensors_are_those_of_the_format_s_own_reader(sound: Path) -> None:
    file, theirs = read_gguf(sound), gguf.GGUFReader(sound)
    assert file.architecture == "llama"
    assert file.metadata == {
        name: field.contents() for name, field in theirs.fields.items() if not name.startswith("GGUF.")
    }
    assert [(t.name, t.kind, t.shape, t.offset, t.nbytes) for t in file.tensors.values()] == [
        (t.name, t.tensor_type, tuple(map(int, t.shape[::-1])), t.data_offset, t.n_bytes) for t in theirs.tensors
    ]


def test_a_split_file_is_one_whichever_part_is_named(tmp_path: Path) -> None:
    write(tmp_path / "model.gguf", split=1)
    parts = sorted(tmp_path.glob("*.gguf"))
    assert [part.name for part in parts] == [f"model-0000{number}-of-00003.gguf" for number in (1, 2, 3)]
    for part in parts:
        file = read_gguf(part)
        assert file.files == tuple(parts)
        assert [tensor.file for tensor in file.tensors.values()] == parts
        assert file.metadata["llama.block_count"] == 3


def test_a_split_file_with_a_part_missing_names_it(tmp_path: Path) -> None:
    write(tmp_path / "model.gguf", split=1)
    (tmp_path / "model-00002-of-00003.gguf").unlink()
    assert refusal(tmp_path / "model-00001-of-00003.gguf") == ("incomplete", "model-00002-of-00003.gguf")


def test_a_part_that_is_another_one_again_is_refused(tmp_path: Path) -> None:
    write(tmp_path / "model.gguf", split=1)
    second = tmp_path / "model-00002-of-00003.gguf"
    second.unlink()
    second.symlink_to(tmp_path / "model-00001-of-00003.gguf")
    assert refusal(tmp_path / "model-00003-of-00003.gguf") == ("damaged", f"{second.name} (not part 2 of 3)")


def test_a_part_without_its_number_is_refused(tmp_path: Path) -> None:
    write(tmp_path / "model.gguf", split=1)
    (tmp_path / "model-00001-of-00003.gguf").rename(tmp_path / "first.gguf")
    assert refusal(tmp_path / "first.gguf") == ("incomplete", "first.gguf (part of 3 files)")


def refusal(path: Path) -> tuple[str, str]:
    with pytest.raises(ModelNotUsable) as caught:
        read_gguf(path)
    return caught.value.reason, caught.value.detail


@pytest.mark.parametrize("share", [0.0, 0.05, 0.2, 0.5, 0.9])
def test_a_file_that_was_cut_is_incomplete(sound: Path, share: float) -> None:
    content = sound.read_bytes()
    sound.write_bytes(content[: int(len(content) * share)])
    assert refusal(sound) == ("incomplete", "a part of model.gguf")


def header(fields: int = 0, tensors: int = 0, version: int = 3) -> bytes:
    return b"GGUF" + struct.pack("<IQQ", version, tensors, fields)


def text(value: bytes) -> bytes:
    return struct.pack("<Q", len(value)) + value


def tensor(*, name: bytes = b"t", sides: tuple[int, ...] = (32,), kind: int = 0, offset: int = 0) -> bytes:
    return text(name) + struct.pack(f"<I{len(sides)}QIQ", len(sides), *sides, kind, offset)


BODY = bytes(4096)
HOSTILE: dict[str, tuple[bytes, str]] = {
    "another format": (b"PK\3\4" + BODY, "not a GGUF file"),
    "a version to come": (header(version=4), "version 4"),
    "the other order of bytes": (b"GGUF" + struct.pack(">IQQ", 3, 0, 0), "big-endian"),
    "2**60 tensors": (header(tensors=2**60), "too many entries"),
    "2**60 fields": (header(fields=2**60), "too many entries"),
    "a name of 4 GB": (header(fields=1) + struct.pack("<Q", 2**32) + BODY, "a string too long"),
    "a text of 4 GB": (header(fields=1) + text(b"a") + struct.pack("<IQ", 8, 2**32) + BODY, "a string too long"),
    "an array of 2**40": (header(fields=1) + text(b"a") + struct.pack("<IIQ", 9, 4, 2**40), "a: too many elements"),
    "arrays of 2**22 together": (header(fields=2) + text(b"a") + struct.pack("<IIQ", 9, 0, 64) + bytes(64)
                                 + text(b"b") + struct.pack("<IIQ", 9, 8, 2**22 - 63), "b: too many elements"),
    "arrays in arrays": (header(fields=1) + text(b"a") + struct.pack("<IIQ", 9, 9, 1),
                         "a: unknown type of elements 9"),
    "an unknown type": (header(fields=1) + text(b"a") + struct.pack("<I", 77), "a: unknown type 77"),
    "a field twice": (header(fields=2) + 2 * (text(b"a") + struct.pack("<IB", 7, 1)), "a twice"),
    "a tensor twice": (header(tensors=2) + tensor() * 2 + BODY, "a tensor twice"),
    "no sides": (header(tensors=1) + tensor(sides=()) + BODY, "t: bad shape"),
    "nine sides": (header(tensors=1) + tensor(sides=(1,) * 9) + BODY, "t: bad shape"),
    "an empty side": (header(tensors=1) + tensor(sides=(0, 32)) + BODY, "t: bad shape"),
    "an enormous side": (header(tensors=1) + tensor(sides=(2**40,)) + BODY, "t: bad shape"),
    "an unknown kind": (header(tensors=1) + tensor(kind=4) + BODY, "t: unknown kind 4"),
    "half a block": (header(tensors=1) + tensor(sides=(33,), kind=8) + BODY, "t: rows are not whole blocks"),
    "an offset between": (header(tensors=1) + tensor(offset=7) + BODY, "t: bad offset"),
    "tensors at one place": (header(tensors=2) + tensor() + tensor(name=b"u") + BODY, "u: bad offset"),
    "tensors over each other": (header(tensors=2) + tensor(sides=(64,)) + tensor(name=b"u", offset=64) + BODY,
                                "u: bad offset"),
    "tensors in another order": (header(tensors=2) + tensor(offset=128) + tensor(name=b"u") + BODY, "t: bad offset"),
    "a smaller kind": (header(tensors=2) + tensor(kind=1) + tensor(name=b"u", offset=128) + BODY, "u: bad offset"),
    "a shorter side": (header(tensors=2) + tensor(sides=(16,)) + tensor(name=b"u", offset=128) + BODY,
                       "u: bad offset"),
    "a tensor's name of 1 kB": (header(tensors=1) + tensor(name=b"t" * 1024) + BODY, "a string too long"),
    "an alignment of zero": (header(fields=1) + text(b"general.alignment") + struct.pack("<II", 4, 0),
                             "general.alignment"),
    "an alignment of three": (header(fields=1) + text(b"general.alignment") + struct.pack("<II", 4, 3),
                              "general.alignment"),
    "split in 2**31": (header(fields=1) + text(b"split.count") + struct.pack("<II", 4, 2**31), "split.count"),
}  # fmt: skip


@pytest.mark.parametrize("name", HOSTILE)
def test_a_file_that_lies_is_named_and_takes_no_memory(name: str, tmp_path: Path) -> None:
    content, problem = HOSTILE[name]
    path = tmp_path / "model.gguf"
    path.write_bytes(content)
    tracemalloc.start()
    try:
        assert refusal(path) == ("damaged", f"model.gguf ({problem})")
        assert tracemalloc.get_traced_memory()[1] < 2**22
    finally:
        tracemalloc.stop()


def test_what_is_larger_than_settings_is_passed_over_without_being_kept(tmp_path: Path) -> None:
    numbers = text(b"scores") + struct.pack("<IIQ", 9, 1, 2**21) + b"\x9c" * 2**21
    texts = text(b"merges") + struct.pack("<IIQ", 9, 8, 2**16) + text(b"a b") * 2**16
    template = text(b"template") + struct.pack("<I", 8) + text("한".encode() * 2**19)
    setting = text(b"count") + struct.pack("<II", 4, 7) + text(b"each") + struct.pack("<IIQ2i", 9, 5, 2, 3, 4)
    path = tmp_path / "model.gguf"
    path.write_bytes(header(fields=5, tensors=1) + numbers + texts + template + setting + tensor() + BODY)
    tracemalloc.start()
    try:
        file = read_gguf(path, SETTINGS_BYTES)
        assert tracemalloc.get_traced_memory()[1] < 2**20
    finally:
        tracemalloc.stop()
    assert file.metadata == {"scores": None, "merges": None, "template": None, "count": 7, "each": [3, 4]}
    assert file.tensors.keys() == {"t"}


def test_a_vocabulary_that_just_fits_leaves_room_for_the_settings_behind_it(tmp_path: Path) -> None:
    path, count = tmp_path / "model.gguf", SETTINGS_BYTES // 8
    words = text(b"tokens") + struct.pack("<IIQ", 9, 8, count) + text(b"abcdefgh") * count
    path.write_bytes(header(fields=2) + words + text(b"kind") + struct.pack("<I", 8) + text(b"model"))
    assert read_gguf(path, SETTINGS_BYTES).metadata == {"tokens": None, "kind": "model"}


def test_an_offset_behind_the_end_is_a_cut_file(tmp_path: Path) -> None:
    path = tmp_path / "model.gguf"
    path.write_bytes(header(tensors=1) + tensor(offset=2**40) + BODY)
    assert refusal(path) == ("incomplete", "a part of model.gguf")


@pytest.mark.parametrize("make", [Path.mkdir, lambda path: path.symlink_to("/dev/zero")], ids=["folder", "device"])
def test_what_is_no_file_is_refused(make: Callable[[Path], object], tmp_path: Path) -> None:
    make(tmp_path / "model.gguf")
    assert refusal(tmp_path / "model.gguf")[0] == "damaged"
    assert not is_gguf(tmp_path / "model.gguf")


def test_no_file_is_missing(tmp_path: Path) -> None:
    assert refusal(tmp_path / "model.gguf") == ("missing", "")


def test_a_file_is_known_by_its_first_bytes(sound: Path, tmp_path: Path) -> None:
    (tmp_path / "other.gguf").write_bytes(b"no")
    assert [is_gguf(path) for path in (sound, tmp_path / "other.gguf")] == [True, False]
