"""The catalog that ships: its shape, its references, and that the installed mlx-lm can run all of it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from engine.hub.architecture import mlx_lm_module
from engine.hub.catalog import Catalog, load_catalog, offers
from engine.hub.failures import HubError
from engine.hub.speedup import estimate_speedup
from engine.places import resources


@pytest.fixture(scope="module")
def catalog() -> Catalog:
    return load_catalog()


def entries() -> dict[str, Any]:
    content: dict[str, Any] = json.loads((resources() / "catalog.json").read_text(encoding="utf-8"))
    return content


def test_every_family_that_people_ask_for_is_there(catalog: Catalog) -> None:
    families = {model.family for model in catalog.models.values()}
    assert {"Qwen", "Llama", "Gemma", "Mistral", "Phi", "SmolLM", "gpt-oss"} <= families


def test_it_reaches_from_half_a_billion_parameters_to_a_machine_of_128_gigabytes(catalog: Catalog) -> None:
    sizes = [model.bytes for model in catalog.mains()]
    assert min(sizes) < 400 * 10**6
    assert 60 * 10**9 < max(sizes) < 96 * 2**30


def test_the_installed_mlx_lm_knows_every_architecture(catalog: Catalog) -> None:
    unknown = {
        model.architecture for model in catalog.models.values() if not mlx_lm_module({"model_type": model.architecture})
    }
    assert unknown == set()


def test_drafts_are_smaller_and_share_a_tokenizer_unless_they_say_otherwise(catalog: Catalog) -> None:
    for main in catalog.models.values():
        for draft in map(catalog.models.__getitem__, main.drafts):
            assert draft.active_bytes < main.bytes, (main.id, draft.id)


def test_sizes_agree_with_parameters_and_bits(catalog: Catalog) -> None:
    """A slip of a digit would be off by more than this; embeddings and vision towers at higher precision are not."""
    for model in catalog.models.values():
        ratio = 8 * model.bytes / (model.parameters * model.bits)
        assert 0.95 < ratio < 1.75, (model.id, ratio)


def test_it_says_where_its_figures_are_from(catalog: Catalog) -> None:
    assert {model.bytes_source for model in catalog.models.values()} <= {"hub", "listed", "computed"}
    assert "computed" in entries()["about"]


@pytest.mark.parametrize(
    ("memory", "count"), [(4 * 2**30, 2), (16 * 2**30, 3), (64 * 2**30, 3), (96 * 2**30, 3), (10**8, 0)]
)
def test_a_first_run_is_offered_up_to_three_pairs_that_fit(catalog: Catalog, memory: int, count: int) -> None:
    pairs = offers(catalog, memory)
    assert len(pairs) == count
    assert all(main.bytes + draft.bytes <= 0.75 * memory for main, draft in pairs)
    assert all(
        estimate_speedup(main.bytes, main.active_bytes, draft.active_bytes, "same").speedup > 1.2
        for main, draft in pairs
    )
    assert [main.bytes for main, _ in pairs] == sorted(main.bytes for main, _ in pairs)


@pytest.mark.parametrize(
    "change",
    [
        {"id": "no slash"},
        {"bytes": 0},
        {"bytes": "1"},
        {"drafts": ["org/absent"]},
        {"roles": ["judge"]},
        {"bytes_source": "guess"},
        {"surprise": 1},
    ],
)
def test_a_wrong_entry_is_refused_by_name(tmp_path: Path, change: dict[str, Any]) -> None:
    content = entries()
    content["models"][0] |= change
    (tmp_path / "catalog.json").write_text(json.dumps(content))
    with pytest.raises((ValueError, HubError)):
        load_catalog(tmp_path / "catalog.json")
