"""The catalog that ships: its shape, its references, and that the installed mlx-lm can run all of it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from engine.advice.catalog import Catalog, draft_for, in_order, load_catalog, offers
from engine.advice.fit import check_fit, memory_for_models, size_of
from engine.advice.speedup import estimate_speedup
from engine.files.paths import resources
from engine.hub.failures import HubError
from engine.model_files.architecture import can_load
from engine.model_files.cache_counting import count_caches


@pytest.fixture(scope="module")
def catalog() -> Catalog:
    return load_catalog()


def entries() -> dict[str, Any]:
    content: dict[str, Any] = json.loads((resources() / "catalog.json").read_text(encoding="utf-8"))
    return content


def test_every_family_that_people_ask_for_is_there_for_small_and_large_machines(catalog: Catalog) -> None:
    families = {model["family"] for model in entries()["models"]}
    assert {"Qwen", "Llama", "Gemma", "Mistral", "Phi", "SmolLM", "gpt-oss"} <= families
    sizes = [model.bytes for model in catalog.models.values() if "main" in model.roles]
    assert min(sizes) < 400 * 10**6
    assert 60 * 10**9 < max(sizes) < 96 * 2**30


def test_every_architecture_can_be_loaded_and_the_figures_name_their_source(catalog: Catalog) -> None:
    architectures = {model.architecture for model in catalog.models.values()}
    unknown = {architecture for architecture in architectures if not can_load({"model_type": architecture})}
    assert unknown == set()
    assert "computed" in entries()["about"]


def test_sizes_agree_with_parameters_and_bits_and_drafts_are_smaller(catalog: Catalog) -> None:
    """A slip of a digit would be off by more than this; embeddings and vision towers at higher precision are not."""
    for model in catalog.models.values():
        for draft in map(catalog.models.__getitem__, model.drafts):
            assert draft.active_bytes < model.bytes, (model.id, draft.id)
        ratio = 8 * model.bytes / (model.parameters * model.bits)
        assert 0.95 < ratio < 1.75, (model.id, ratio)


# The settings that mlx-lm requires and that make no difference to caches.
COMPLETED = {
    "vocab_size": 1000, "rms_norm_eps": 1e-6, "rope_theta": 1e6, "max_position_embeddings": 4096, "rope_scaling": None,
    "tie_word_embeddings": False, "attention_bias": False, "mlp_bias": False, "partial_rotary_factor": 0.25,
    "decoder_sparse_step": 1, "mlp_only_layers": [], "norm_topk_prob": True, "q_lora_rank": 64, "n_shared_experts": 1,
    "n_group": 1, "topk_group": 1, "routed_scaling_factor": 1.0, "scoring_func": "sigmoid", "topk_method": "noaux_tc",
    "first_k_dense_replace": 1, "moe_layer_freq": 1, "use_qk_norm": True, "hidden_size_per_layer_input": 64,
    "vocab_size_per_layer_input": 1000, "num_kv_shared_layers": 0,
}  # fmt: skip
# Architectures whose language model has a configuration of its own inside, by its type.
INSIDE = {"mistral3": "llama", "gemma3": "gemma3_text", "gemma4": "gemma4_text", "gemma4_unified": "gemma4_text"}
INSIDE |= {name: name for name in ("qwen3_5", "qwen3_5_moe")}


def completed(model: dict[str, Any]) -> dict[str, Any]:
    """Return a configuration that mlx-lm can build, of the model's numbers."""
    kind = model["architecture"]
    config: dict[str, Any] = {**COMPLETED, **model["config"], "model_type": INSIDE.get(kind, kind)}
    if kind in ("olmo3", "muse_glimmer"):
        interval = config["sliding_window_pattern"]
        config["layer_types"] = [
            "sliding_attention" if (layer + 1) % interval else "full_attention"
            for layer in range(config["num_hidden_layers"])
        ]
    return {"model_type": kind, "vocab_size": 1000, "text_config": config} if kind in INSIDE else config


@pytest.mark.full
def test_its_caches_are_those_that_mlx_lm_makes_of_its_numbers(catalog: Catalog) -> None:
    for entry in (entry for entry in entries()["models"] if "config" in entry):
        counted = catalog.models[entry["id"]].config["cache_shape"]
        assert counted == count_caches(completed(entry)), entry["id"]


def test_what_is_offered_first_is_of_the_last_year(catalog: Catalog) -> None:
    """Of a Mac with 24 to 128 GB, whose models may use three quarters of it."""
    for memory in (24, 36, 48, 64, 128):
        assert all(main.released >= "2025-11" for main, _ in offers(catalog, memory * 3 * 2**30 // 4))


def test_what_nobody_has_read_is_not_invented(catalog: Catalog) -> None:
    unread = [model for model in catalog.models.values() if not model.config]
    assert {"mlx-community/MiniCPM5-2B-bf16", "LiquidAI/LFM2.5-2.6B-MLX-bf16"} <= {model.id for model in unread}
    assert not any(model.drafts or model.tokenizer_name or model.vocabulary_size == 0 for model in unread)
    assert not any(main in unread for memory in (16, 48, 128) for main, _ in offers(catalog, memory * 2**30))


def test_8_bits_stand_beside_4_and_gain_more_by_the_same_head(
    catalog: Catalog, set_chip: Callable[[str], None]
) -> None:
    set_chip("Apple M4 Max")
    head, ids = catalog.heads["incoai/Qwen3.8-27B-DFlash2"], [model.id for model in in_order(catalog)]
    few, many = (f"mlx-community/Qwen3.8-27B-{bits}bit" for bits in (4, 8))
    gains = [estimate_speedup(catalog.models[name], head, "same").speedup for name in (few, many)]
    assert 1.0 < gains[0] < gains[1]
    assert 0 < ids.index(many) - ids.index(few) <= 3


@pytest.mark.parametrize(("chip", "float16"), [("Apple M1 Pro", True), ("Apple M2", True), ("Apple M4", False)])
def test_float16_comes_first_where_bfloat16_is_emulated(
    catalog: Catalog, set_chip: Callable[[str], None], chip: str, float16: bool
) -> None:
    set_chip(chip)
    named = [model for model in in_order(catalog) if model.name == "Qwen3.8 27B"]
    assert named[0].float16 is float16
    assert {model.float16 for model in named} == {True, False}
    biggest = [main for main, _ in offers(catalog, 26 * 10**9)][-1]
    assert (biggest.name, biggest.float16) == ("Qwen3.8 27B", float16)


def test_no_draft_is_offered_that_slows_its_main_model_down(catalog: Catalog) -> None:
    experts = catalog.models["mlx-community/Qwen3.6-35B-A3B-4bit"]
    assert experts.drafts
    assert draft_for(experts, catalog) is None


def test_on_a_chip_that_gains_nothing_the_same_models_are_offered_without_a_draft(
    catalog: Catalog, set_chip: Callable[[str], None]
) -> None:
    elsewhere = offers(catalog, 16 * 2**30)
    set_chip("Apple M2")
    assert offers(catalog, 16 * 2**30) == elsewhere
    assert [draft_for(main, catalog) for main, _ in elsewhere] == [None] * 3
    set_chip("Apple M4")
    assert [draft_for(main, catalog) for main, _ in elsewhere] == [draft for _, draft in elsewhere]


def test_a_first_run_is_offered_up_to_three_pairs_that_fit(catalog: Catalog) -> None:
    for memory, count in ((4 * 2**30, 2), (16 * 2**30, 3), (64 * 2**30, 3), (96 * 2**30, 3), (10**8, 0)):
        pairs = offers(catalog, memory)
        assert len(pairs) == count
        assert all(main.bytes + draft.bytes <= 0.8 * memory for main, draft in pairs)
        for main, draft in pairs:
            assert estimate_speedup(main, draft, "same").speedup > 1.2
        assert [main.bytes for main, _ in pairs] == sorted(main.bytes for main, _ in pairs)


@pytest.mark.parametrize(
    ("memory", "largest", "draft"),
    [
        (8, "Qwen3.5 2B", "Qwen3.5 0.8B"),
        (16, "Qwen3.5 9B", "Qwen3.5 0.8B"),
        (24, "Ministral 3 14B", "Ministral 3 3B"),
        (32, "Qwen3.8 27B", "Qwen3.5 0.8B"),
        (64, "Gemma 4 31B", "Gemma 4 E2B"),
    ],
)
def test_the_largest_pair_offered_leaves_room_for_the_system_and_fits_with_8192_tokens(
    catalog: Catalog, memory: int, largest: str, draft: str
) -> None:
    """On a Mac with 8 GB, Qwen3.5 4B with its draft model would take 4.3 GiB, and the system as many."""
    limit = memory_for_models(memory * 2**30)
    pair = offers(catalog, limit)[-1]
    assert [model.name for model in pair] == [largest, draft]
    main, drafting = (size_of(model, 2.0) for model in pair)
    report = check_fit(main, drafting, 8192, limit)
    assert report.fits
    assert report.needed <= (memory - 4) * 2**30


@pytest.mark.parametrize(
    "change",
    [
        {"id": "no slash"},
        {"bytes": 0},
        {"bytes": "1"},
        {"drafts": ["org/absent"]},
        {"roles": ["judge"]},
        {"bytes_source": "guess"},
        {"released": "2026-13"},
        {"config": {"hidden_size": 8}},
        {"config": {"hidden_size": 8, "num_hidden_layers": 0, "num_attention_heads": 1, "num_key_value_heads": 1}},
        {"surprise": 1},
    ],
)
def test_a_wrong_entry_is_refused_by_name(tmp_path: Path, change: dict[str, Any]) -> None:
    content = entries()
    content["models"][0] |= change
    (tmp_path / "catalog.json").write_text(json.dumps(content))
    with pytest.raises((ValueError, HubError)):
        load_catalog(tmp_path / "catalog.json")
