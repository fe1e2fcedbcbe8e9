"""A vector in a file of torch.save is read; a file whose pickle names anything else is refused, and nothing is run."""

from __future__ import annotations

import os
import pickle
import random
from pathlib import Path

import pytest

from engine.model_files.torch_file import RunsCodeError, TorchFileError, read_torch_vector
from tests.engine.heads.golden import cases
from tests.engine.model_files.torch_files import REAL, written


def test_a_file_that_torch_wrote_is_read() -> None:
    vector = read_torch_vector(REAL)
    assert (vector.dtype, vector.length, len(vector.data)) == ("BF16", cases.WIDTH, 2 * cases.WIDTH)


class Runs:
    """An object whose unpickling calls something."""

    def __init__(self, call: object, *arguments: object) -> None:
        self.reduced = (call, arguments)

    def __reduce__(self) -> tuple[object, tuple[object, ...]]:
        return self.reduced


@pytest.mark.parametrize("protocol", [0, 2, 4])
@pytest.mark.parametrize("call", [os.mkdir, eval, getattr])
def test_a_pickle_that_calls_something_is_refused_and_calls_nothing(
    tmp_path: Path, protocol: int, call: object
) -> None:
    target = str(tmp_path / "made")
    inner = f"__import__('os').mkdir({target!r})" if call is eval else target
    raw = pickle.dumps({"embedding": Runs(call, inner)}, protocol)
    with pytest.raises(RunsCodeError):
        read_torch_vector(written(tmp_path / "saved.pt", {"data.pkl": raw}))
    assert not os.path.exists(target)


@pytest.mark.parametrize(
    "raw",
    [
        b"\x80\x02}ccollections\nOrderedDict\n)R}b.",  # BUILD: sets attributes
        b"\x80\x02ccollections\nOrderedDict\n)\x81.",  # NEWOBJ
        b"\x80\x02(ccollections\nOrderedDict\no.",  # OBJ
        b"(icollections\nOrderedDict\n.",  # INST
        b"\x80\x02\x82\x01.",  # EXT1
        b"\x80\x02ctorch.storage\n_load_from_bytes\n.",
    ],
)
def test_an_opcode_that_no_vector_needs_is_refused(tmp_path: Path, raw: bytes) -> None:
    with pytest.raises(RunsCodeError):
        read_torch_vector(written(tmp_path / "saved.pt", {"data.pkl": raw}))


@pytest.mark.parametrize(
    "changes",
    [
        {"data/0": b"odd"}, {"data/0": b""}, {"data/0": None}, {"data/0": bytes(2**22)}, {"byteorder": b"big"},
        *({"data.pkl": raw} for raw in (None, b"", b"\x80\x02N.", bytes(2**14 + 1), b"\x80\x02X\xff\xff\xff\x7fabc.")),
    ],
)  # fmt: skip
def test_missing_and_wrong_parts_are_refused(tmp_path: Path, changes: dict[str, bytes | None]) -> None:
    with pytest.raises(TorchFileError):
        read_torch_vector(written(tmp_path / "saved.pt", changes))


def test_what_is_no_file_of_torch_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "saved.pt"
    path.write_bytes(pickle.dumps({"embedding": [1.0]}))
    os.mkfifo(tmp_path / "pipe.pt")
    packed = written(tmp_path / "packed.pt", {"data/0": bytes(2**20)}, compress=True)
    for wrong in (path, packed, tmp_path, tmp_path / "nowhere", tmp_path / "pipe.pt", Path("/dev/zero")):
        with pytest.raises(TorchFileError):
            read_torch_vector(wrong)


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
            assert len(read_torch_vector(path).data) <= 2**20
        except TorchFileError:
            continue
