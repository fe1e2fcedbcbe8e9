"""Files of torch.save are read for their tensors; any other opcode of their pickle is refused and not run."""

from __future__ import annotations

import os
import pickle
import random
import struct
import tracemalloc
import zipfile
from pathlib import Path

import pytest

from engine.model_files.torch_file import RunsCodeError, SavedTensor, TorchFileError, read_torch_file
from tests.engine.heads.golden import cases
from tests.engine.model_files.torch_files import REAL, four_numbers, written


def test_a_file_that_torch_wrote_is_read() -> None:
    saved = read_torch_file(REAL)
    assert isinstance(saved, dict)
    assert saved["mask_token_id"] == cases.MASK
    tensor = saved["embedding"]
    assert (tensor.dtype, tensor.shape, len(tensor.data)) == ("BF16", (cases.WIDTH,), 2 * cases.WIDTH)


def test_a_tensor_alone_is_read_too(tmp_path: Path) -> None:
    assert read_torch_file(four_numbers(tmp_path / "saved.pt")) == SavedTensor(
        "F32", (4,), struct.pack("<4f", 1, 2, 3, 4)
    )
    part = read_torch_file(
        four_numbers(tmp_path / "saved.pt", shape=b"K\x01K\x02\x86", strides=b"K\x02K\x01\x86", offset=b"K\x02")
    )
    assert part == SavedTensor("F32", (1, 2), memoryview(struct.pack("<2f", 3, 4)))


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"shape": b"J\xff\xff\xff\x7f\x85"}, "beyond the storage"),
        ({"shape": b"K\x05\x85"}, "beyond the storage"),
        ({"offset": b"K\x01"}, "beyond the storage"),
        ({"offset": b"J\xff\xff\xff\xff"}, "shape"),
        ({"shape": b"J\xff\xff\xff\xff\x85"}, "shape"),
        ({"strides": b"K\x00\x85"}, "not contiguous"),
        ({"shape": b")", "strides": b"K\x01\x85"}, "not contiguous"),
        ({"shape": b"\x88\x85"}, "shape"),
        ({"shape": b"K\x04"}, "shape"),
    ],
)
def test_a_description_that_cannot_be_true_is_refused(tmp_path: Path, change: dict[str, bytes], why: str) -> None:
    with pytest.raises(TorchFileError, match=why):
        read_torch_file(four_numbers(tmp_path / "saved.pt", **change))


class Runs:
    """An object whose unpickling calls something."""

    def __init__(self, call: object, *arguments: object) -> None:
        self.reduced = (call, arguments)

    def __reduce__(self) -> tuple[object, tuple[object, ...]]:
        return self.reduced


@pytest.mark.parametrize("protocol", [0, 1, 2, 3, 4, 5])
@pytest.mark.parametrize("call", [os.mkdir, eval, getattr, print])
def test_a_pickle_that_calls_something_is_refused_and_calls_nothing(
    tmp_path: Path, protocol: int, call: object
) -> None:
    target = str(tmp_path / "made")
    inner = f"__import__('os').mkdir({target!r})" if call is eval else target
    raw = pickle.dumps({"embedding": Runs(call, inner)}, protocol)
    with pytest.raises(RunsCodeError):
        read_torch_file(written(tmp_path / "saved.pt", {"data.pkl": raw}))
    assert not os.path.exists(target)


# Opcodes that no tensor needs.
RUN = (
    b"\x80\x02}ccollections\nOrderedDict\n)R}b.",  # BUILD: sets attributes
    b"\x80\x02ccollections\nOrderedDict\n)\x81.",  # NEWOBJ
    b"\x80\x02(ccollections\nOrderedDict\no.",  # OBJ
    b"(icollections\nOrderedDict\n.",  # INST
    b"\x80\x02\x82\x01.",  # EXT1
    b"\x80\x02ctorch.storage\n_load_from_bytes\n.",
    b"\x80\x02ctorch\nUntypedStorage\n.",
    b"\x80\x02]K\x01a.",  # a list
)


@pytest.mark.parametrize(
    "raw",
    [
        *RUN,
        b"",
        b"\x80\x02",
        b"\x80\x02.",
        b"\x80\x02K\x01.",
        b"\x80\x02N.",
        b"\x80\x02}K\x01K\x02s.",  # a number as a key
        b"\x80\x02}(X\x01\x00\x00\x00au.",
        b"\x80\x02h\x05.",  # a memo that was never written
        b"\x80\x02K\x01R.",
        b"\x80\x02K\x01)R.",
        b"\x80\x02(K\x01\x85\x86.",  # below a mark
        b"\x80\x02ccollections\nOrderedDict\nK\x01\x85R.",
        b"\x80\x02ctorch._utils\n_rebuild_parameter\n)R.",
        b"\x80\x02ctorch._utils\n_rebuild_tensor_v2\nK\x01\x85R.",
        b"\x80\x02X\xff\xff\xff\x7fabc.",  # two gigabytes of text
        b"\x80\x02\x8d\xff\xff\xff\xff\xff\xff\xff\x7fabc.",
        b"\x80\x02X\x07\x00\x00\x00storageQ.",
        b"\x80\x02}r\xff\xff\xff\xff" + b"(" * 100 + b"t" * 101 + b".",
        b"\x80\x02" + b")\x85" * 5000 + b".",
    ],
)
def test_damaged_and_hostile_pickles_are_refused(tmp_path: Path, raw: bytes) -> None:
    with pytest.raises(RunsCodeError if raw in RUN else TorchFileError):
        read_torch_file(written(tmp_path / "saved.pt", {"data.pkl": raw}))


def test_what_is_no_file_of_torch_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "saved.pt"
    path.write_bytes(pickle.dumps({"embedding": [1.0]}))
    os.mkfifo(tmp_path / "pipe.pt")
    for wrong in (path, tmp_path, tmp_path / "nowhere", tmp_path / "pipe.pt", Path("/dev/zero")):
        with pytest.raises(TorchFileError):
            read_torch_file(wrong)


WRONG_PARTS = ({"data/0": b"short"}, {"data/0": None}, {"data.pkl": None}, {"byteorder": b"big"})


@pytest.mark.parametrize("changes", [*WRONG_PARTS, {"data.pkl": bytes(2**14 + 1)}])
def test_missing_and_wrong_parts_are_refused(tmp_path: Path, changes: dict[str, bytes | None]) -> None:
    with pytest.raises(TorchFileError):
        read_torch_file(written(tmp_path / "saved.pt", changes))


def test_many_tensors_in_one_storage_take_no_more_memory(tmp_path: Path) -> None:
    storage = (
        b"((X\x07\x00\x00\x00storagectorch\nFloatStorage\nX\x01\x00\x00\x000X\x03\x00\x00\x00cpuJ\x00\x00\x08\x00tQ"
    )
    described = storage + b"K\x01J\x00\xff\x07\x00\x85K\x01\x85\x89N" + b"tq\x01"
    call = b"ctorch._utils\n_rebuild_tensor_v2\nq\x02" + described + b"R" + b"h\x02h\x01R" * 2000
    path = written(tmp_path / "saved.pt", {"data.pkl": b"\x80\x02" + call + b".", "data/0": bytes(2**21)})
    tracemalloc.start()
    with pytest.raises(TorchFileError):
        read_torch_file(path)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 20 * 2**20


def test_large_and_compressed_files_are_refused(tmp_path: Path) -> None:
    with pytest.raises(TorchFileError, match="compressed"):
        read_torch_file(written(tmp_path / "saved.pt", {"data/0": bytes(2**20)}, compress=True))
    with pytest.raises(TorchFileError, match="too large"):
        read_torch_file(written(tmp_path / "saved.pt", {"data/0": bytes(2**22)}))
    with zipfile.ZipFile(tmp_path / "saved.pt", "w") as archive:
        for index in range(100):
            archive.writestr(f"a/{index}", b"")
    with pytest.raises(TorchFileError, match="too many parts"):
        read_torch_file(tmp_path / "saved.pt")


def test_damage_anywhere_is_refused_or_harmless(tmp_path: Path) -> None:
    chance, raw = random.Random(18), REAL.read_bytes()
    path = tmp_path / "saved.pt"
    for _ in range(150):
        damaged = bytearray(raw[: chance.randrange(len(raw))] if chance.random() < 0.3 else raw)
        for _ in range(chance.choice((1, 1, 8))):
            if damaged:
                damaged[chance.randrange(len(damaged))] = chance.randrange(256)
        path.write_bytes(damaged)
        try:
            saved = read_torch_file(path)
        except TorchFileError:
            continue
        assert isinstance(saved, dict)
        tensor = saved.get("embedding")
        assert tensor is None or len(tensor.data) <= 2**20
