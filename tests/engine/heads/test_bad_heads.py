"""Bad heads are refused with a reason, before anything large is allocated."""

from __future__ import annotations

import copy
import random
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import mlx.core as mx
import pytest

from engine.errors import ModelNotUsable
from tests.engine.heads.golden import cases, eagle_cases
from tests.engine.heads.heads_on_disk import HEADS, ORDERING, OnDisk, Tensors, write_head
from tests.engine.model_files.hostile_folders import RECIPES
from tests.engine.model_files.torch_files import written

# Reasons about a head's folder; the last one is about the main model for which it was made.
REASONS = (
    *("not-a-model", "incomplete", "damaged", "wrong-tensors", "unsafe", "not-finite", "unknown-head", "wrong-main"),
)


def refusal(folder: Path, case: OnDisk) -> tuple[str, str]:
    """Return why the head in the folder is refused, at the latest when it is bound to the main model of `case`."""
    mx.reset_peak_memory()
    before = mx.get_active_memory()
    with pytest.raises(ModelNotUsable) as refused:
        case.load(folder)
    assert mx.get_peak_memory() - before < 50 * 2**20
    return refused.value.reason, refused.value.detail


BASES = (
    *("full", "sliding", "dflash2", "dspark_rnn", "domino", "speculators", "laguna", "eagle_llama", "eagle_original"),
    *("mtp_qwen3_5", "mtp_qwen3_5_moe", "mtp_qwen3_next", "mtp_deepseek_v32", "mtp_glm4_moe", "mtp_mimo"),
    "assistant_gemma4",
)


def each_base(some: int, many: int) -> pytest.MarkDecorator:
    """Return parameters for each base: one of `some` bad heads in the default tier, one of `many` in the full tier.

    Bases begin with different ones, because those of similar bases are in the same order.
    """
    full = [pytest.param(name, many, marks=pytest.mark.full) for name in BASES]
    return pytest.mark.parametrize(("base", "step"), [*((name, some) for name in BASES), *full])


LIES: list[Any] = [-1, 0, 2**40, 2**70, 1.5, "64", [64], {}, True, 1000]
# MTP heads and assistants read the first four, and those of their main model's layer.
SIZE_SETTINGS = (
    *("hidden_size", "num_attention_heads", "num_hidden_layers", "vocab_size", "intermediate_size"),
    *("num_key_value_heads", "head_dim", "num_target_layers"),
)
TAPS = ("target_layer_ids", "aux_hidden_state_layer_ids", "eagle_aux_hidden_state_layer_ids")
BAD_TAPS: list[Any] = [[], [5, 3, 1], [1, 3], [1, 1, 3], [-1, 3, 5], "135", [1, 3, 10**9], [1, None, 5], 7]
OF_ALL: dict[str, list[Any]] = {
    "rms_norm_eps": ["small"], "rope_parameters": [[1], {"rope_type": "magic", "rope_theta": 1e4}],
}  # fmt: skip
OF_MTP: dict[str, list[Any]] = {"rope_parameters": [{"rope_theta": "far"}], "model_type": ["unheard", 7]}
OF_OTHERS: dict[str, list[Any]] = {
    "layer_types": [["full_attention"] * 2, ["recurrent"] * 3, "full_attention"],
    "rope_parameters": [{"rope_type": "linear", "factor": float("inf")}, {"rope_type": "yarn"}],
    "rms_norm_eps": [-1.0],
    "max_position_embeddings": [0],
}


def wrong_settings(config: dict[str, Any]) -> list[tuple[dict[str, Any], str, Any]]:
    """Return wrong settings as (object in `config`, key, value)."""
    of_main, nested = "text_config" in config, config.get("dflash_config")
    body = config.get("transformer_layer_config", config.get("text_config", config))
    found = [(body, key, LIES) for key in SIZE_SETTINGS[: 4 if of_main else None] if key in body]
    tables = [OF_ALL] if of_main else [OF_ALL, OF_OTHERS]
    tables += [OF_MTP] if str(config.get("model_type", "")).endswith("_mtp") else []
    found += [(body, key, values) for table in tables for key, values in table.items()]
    for where in (nested,) if nested else (config, config.get("eagle_config", {})):
        found += [(where, key, BAD_TAPS) for key in TAPS if key in where]
    if "mask_token_id" in (where := nested or config):
        found += [(where, "block_size", LIES[:7]), (where, "mask_token_id", [*LIES[2:7], -1, cases.VOCABULARY])]
    return [(where, key, value) for where, key, values in found for value in values]


@each_base(29, 1)
def test_wrong_settings_are_refused(tmp_path: Path, base: str, step: int) -> None:
    case = HEADS[base]
    for number in range(7 * BASES.index(base) % step, len(wrong_settings(case.config)), step):
        config = copy.deepcopy(case.config)
        where, key, value = wrong_settings(config)[number]
        where[key] = value
        write_head(tmp_path, config, case.tensors)
        assert refusal(tmp_path, case)[0] in REASONS, (key, value)


def not_finite(array: mx.array) -> mx.array:
    flat = array.flatten()
    flat[flat.size // 2] = float("nan")
    return flat.reshape(array.shape)


DAMAGES: list[Callable[[mx.array], mx.array] | None] = [
    *(None, lambda array: array[:-1], lambda array: mx.stack([array] * 2), lambda array: array.astype(mx.bool_)),
    *(lambda array: array.astype(mx.uint8), not_finite),
]


@each_base(97, 7)
def test_lost_and_changed_tensors_are_refused(tmp_path: Path, base: str, step: int) -> None:
    case = HEADS[base]
    names = sorted(name for name in case.tensors if not name.startswith(("confidence_head.", "d2t", "t2d")))
    for name, damage in [(name, damage) for name in names for damage in DAMAGES][7 * BASES.index(base) % step :: step]:
        tensors = dict(case.tensors)
        array = tensors.pop(name)
        write_head(tmp_path, case.config, tensors if damage is None else {**tensors, name: damage(array)})
        assert refusal(tmp_path, case)[0] in REASONS, (name, damage)
    write_head(tmp_path, case.config, {**case.tensors, "layers.7.mlp.up_proj.weight": mx.zeros((4, 4))})
    assert refusal(tmp_path, case)[0] in REASONS


def test_a_head_whose_matrices_are_all_zero_is_refused(tmp_path: Path) -> None:
    case = HEADS[LLAMA]
    zero = {name: array * 0 if array.ndim > 1 else array for name, array in case.tensors.items()}
    write_head(tmp_path, case.config, zero)
    assert refusal(tmp_path, case)[0] == "all-zero"


FILES = (
    *("weights cut", "header length", "shape overflows", "shape lies", "weights of noise", "weights gone"),
    *("config empty", "config as list", "deep config", "link to weights", "pipe as weights"),
)


@pytest.mark.parametrize("what", FILES)
@pytest.mark.parametrize("base", ["full", "eagle_llama", "mtp_qwen3_5"])
def test_damaged_files_are_refused(tmp_path: Path, base: str, what: str) -> None:
    case = HEADS[base]
    RECIPES[what](case.write(tmp_path), random.Random(7))
    assert refusal(tmp_path, case)[0] in REASONS


LLAMA, IDS, BODY, TEXT = "eagle_llama", "eagle_aux_hidden_state_layer_ids", "transformer_layer_config", "text_config"
BAD_IDS: list[Any] = [[], [9, 6, 2], [2, 2, 9], [0, 6, 9], [2, 6, 10**9], [2, None, 9], "2, 6, 9", [2, 6, 9, 10, 11]]
# The head, the object in its configuration, the settings there, and the setting that the error names.
SETTINGS: list[tuple[str, str, dict[str, Any], str]] = [
    *((LLAMA, "", {IDS: ids}, IDS) for ids in BAD_IDS),
    (LLAMA, "", {"draft_vocab_size": 2**40}, "draft_vocab_size"),
    (LLAMA, "", {"norm_before_residual": "yes"}, "norm_before_residual"),
    (LLAMA, "", {"norm_output": 1}, "norm_output"),
    (LLAMA, "", {BODY: [1]}, BODY),
    (LLAMA, BODY, {"hidden_act": "gelu"}, "hidden_act"),
    (LLAMA, BODY, {"num_key_value_heads": 3}, "num_key_value_heads"),
    (LLAMA, BODY, {"rms_norm_eps": "small"}, "rms_norm_eps"),
    (LLAMA, BODY, {"rope_parameters": {"rope_type": "magic"}}, "rope_parameters"),
    *(("full", "dflash_config", {"target_layer_ids": ids}, "target_layer_ids") for ids in BAD_TAPS if ids != [1, 3]),
    ("full", "dflash_config", {"mask_token_id": cases.VOCABULARY}, "mask_token_id"),
    ("full", "dflash_config", {"block_size": 65}, "block_size"),
    ("sliding", "", {"sliding_window": 1}, "sliding_window"),
    ("dspark_rnn", "dflash_config", {"markov_head_type": "other"}, "markov_head_type"),
    ("dflash2", "dflash_config", {"conv_group_size": 7}, "conv_group_size"),
    # Gemma's layers of two kinds would have heads of two sizes; none is published.
    ("dspark_gemma", "", {"layer_types": cases.MIXED, "sliding_window": cases.WINDOW}, "layer_types"),
    ("mtp_step3p5", TEXT, {"layer_types": ["sliding_attention"]}, "layer_types"),
    ("mtp_step3p5", TEXT, {"rope_theta": [1e4]}, "rope_theta"),
    ("mtp_mimo_v2_flash", TEXT, {"swa_head_dim": -1}, "swa_head_dim"),
    ("mtp_mimo_v2_flash", TEXT, {"sliding_window_size": 0}, "sliding_window_size"),
    ("assistant_gemma4", "", {"use_ordered_embeddings": True}, "use_ordered_embeddings"),
    ("assistant_gemma4", TEXT, {"layer_types": ["chunked_attention"] * 3}, "layer_types"),
    ("assistant_gemma4", TEXT, {"num_key_value_heads": 99}, "num_key_value_heads"),
    ("assistant_gemma4", TEXT, {"enable_moe_block": True}, "enable_moe_block"),
    ("assistant_gemma4", TEXT, {"rope_parameters": {"full_attention": {"rope_type": "other"}}}, "rope_parameters"),
]


@pytest.mark.parametrize(("name", "where", "settings", "detail"), SETTINGS)
def test_settings_that_cannot_be_true_are_named(
    tmp_path: Path, name: str, where: str, settings: dict[str, Any], detail: str
) -> None:
    case, config = HEADS[name], copy.deepcopy(HEADS[name].config)
    (config[where] if where else config).update(settings)
    write_head(tmp_path, config, case.tensors)
    assert refusal(tmp_path, case) == ("damaged", f"config.json ({detail})")


def lost(name: str) -> Callable[[Tensors], None]:
    return lambda tensors: tensors.__delitem__(name)


def other(name: str, change: Callable[[mx.array], mx.array]) -> Callable[[Tensors], None]:
    return lambda tensors: tensors.update({name: change(tensors[name])})


FAR_LAYER = f"layers.{'9' * 5000}.mlp.up_proj.weight"
PROJECTION = "layers.0.self_attn.q_proj.weight"
# The head, the change of its tensors, and the reason and detail of the error.
TENSORS: list[tuple[str, Callable[[Tensors], None], tuple[str, str]]] = [
    (LLAMA, lost("norm.weight"), ("wrong-tensors", "norm.weight")),
    (LLAMA, lost("d2t"), ("wrong-tensors", "d2t")),
    (LLAMA, lost("lm_head.weight"), ("damaged", "config.json (draft_vocab_size)")),
    (LLAMA, lost(PROJECTION), ("wrong-tensors", PROJECTION)),
    (LLAMA, other(PROJECTION, lambda array: array[:, :64]), ("wrong-tensors", PROJECTION)),
    (LLAMA, other(PROJECTION, lambda array: array.astype(mx.int32)), ("wrong-tensors", PROJECTION)),
    (LLAMA, other("d2t", lambda array: array.astype(mx.float32)), ("wrong-tensors", "d2t")),
    (LLAMA, other("d2t", lambda array: array - 300), ("wrong-tensors", "d2t")),
    (LLAMA, other("d2t", lambda array: array + 2**40), ("wrong-tensors", "d2t")),
    # d2t holds differences: ids instead of them are beyond the vocabulary, and must never be used as indices.
    (LLAMA, other("d2t", lambda array: array + mx.arange(eagle_cases.DRAFTED)), ("wrong-tensors", "d2t")),
    (LLAMA, other("fc.weight", lambda array: array[:, :190]), ("damaged", f"config.json ({IDS})")),
    (LLAMA, other("fc.weight", lambda array: array * float("nan")), ("not-finite", "NaN or infinity")),
    (LLAMA, lambda tensors: tensors.update(surprise=mx.zeros((4, 4))), ("wrong-tensors", "surprise")),
    (
        LLAMA,
        lambda tensors: tensors.update({"midlayer.mlp.up_proj.weight": mx.zeros((4, 4))}),
        ("wrong-tensors", "layers.0.mlp.up_proj.weight"),
    ),
    # Python reads no number of so many digits.
    (
        "mtp_qwen3_5",
        lambda tensors: tensors.update({f"mtp.{FAR_LAYER}": mx.zeros((4, 4))}),
        ("wrong-tensors", f"depths.0.{FAR_LAYER}"[:120]),
    ),
    ("assistant_gemma4_ordered", other(ORDERING, lambda array: array + 1), ("wrong-tensors", "token_ordering")),
]


@pytest.mark.parametrize(("name", "mutate", "refused"), TENSORS)
def test_tensors_that_are_not_those_of_the_head_are_named(
    tmp_path: Path, name: str, mutate: Callable[[Tensors], None], refused: tuple[str, str]
) -> None:
    case, tensors = HEADS[name], dict(HEADS[name].tensors)
    mutate(tensors)
    write_head(tmp_path, case.config, tensors)
    assert refusal(tmp_path, case) == refused


@pytest.mark.parametrize(
    ("name", "settings"),
    [("mtp_mimo_v2_flash", {"swa_num_key_value_heads": 3}), ("assistant_gemma4", {"hidden_size": 48})],
)
def test_sizes_that_are_not_those_of_the_tensors_are_refused(
    tmp_path: Path, name: str, settings: dict[str, Any]
) -> None:
    case = HEADS[name]
    write_head(tmp_path, {**case.config, TEXT: {**case.config[TEXT], **settings}}, case.tensors)
    assert refusal(tmp_path, case)[0] == "wrong-tensors"


SIZES = {"width: 64, 128": {"width": 128}, "vocabulary: 256, 300": {"vocabulary": 300}}
FULL = HEADS["assistant_gemma4"].ports.attended["full_attention"]
MAIN_MODELS: list[tuple[str, dict[str, Any], str]] = [
    *((name, changed, detail) for name in ("full", LLAMA, "mtp_qwen3") for detail, changed in SIZES.items()),
    ("full", {"layer_count": 8}, "layers: 7, 8"),
    ("eagle_original", {"layer_count": 13}, "layers: 12, 13"),
    (LLAMA, {"layer_count": 8}, "layers: 9, 8"),
    ("mtp_qwen3", {"layer_count": 5}, "layers: 4, 5"),
    ("assistant_gemma4", {"attended": {}}, "keys and values"),
    (
        "assistant_gemma4",
        {"attended": HEADS["assistant_gemma4"].ports.attended | {FULL.kind: replace(FULL, size=FULL.size * 2)}},
        "keys and values",
    ),
]


@pytest.mark.parametrize(("name", "changed", "detail"), MAIN_MODELS)
def test_a_head_for_another_main_model_is_refused(
    tmp_path: Path, name: str, changed: dict[str, Any], detail: str
) -> None:
    case = HEADS[name]
    other_main = replace(case, ports=replace(case.ports, **changed))
    assert refusal(case.write(tmp_path), other_main) == ("wrong-main", detail)


def test_layers_that_no_main_model_of_this_depth_has_are_refused(tmp_path: Path) -> None:
    """Without ids the layers depend on the depth: with fewer than six layers there are not three."""
    case = HEADS["eagle_default_ids"]
    case = replace(case, config={**case.config, "eagle_config": {}, "num_target_layers": None})
    assert case.bound(tmp_path).taps == eagle_cases.TAPS
    shallow = replace(case, ports=replace(case.ports, layer_count=4))
    assert refusal(tmp_path, shallow) == ("wrong-main", "layers: 4")


def test_heads_of_a_kind_that_is_not_known_say_which(tmp_path: Path) -> None:
    tensors = {"fc.weight": mx.zeros((64, 192)), "layers.0.hidden_norm.weight": mx.ones((64,))}
    write_head(tmp_path, {"hidden_size": 64}, {**tensors, "mask_hidden": mx.zeros((1, 1, 192))})
    assert refusal(tmp_path, HEADS["full"]) == ("unknown-head", "peagle")


def test_missing_shards_are_named(tmp_path: Path) -> None:
    HEADS["full"].write(tmp_path)
    (tmp_path / "model.safetensors").rename(tmp_path / "model-00001-of-00002.safetensors")
    assert refusal(tmp_path, HEADS["full"]) == ("incomplete", "model-00002-of-00002.safetensors")


CALL = b"\x80\x02cos\nsystem\nX\x04\x00\x00\x00true\x85R."
BAD_MASKS: dict[str, tuple[dict[str, bytes | None], str]] = {
    "it calls a function": ({"data.pkl": CALL}, "unsafe"),
    "it is cut off": ({"data/0": b"\0" * 100}, "wrong-tensors"),
    "it is not finite": ({"data/0": b"\xc0\x7f" * cases.WIDTH}, "not-finite"),
    "it is no tensor": ({"data.pkl": b"\x80\x02}X\x01\x00\x00\x00aK\x01s."}, "damaged"),
}


@pytest.mark.parametrize("what", BAD_MASKS)
def test_a_bad_embedding_of_the_mask_is_refused(tmp_path: Path, what: str) -> None:
    changes, reason = BAD_MASKS[what]
    case = HEADS["mimo"]
    written(case.write(tmp_path) / cases.MASK_FILE, changes)
    assert refusal(tmp_path, case)[0] == reason


def test_an_embedding_of_a_mask_that_the_head_does_not_have_is_refused(tmp_path: Path) -> None:
    case = HEADS["mimo"]
    twice = {**case.tensors, "mask_embedding": mx.zeros((cases.WIDTH,))}
    written(write_head(tmp_path / "twice", case.config, twice) / cases.MASK_FILE, {})
    written(HEADS[LLAMA].write(tmp_path / "eagle") / cases.MASK_FILE, {})
    for name in ("twice", "eagle"):
        assert refusal(tmp_path / name, case)[0] == "wrong-tensors", name
