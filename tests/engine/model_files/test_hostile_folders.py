"""Hostile folders: each ends in a clear error; no code is run, nothing outside is read, in little time and memory."""

from __future__ import annotations

import json
import math
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.advice.cache_shape import cache_shape, cached_elements
from engine.errors import ModelNotUsable
from engine.model_files.inspection import check_folder
from engine.model_files.safetensors_header import CutOffFileError, DamagedHeaderError, parse_header
from tests.engine.model_files import hostile_folders
from tests.engine.model_files.model_folders import llama_config, model_files, write_folder
from tests.patience import PATIENCE_S

ALL = 200
SECONDS, MEGABYTES = 2.0, 200

# Opens one folder after another and reports each: the error, the seconds, the growth of memory so far, every file
# opened outside the folder, Python and the installed packages, and every program started.
OPENER = """
import json, os, re, resource, sys, time

opener, root = sys.argv[1], os.path.realpath(sys.argv[2])
if opener == "load":
    from engine.main_model.loading import load as open_folder
else:
    from engine.model_files.inspection import check_folder as open_folder
from engine.errors import ModelNotUsable

try:
    open_folder(os.path.join(root, "good"))
except ModelNotUsable as error:
    sys.exit(f"the good one: {error}")
places = (sys.prefix, sys.base_prefix, os.getcwd(), "/usr/lib", "/usr/share", "/dev/null")
allowed = [os.path.realpath(place) for place in places]
events = []
folder = ""

def watch(event, arguments):
    if event == "open" and isinstance(arguments[0], (str, bytes)):
        path = os.path.realpath(os.fsdecode(arguments[0]))
        places = [folder, *allowed]
        # The prompt process's use of time and memory is read here.
        ours = re.fullmatch(r"/proc/\\d+/(stat|statm|status)", path)
        if not ours and not any(path == place or path.startswith(place + os.sep) for place in places):
            events.append(path)
    elif event in ("subprocess.Popen", "os.system", "os.exec", "os.posix_spawn", "socket.connect"):
        # The prompt process may be started again.
        if "engine.sandbox" not in str(arguments):
            events.append(event)

sys.addaudithook(watch)
start = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
for name in sorted(os.listdir(root)):
    folder, answer = os.path.join(root, name), "opened"
    events.clear()
    began = time.perf_counter()
    try:
        open_folder(folder)
    except ModelNotUsable as error:
        answer = error.reason
    seconds = time.perf_counter() - began
    grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - start) / (2**20 if sys.platform == "darwin" else 1024)
    print(json.dumps([name, answer, seconds, grown, sorted(set(events))]), flush=True)
"""


def open_all(root: Path, opener: str) -> list[list[Any]]:
    (root / "good").mkdir(parents=True, exist_ok=True)
    write_folder(root / "good", model_files())
    result = subprocess.run(
        [sys.executable, "-c", OPENER, opener, str(root)],
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
        cwd=Path(__file__).parents[3],
        timeout=5 * PATIENCE_S,
    )
    assert result.returncode == 0, result.stdout[-300:] + result.stderr[-3000:]
    return [json.loads(line) for line in result.stdout.splitlines()]


def judge(root: Path, numbers: range, opener: str) -> list[list[Any]]:
    made = {f"{number:03d}": hostile_folders.make(root / f"{number:03d}", number) for number in numbers}
    results = open_all(root, opener)
    assert len(results) == len(made) + 1
    for name, answer, _, grown, events in results:
        recipe = made.get(name, "good")
        assert events == [], (recipe, events)
        assert grown < MEGABYTES, (recipe, grown)
        assert not (root / name / "ran").exists(), recipe
        assert answer in ("opened", *ModelNotUsable.REASONS), (recipe, answer)
    return [[made.get(name, "good"), *rest] for name, *rest in results]


# Recipes that are harmless alone: nothing asks for the code, and the values are within the limits.
MAY_OPEN = (
    "module beside", "nonsense value", "wrong shape", "weights flipped", "config infinity", "no heads", "odd bits",
    "unknown method",
)  # fmt: skip


def test_each_kind_of_manipulation_is_refused_without_running_anything(tmp_path: Path) -> None:
    results = judge(tmp_path, range(len(hostile_folders.RECIPES)), "check")
    for recipe, answer, *_ in results:
        assert answer == hostile_folders.REASONS.get(recipe, answer), recipe


@pytest.mark.campaign
def test_two_hundred_hostile_folders_end_in_a_clear_error_and_nothing_else(tmp_path: Path) -> None:
    checked = judge(tmp_path / "check", range(ALL), "check")
    loaded = judge(tmp_path / "load", range(ALL), "load")
    slowest, largest = max(row[2] for row in checked + loaded), max(row[3] for row in checked + loaded)
    opened = [row[0] for row in loaded if row[1] == "opened" and row[0] != "good"]
    print(f"\nslowest {slowest:.2f} s, memory grew by {largest:.0f} MB, harmless after all: {sorted(set(opened))}")
    assert slowest < SECONDS
    assert all(any(name in MAY_OPEN for name in recipe.split(" + ")) for recipe in opened), opened


SHORT = settings(max_examples=25)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=True) | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=10), inner, max_size=4),
    max_leaves=12,
)


@SHORT
@given(
    dtype=st.sampled_from(["F16", "F32", "BF16", "U32", "X"]) | VALUES,
    shape=st.lists(st.integers(-3, 2**33), max_size=5) | VALUES,
    place=st.lists(st.integers(-5, 100), min_size=2, max_size=2) | VALUES,
)
def test_a_header_that_passes_describes_bytes_that_are_there(dtype: Any, shape: Any, place: Any) -> None:
    entry = {"dtype": dtype, "shape": shape, "data_offsets": place}
    try:
        tensor = parse_header(json.dumps({"t": entry}).encode(), 64)["t"]
    except (DamagedHeaderError, CutOffFileError):
        return
    assert 0 <= place[0] <= place[1] <= 64
    assert tensor.nbytes == place[1] - place[0]
    assert math.prod(tensor.shape) <= 64


@SHORT
@given(
    key=st.sampled_from([*llama_config(), "quantization", "text_config", "layer_types", "num_experts"]), value=VALUES
)
def test_any_value_in_a_configuration_is_accepted_or_refused_in_our_words(tmp_path: Path, key: str, value: Any) -> None:
    config = llama_config() | {key: value}
    files = model_files() | {"config.json": json.dumps(config).encode()}
    try:
        check_folder(write_folder(tmp_path / "m", files))
    except ModelNotUsable:
        return
    cached_elements(cache_shape(config), 1000)
