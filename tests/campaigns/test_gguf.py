"""GGUF files that anyone may have changed: by their header's places, while they are converted, and many of them."""

from __future__ import annotations

import contextlib
import os
import random
import resource
import shutil
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import mlx.core as mx
import psutil
import pytest
from huggingface_hub import constants
from mlx_lm.utils import load_model

from engine.errors import ModelNotUsable
from engine.finding.discovery import installed_models
from engine.finding.gguf_models import describe_file
from engine.gguf.conversion import SANDBOX, convert
from engine.gguf.header import read_gguf
from engine.gguf.writing import prepare, write_shard
from engine.model_files.inspection import check_folder
from tests import real_model
from tests.campaigns.gguf_places import GgufHeader
from tests.tiny_gguf import write_gguf, write_in_ollama

# Numbers that overflow are refused later.
pytestmark = [pytest.mark.campaign, pytest.mark.filterwarnings("ignore::RuntimeWarning")]
SIZE = float(os.environ.get("TANDEM_CAMPAIGN", "1"))
# More published files, for work at the desk.
MORE = [Path(path) for path in os.environ.get("TANDEM_GGUF", "").split(os.pathsep) if path]
# What no checksum guards: settings and texts may be anything. All else says where numbers are, and of which shape.
FREE = (
    "number", "text", "whole text", "key", "whole key", "version", "element number", "element text",
    "element whole text", "tensor name", "whole tensor name",
)  # fmt: skip


@pytest.fixture(params=["published", *map(str, MORE)])
def published(request: pytest.FixtureRequest) -> Path:
    return real_model.fetch() if request.param == "published" else Path(request.param)


def layout(path: Path) -> list[tuple[int, int]]:
    """Return where the numbers of each tensor are; a wrong shape of as many is refused when the model is loaded."""
    tensors = read_gguf(path).tensors.values()
    first = min(tensor.offset for tensor in tensors)
    return [(one.offset - first, -(-one.nbytes // 32)) for one in tensors]


def test_a_changed_header_is_refused_or_reads_the_same_numbers(published: Path, tmp_path: Path) -> None:
    source, header, copy = random.Random(93), GgufHeader(published), tmp_path / "model.gguf"
    right, outcomes, slow = layout(published), Counter[str](), []
    for _ in range(int(2_000 * SIZE)):
        place, content = header.drawn(source)
        header.copy(copy, place, content)
        began = time.process_time()
        problem = describe_file(copy, "model", "folder").problem
        slow += [place] if time.process_time() - began > 3 else []
        outcomes[problem or "listed"] += 1
        if not problem and place.kind not in FREE:
            # Fewer tensors are missed when the model is loaded. After the last one, nothing lies that would be moved.
            spared = place.kind == "count" or place.name == header.places[-1].name
            assert spared or all(one in right for one in layout(copy)), (place, content)
    print(published.name, dict(outcomes))
    assert not slow


def logits(folder: Path) -> mx.array:
    found: mx.array = load_model(folder)[0](mx.array([[3, 17, 5, 90, 41, 8]]))
    return found


def opened(source: Path, folder: Path) -> mx.array | None:
    """Return the logits of the model in a GGUF file, None if it is refused on the way."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    try:
        shards, _, read = prepare(str(source), str(folder))
        for number in range(len(shards)):
            write_shard(str(source), str(folder), number, read)
        check_folder(folder)
    except ModelNotUsable:
        return None
    try:
        return logits(folder)
    except ValueError:
        # Missing or of another shape: the engine words it.
        return None


def test_a_changed_header_is_refused_or_computes_the_same(tmp_path: Path) -> None:
    sound = write_gguf(tmp_path / "sound.gguf")
    source, header, outcomes = random.Random(94), GgufHeader(sound), Counter[str]()
    want, content_of = opened(sound, tmp_path / "folder"), sound.read_bytes()
    assert want is not None
    for _ in range(int(1_000 * SIZE)):
        place, content = header.drawn(source)
        header.copy(tmp_path / "model.gguf", place, content)
        with (tmp_path / "model.gguf").open("r+b") as file:
            file.seek(-header.tail, os.SEEK_END)
            file.write(content_of[-header.tail :])
        found = opened(tmp_path / "model.gguf", tmp_path / "folder")
        outcomes["refused" if found is None else place.kind] += 1
        if found is not None and place.kind not in FREE:
            assert bool(mx.array_equal(found, want)), (place, content)
    print(dict(outcomes))


def try_to_convert(source: Path, folder: Path) -> str:
    try:
        convert(source, folder, lambda *_: None, threading.Event())
    except ModelNotUsable as error:
        return error.reason
    return ""


def test_a_file_that_others_write_while_it_is_converted_is_whole_or_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("engine.gguf.writing._SHARD_BYTES", 20_000)
    files = [write_gguf(tmp_path / f"{seed}.gguf", seed=seed, llama__rope__freq_base=1e4 + seed) for seed in (1, 2)]
    wanted = []
    for file in files:
        assert not try_to_convert(file, tmp_path / "home/of" / file.stem)
        wanted.append(logits(tmp_path / "home/of" / file.stem))
    source, draw, outcomes = tmp_path / "model.gguf", random.Random(95), Counter[str]()

    def disturb(kind: str, after: float) -> None:
        time.sleep(after)
        if kind == "replaced":
            shutil.copy(files[1], tmp_path / "new")
            (tmp_path / "new").replace(source)
        elif kind == "cut":
            os.truncate(source, draw.randrange(source.stat().st_size))
        elif kind == "deleted":
            source.unlink()
        else:
            shutil.copy(files[1], source)

    for number in range(int(200 * SIZE)):
        shutil.copy(files[0], source)
        kind = draw.choice(("replaced", "cut", "deleted", "written over"))
        thread = threading.Thread(target=disturb, args=(kind, draw.uniform(0, 0.5)))
        thread.start()
        reason = try_to_convert(source, tmp_path / f"home/{number}/model")
        thread.join()
        outcomes[f"{kind}: {reason or 'converted'}"] += 1
        if reason:
            assert not list((tmp_path / f"home/{number}").iterdir())
        else:
            found = logits(tmp_path / f"home/{number}/model")
            assert any(bool(mx.array_equal(found, one)) for one in wanted), kind
    print(dict(outcomes))


CONVERTING = (
    "import sys, threading; from pathlib import Path; from engine.gguf.conversion import convert\n"
    "convert(Path(sys.argv[1]), Path(sys.argv[2]), lambda *_: None, threading.Event())"
)


def test_two_processes_and_kills_leave_a_whole_folder(tmp_path: Path) -> None:
    source, draw = write_gguf(tmp_path / "model.gguf"), random.Random(96)
    assert not try_to_convert(source, tmp_path / "sound/of/it")
    want, killed = logits(tmp_path / "sound/of/it"), 0
    for number in range(int(20 * SIZE)):
        folder = tmp_path / f"home/{number}/model"
        command = [sys.executable, "-c", CONVERTING, str(source), str(folder)]
        both = [subprocess.Popen(command) for _ in range(2)]
        if number % 2:
            time.sleep(draw.uniform(0.4, 1.2))
            family = [both[0], *psutil.Process(both[0].pid).children(recursive=True)]
            for one in family:
                with contextlib.suppress(psutil.NoSuchProcess):
                    one.kill()
            killed += both[0].wait() != 0
        assert [one.wait() for one in both][1] == 0
        check_folder(folder)
        assert bool(mx.array_equal(logits(folder), want))
    print(f"{killed} killed")
    assert not try_to_convert(source, tmp_path / "home/last/model")
    assert not list(tmp_path.glob("home/*/.*"))


def test_a_disk_that_is_full_at_any_byte_leaves_nothing(tmp_path: Path) -> None:
    source, draw, outcomes = write_gguf(tmp_path / "model.gguf"), random.Random(97), Counter[str]()
    for number in range(int(60 * SIZE)):
        SANDBOX.start()
        assert SANDBOX.pid is not None
        most = draw.choice((0, 100, 1_000, draw.randrange(2 * source.stat().st_size)))
        resource.prlimit(SANDBOX.pid, resource.RLIMIT_FSIZE, (most, most))
        reason = try_to_convert(source, tmp_path / f"home/{number}/model")
        outcomes[reason or "converted"] += 1
        assert reason in ("", "not-written")
        assert bool(reason) != any((tmp_path / f"home/{number}").iterdir())
    print(dict(outcomes))


def test_ten_thousand_files_in_a_folder_are_listed_in_seconds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path / "hub"))
    sound = write_gguf(tmp_path / "models/0.gguf")
    for number in range(1, 10_000):
        os.link(sound, tmp_path / f"models/{number}.gguf")
    for _ in range(2):
        began = time.process_time()
        found = installed_models(tmp_path / "hub", [tmp_path / "models"], index_path=tmp_path / "i")
        print(len(found), time.process_time() - began)
    assert len(found) == 10_000


def sparse(path: Path) -> None:
    path.touch()
    os.truncate(path, 2**40)


MANIFESTS: dict[str, Callable[[Path], object]] = {
    "a pipe": os.mkfifo,
    "a folder": Path.mkdir,
    "a device": lambda path: path.symlink_to("/dev/zero"),
    "a loop": lambda path: path.symlink_to(path),
    "deep": lambda path: path.write_text("[" * 100_000),
    "sparse": sparse,
    "not UTF-8": lambda path: path.write_bytes(b'{"layers": "\xff\xfe"}'),
    "no JSON": lambda path: path.write_text('{"layers": [NaN, 1e999, {"digest": "sha256:'),
}
NAMES = ("line\nbreak", "\u202eturned", "a" * 200, "\udcff", "-rf", "..x", "한글:tag", " ")


@pytest.mark.parametrize("made", MANIFESTS)
def test_a_strange_manifest_of_ollama_hides_no_other(made: str, own_home: Path, tmp_path: Path) -> None:
    library = own_home / ".ollama/models"
    write_in_ollama(library, "registry.ollama.ai/library", "tiny", "good")
    folder = library / "manifests/registry.ollama.ai/library/tiny"
    for name in NAMES:
        MANIFESTS[made](folder / name)
    assert [model.id for model in installed_models(tmp_path / "hub") if not model.problem][:1] == ["tiny:good"]
