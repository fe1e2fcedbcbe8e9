"""Hostile folders: each ends in a clear error; no code is run, nothing outside is read, in little time and memory."""

from __future__ import annotations

import json
import math
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
from tests.engine.model_files.opened_folders import open_all

ALL = 200
SECONDS, MEGABYTES = 2.0, 200


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
