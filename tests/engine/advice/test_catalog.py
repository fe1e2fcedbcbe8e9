"""The catalog that ships: its shape, its references, and that the installed mlx-lm can run all of it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from engine.advice.cache_shape import cache_shape
from engine.advice.catalog import Catalog, CatalogModel, draft_for, load_catalog, offers
from engine.advice.fit import ModelSize, check_fit
from engine.advice.speedup import MainCost, estimate_speedup
from engine.files.paths import resources
from engine.hub.failures import HubError
from engine.model_files.architecture import mlx_lm_module
from engine.model_files.cache_counting import count_caches


@pytest.fixture(scope="module")
def catalog() -> Catalog:
    return load_catalog()


def entries() -> dict[str, Any]:
    content: dict[str, Any] = json.loads((resources() / "catalog.json").read_text(encoding="utf-8"))
    return content


def test_every_family_that_people_ask_for_is_there_for_small_and_large_machines(catalog: Catalog) -> None:
    families = {model.family for model in catalog.models.values()}
    assert {"Qwen", "Llama", "Gemma", "Mistral", "Phi", "SmolLM", "gpt-oss"} <= families
    sizes = [model.bytes for model in catalog.mains()]
    assert min(sizes) < 400 * 10**6
    assert 60 * 10**9 < max(sizes) < 96 * 2**30


def test_the_installed_mlx_lm_knows_every_architecture_and_the_figures_name_their_source(catalog: Catalog) -> None:
    unknown = {
        model.architecture for model in catalog.models.values() if not mlx_lm_module({"model_type": model.architecture})
    }
    assert unknown == set()
    assert {model.bytes_source for model in catalog.models.values()} <= {"hub", "listed", "computed"}
    assert "computed" in entries()["about"]


def test_sizes_agree_with_parameters_and_bits_and_drafts_are_smaller(catalog: Catalog) -> None:
    """A slip of a digit would be off by more than this; embeddings and vision towers at higher precision are not."""
    for model in catalog.models.values():
        for draft in map(catalog.models.__getitem__, model.drafts):
            assert draft.active_bytes < model.bytes, (model.id, draft.id)
        ratio = 8 * model.bytes / (model.parameters * model.bits)
        assert 0.95 < ratio < 1.75, (model.id, ratio)


def counted_parameters(model: CatalogModel) -> tuple[int, int]:
    """Weights that the numbers of `config` imply: with one table for both ends of the model, and with two."""
    config = {"head_dim": model.config["hidden_size"] // model.config["num_attention_heads"], **model.config}
    layers = sum(_attention(config, layer) + _perceptron(config) for layer in range(config["num_hidden_layers"]))
    if model.architecture == "muse_glimmer":
        # Each of its attention layers has a gate as large as its queries.
        layers += (
            config["num_hidden_layers"] * config["hidden_size"] * config["num_attention_heads"] * config["head_dim"]
        )
    table = model.vocabulary_size * config["hidden_size"]
    return layers + table, layers + 2 * table


def _attention(config: dict[str, int], layer: int) -> int:
    hidden, heads = config["hidden_size"], config["num_attention_heads"]
    size, pairs = config["head_dim"], config["num_key_value_heads"]
    if "kv_lora_rank" in config:
        latent, plain, value = config["kv_lora_rank"], config["qk_nope_head_dim"], config["v_head_dim"]
        # The rank of its queries is no part of the cache, so it is not in the catalog: 768.
        queries = 768 * (hidden + heads * (plain + config["qk_rope_head_dim"]))
        return queries + hidden * (latent + 64) + latent * heads * (plain + value) + heads * value * hidden
    gated = "full_attention_interval" in config
    if gated and (layer + 1) % config["full_attention_interval"]:
        keys = config["linear_key_head_dim"] * config["linear_num_key_heads"]
        values = config["linear_value_head_dim"] * config["linear_num_value_heads"]
        return hidden * (2 * keys + 3 * values + 2 * config["linear_num_value_heads"])
    if "global_head_dim" in config and (layer + 1) % config["sliding_window_pattern"] == 0:
        size, pairs = config["global_head_dim"], config.get("num_global_key_value_heads", pairs)
    return hidden * size * ((3 if gated else 2) * heads + 2 * pairs)


def _perceptron(config: dict[str, int]) -> int:
    hidden = config["hidden_size"]
    names = ("num_experts", "n_routed_experts", "num_local_experts")
    experts = next((config[name] for name in names if name in config), 0)
    wide = experts * config.get("moe_intermediate_size", config.get("intermediate_size", 0))
    wide += config.get("shared_expert_intermediate_size", 0)
    if not experts or "top_k_experts" in config:
        wide += config["intermediate_size"]
    return hidden * (3 * wide + experts)


def test_the_numbers_of_its_configurations_give_the_parameters_that_are_published(catalog: Catalog) -> None:
    """A wrong number of layers, heads or widths shows in the sum: what is left over is a vision tower at most."""
    for model in catalog.models.values():
        config = model.config
        tied, untied = counted_parameters(model)
        if config.get("num_kv_shared_layers"):
            # Small Gemma 4: a table for each layer, and shared layers twice as wide.
            shared = 3 * config["hidden_size"] * config["intermediate_size"] * config["num_kv_shared_layers"]
            tied += 262_144 * 256 * config["num_hidden_layers"] + (shared if config["num_hidden_layers"] == 35 else 0)
        tower = 750_000_000 if model.architecture.startswith(("gemma3", "gemma4", "mistral3", "qwen3_5")) else 0
        left = [model.parameters - counted for counted in (tied, untied)]
        assert any(-0.01 * model.parameters <= rest <= tower + 0.01 * model.parameters for rest in left), model.id


@pytest.mark.parametrize(
    ("name", "kilobytes"),
    [
        ("Qwen3-8B-4bit", 144),
        ("Meta-Llama-3.1-8B-Instruct-4bit", 128),
        ("Llama-3.3-70B-Instruct-4bit", 320),
        ("Qwen2.5-0.5B-Instruct-4bit", 12),
        ("Qwen3.5-27B-4bit", 64),
        ("GLM-4.7-Flash-4bit", 52.875),
    ],
)
def test_what_a_token_of_context_takes_is_what_is_published(catalog: Catalog, name: str, kilobytes: float) -> None:
    """Kibibytes in 16 bits: layers with a full cache x 2 x key-value heads x head size x 2, or the latent vector."""
    shape = cache_shape(catalog.models[f"mlx-community/{name}"].memory_config)
    assert 2 * shape.elements_a_token == kilobytes * 1024


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


def completed(model: CatalogModel) -> dict[str, Any]:
    """Return a configuration that mlx-lm can build, of the model's numbers."""
    kind = model.architecture
    config: dict[str, Any] = {**COMPLETED, **model.config, "model_type": INSIDE.get(kind, kind)}
    if kind in ("olmo3", "muse_glimmer"):
        interval = config["sliding_window_pattern"]
        config["layer_types"] = [
            "sliding_attention" if (layer + 1) % interval else "full_attention"
            for layer in range(config["num_hidden_layers"])
        ]
    return {"model_type": kind, "vocab_size": 1000, "text_config": config} if kind in INSIDE else config


@pytest.mark.full
def test_its_caches_are_those_that_mlx_lm_makes_of_its_numbers(catalog: Catalog) -> None:
    for model in catalog.models.values():
        assert model.cache == count_caches(completed(model)), model.id


def test_a_long_context_counts_before_a_byte_is_here(catalog: Catalog) -> None:
    model = catalog.models["mlx-community/Qwen3-32B-4bit"]
    size = ModelSize(model.id, model.bytes, model.memory_config)
    assert check_fit(size, None, 4096, 24 * 10**9).fits
    assert not check_fit(size, None, 40960, 24 * 10**9).fits


def test_what_is_offered_first_is_of_the_last_year(catalog: Catalog) -> None:
    """Of a Mac with 24 to 128 GB, whose models may use three quarters of it."""
    for memory in (24, 36, 48, 64, 128):
        assert all(main.released >= "2025-11" for main, _ in offers(catalog, memory * 3 * 2**30 // 4))


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
        assert all(main.bytes + draft.bytes <= 0.75 * memory for main, draft in pairs)
        for main, draft in pairs:
            assert estimate_speedup(MainCost(main.bytes, main.active_bytes), draft.active_bytes, "same").speedup > 1.2
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
