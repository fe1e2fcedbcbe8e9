"""Our MTP heads compute what the published ones do; what is fed wrongly, or fused wrongly, fails a gate."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import mlx.core as mx
import pytest

from engine.errors import ModelNotUsable
from engine.heads.head import HeadProposal, MainPorts
from engine.heads.mtp_head import DepthHead
from tests.engine.heads.golden import mtp_cases
from tests.engine.heads.golden.mtp_cases import CASES, HERE
from tests.engine.heads.heads_on_disk import likeliest, main_ports
from tests.engine.heads.mtp_on_disk import STATES, bound, extend, proposals, propose, published

# Logits reach 5; the references differ from each other by 2e-6.
TOLERANCE = 5e-5
LAST = list(itertools.accumulate(mtp_cases.ROUNDS))


def golden_of(name: str) -> dict[str, mx.array]:
    return mx.load(str(HERE / f"{name}.safetensors"))  # type: ignore[return-value]


def apart(made: list[HeadProposal], golden: dict[str, mx.array]) -> float:
    """The largest difference of any first draft token's logits."""
    rows = mx.stack([golden["logits"][last - 1] for last in LAST])
    return float(mx.abs(mx.stack([proposal.scores[0] for proposal in made]) - rows).max().item())


@pytest.mark.parametrize("name", CASES)
def test_first_tokens_are_those_of_the_reference(tmp_path: Path, name: str) -> None:
    head = bound(tmp_path, CASES[name])
    assert (head.kind, head.taps) == ("mtp", (mtp_cases.MAIN_LAYERS - 1,))
    assert apart(proposals(head, head.new_context()), golden_of(name)) < TOLERANCE


@pytest.mark.parametrize("name", [name for name in CASES if name != "mtp_qwen3"])
def test_chains_are_those_of_the_reference(tmp_path: Path, name: str) -> None:
    head = bound(tmp_path, CASES[name])
    made = mx.stack([proposal.scores for proposal in proposals(head, head.new_context())])
    assert mx.abs(made - golden_of(name)["chains"]).max().item() < TOLERANCE


@pytest.mark.parametrize("name", [name for name, case in CASES.items() if case.prefix == "mtp."])
def test_exports_with_norms_that_were_added_to_1_are_not_added_again(tmp_path: Path, name: str) -> None:
    """mlx-vlm's folders have bare names; packs of MTPLX keep the published ones."""
    case = CASES[name]
    for prefix in ("", "mtp.", "language_model.mtp."):
        added = {
            key: array + int(case.zero_centred and array.ndim == 1) for key, array in published(case, prefix).items()
        }
        head = bound(tmp_path / (prefix or "bare"), case, added)
        assert apart(proposals(head, head.new_context()), golden_of(name)) < TOLERANCE


@pytest.mark.parametrize("name", ["mtp_qwen3", "mtp_qwen3_5_moe"])
def test_a_text_read_anew_is_proposed_for_like_one_read_in_rounds(tmp_path: Path, name: str) -> None:
    head = bound(tmp_path, CASES[name])
    rounds, anew = head.new_context(), head.new_context()
    last = proposals(head, rounds)[-1]
    extend(head, anew, sum(mtp_cases.ROUNDS))
    again = propose(head, anew)
    assert mx.abs(last.scores - again.scores).max().item() < TOLERANCE
    one, other = rounds.state, anew.state
    assert one.keys() == other.keys()
    assert all(mx.allclose(one[key], other[key], rtol=1e-4, atol=1e-5) for key in one)


def swapped_fusion(tensors: dict[str, mx.array]) -> None:
    embedding, state = mx.split(tensors["mtp.fc.weight"], 2, axis=-1)
    tensors["mtp.fc.weight"] = mx.concatenate([state, embedding], axis=-1)


def norm_twice(tensors: dict[str, mx.array]) -> None:
    """1 was added to weights that are factors already."""
    for name in tensors:
        if "norm" in name:
            tensors[name] = tensors[name] + 2


def norms_swapped(tensors: dict[str, mx.array]) -> None:
    one, other = "mtp.pre_fc_norm_embedding.weight", "mtp.pre_fc_norm_hidden.weight"
    tensors[one], tensors[other] = tensors[other], tensors[one]


def gate_and_up_swapped(tensors: dict[str, mx.array]) -> None:
    gate, up = mx.split(tensors["mtp.layers.0.mlp.experts.gate_up_proj"], 2, axis=-2)
    tensors["mtp.layers.0.mlp.experts.gate_up_proj"] = mx.concatenate([up, gate], axis=-2)


@pytest.mark.parametrize("mutant", [swapped_fusion, norm_twice, norms_swapped, gate_and_up_swapped])
def test_damaged_heads_fail_a_gate(tmp_path: Path, mutant: Callable[[dict[str, mx.array]], None]) -> None:
    tensors = published(CASES["mtp_qwen3_5_moe"])
    mutant(tensors)
    head = bound(tmp_path, CASES["mtp_qwen3_5_moe"], tensors)
    assert apart(proposals(head, head.new_context()), golden_of("mtp_qwen3_5_moe")) > 100 * TOLERANCE


STEP = CASES["mtp_step3p5"]


def test_the_layers_of_a_head_are_described_behind_those_of_the_main_model_or_like_its_last_sliding_one(
    tmp_path: Path,
) -> None:
    lists = ("layer_types", "rope_theta", "partial_rotary_factors")
    shorter = {**STEP.text, **{name: STEP.text[name][: mtp_cases.MAIN_LAYERS] for name in lists}}
    head = bound(tmp_path / "like", replace(STEP, text=shorter))
    assert apart(proposals(head, head.new_context()), golden_of("mtp_step3p5")) < TOLERANCE
    for name, value in (("layer_types", ["sliding_attention"]), ("rope_theta", [1e4]), ("layer_types", [1] * 9)):
        with pytest.raises(ModelNotUsable, match=name):
            bound(tmp_path / "wrong", replace(STEP, text={**STEP.text, name: value}))


@pytest.mark.parametrize("added", [0, 1])
def test_a_head_with_a_layer_a_depth_loads_as_mtplx_packs_it(tmp_path: Path, added: int) -> None:
    names = {"transformer.shared_head.norm": "shared_head_norm", "transformer.shared_head.output": "shared_head_head"}
    fusion, packed = ("enorm", "hnorm", "eh_proj"), {}
    for name, array in published(STEP).items():
        index, part = name.removeprefix("model.layers.").split(".", 1)
        stem, leaf = part.rsplit(".", 1)
        stem = names.get(stem, stem if stem in fusion else f"mtp_block.{stem}")
        key = f"mtp.layers.{int(index) - mtp_cases.MAIN_LAYERS}.{stem}.{leaf}"
        packed[key] = array + int(added and array.ndim == 1)
    head = bound(tmp_path, STEP, packed)
    made = mx.stack([proposal.scores for proposal in proposals(head, head.new_context())])
    assert mx.abs(made - golden_of("mtp_step3p5")["chains"]).max().item() < TOLERANCE


def layers_of_depths_swapped(tensors: dict[str, mx.array]) -> None:
    for name in [name for name in tensors if ".5." in name]:
        other = name.replace(".5.", ".6.")
        tensors[name], tensors[other] = tensors[other], tensors[name]


def outputs_swapped(tensors: dict[str, mx.array]) -> None:
    one, other = (f"model.layers.{index}.transformer.shared_head.output.weight" for index in (4, 5))
    tensors[one], tensors[other] = tensors[other], tensors[one]


def fusions_of_depths_swapped(tensors: dict[str, mx.array]) -> None:
    for index in range(4, 7):
        name = f"model.layers.{index}.eh_proj.weight"
        tensors[name] = mx.concatenate(mx.split(tensors[name], 2, axis=-1)[::-1], axis=-1)


@pytest.mark.parametrize("mutant", [layers_of_depths_swapped, outputs_swapped, fusions_of_depths_swapped])
def test_damaged_heads_with_a_layer_a_depth_fail_a_gate(
    tmp_path: Path, mutant: Callable[[dict[str, mx.array]], None]
) -> None:
    tensors = published(STEP)
    mutant(tensors)
    head = bound(tmp_path, STEP, tensors)
    made = mx.stack([proposal.scores for proposal in proposals(head, head.new_context())])
    assert mx.abs(made - golden_of("mtp_step3p5")["chains"]).max().item() > 100 * TOLERANCE


def test_a_head_with_a_layer_a_depth_reads_states_before_the_last_norm(tmp_path: Path) -> None:
    head = bound(tmp_path, STEP)
    plain = main_ports(mtp_cases.MAIN_LAYERS)
    head.bind(replace(plain, final_norm=lambda rows: rows * 0.5 + 1.0))
    assert head.max_proposals == mtp_cases.STEP_LAYERS
    assert apart(proposals(head, head.new_context()), golden_of("mtp_step3p5")) < TOLERANCE


@pytest.mark.parametrize("name", ["mtp_step3p5", "mtp_mimo_v2_flash"])
def test_layers_for_later_tokens_have_all_rows_also_after_rounds_that_asked_for_fewer(
    tmp_path: Path, name: str
) -> None:
    head = bound(tmp_path, CASES[name])
    context = head.new_context()
    for count, rows in zip((1, 2, 1, 3), mtp_cases.ROUNDS, strict=True):
        extend(head, context, rows)
        made = propose(head, context, count)
    assert mx.abs(made.scores - golden_of(name)["chains"][-1]).max().item() < TOLERANCE


@pytest.mark.parametrize("name", ["mtp_step3p5", "mtp_mimo_v2_flash"])
def test_a_prompt_read_at_once_has_the_rows_of_one_read_in_pieces(tmp_path: Path, name: str) -> None:
    """More rows than wait for the next proposal are read by all layers."""
    head = bound(tmp_path, CASES[name])
    states, tokens = mx.concatenate([STATES] * 3, axis=1), mtp_cases.TOKENS[:-1] * 3
    whole, pieces = head.new_context(), head.new_context()
    head.extend(whole, states, tokens)
    assert whole.state["span"].tolist() == [0, len(tokens) - mtp_cases.STEP_LAYERS]
    anchor = mx.array([7], mx.int32)
    for start in range(0, len(tokens), 5):
        head.extend(pieces, states[:, start : start + 5], tokens[start : start + 5])
        one = head.propose(pieces, anchor, 2, likeliest)
    assert mx.allclose(one.scores, head.propose(whole, anchor, 2, likeliest).scores, atol=TOLERANCE)
    assert all(mx.allclose(whole.state[key], pieces.state[key], rtol=1e-4, atol=1e-5) for key in whole.state)


MIMO_V2 = CASES["mtp_mimo_v2_flash"]


def fed_by_the_layer_before(head: DepthHead) -> None:
    head.config = replace(head.config, family=replace(head.config.family, all_read_main=False))


def states_before_the_last_norm(head: DepthHead) -> None:
    head.bind(replace(main_ports(mtp_cases.MAIN_LAYERS), final_norm=lambda rows: rows * 0.5 + 1.0))


def window_as_mlx_lm_s_main_model_has_it(head: DepthHead) -> None:
    for part in head.network.depths:
        part._window -= 1


def sinks_forgotten(head: DepthHead) -> None:
    for part in head.network.depths:
        part.layers[0].self_attn.attention_sink_bias = mx.full((mtp_cases.HEADS,), -1e9)


def layers_in_another_order(head: DepthHead) -> None:
    head.network.depths = head.network.depths[::-1]


@pytest.mark.parametrize(
    "mutant",
    [
        fed_by_the_layer_before,
        states_before_the_last_norm,
        window_as_mlx_lm_s_main_model_has_it,
        sinks_forgotten,
        layers_in_another_order,
    ],
)
def test_a_head_of_mimo_v2_that_is_read_otherwise_fails_a_gate(
    tmp_path: Path, mutant: Callable[[DepthHead], None]
) -> None:
    head = bound(tmp_path, MIMO_V2)
    assert isinstance(head, DepthHead)
    mutant(head)
    made = mx.stack([proposal.scores for proposal in proposals(head, head.new_context())])
    assert mx.abs(made - golden_of("mtp_mimo_v2_flash")["chains"]).max().item() > 100 * TOLERANCE


@pytest.mark.parametrize(
    ("name", "value"), [("swa_head_dim", -1), ("swa_num_key_value_heads", 3), ("sliding_window_size", 0)]
)
def test_settings_of_mimo_v2_that_cannot_be_are_refused(tmp_path: Path, name: str, value: int) -> None:
    with pytest.raises(ModelNotUsable):
        bound(tmp_path, replace(MIMO_V2, text={**MIMO_V2.text, name: value}))


def test_states_of_the_position_before_fail_a_gate(tmp_path: Path) -> None:
    head = bound(tmp_path, CASES["mtp_qwen3_5"])
    assert apart(proposals(head, head.new_context(), late=1), golden_of("mtp_qwen3_5")) > 100 * TOLERANCE


def test_states_before_the_last_norm_fail_a_gate(tmp_path: Path) -> None:
    """The head reads what the last norm makes of the tap, and not the tap."""
    head = bound(tmp_path, CASES["mtp_qwen3_5"])
    plain = main_ports(mtp_cases.MAIN_LAYERS)
    head.bind(
        MainPorts(
            plain.embed, plain.logits, lambda rows: rows * 0.5 + 1.0, plain.layer_count, plain.width, plain.vocabulary
        )
    )
    assert apart(proposals(head, head.new_context()), golden_of("mtp_qwen3_5")) > 100 * TOLERANCE


def test_tokens_off_by_one_fail_a_gate(tmp_path: Path) -> None:
    head = bound(tmp_path, CASES["mtp_qwen3_5"])
    context = head.new_context()
    tokens = mtp_cases.TOKENS
    for rows in mtp_cases.ROUNDS:
        start = context.length
        head.extend(context, STATES[:, start : start + rows], (0, *tokens)[start : start + rows])
    made = propose(head, context)
    assert mx.abs(made.scores[0] - golden_of("mtp_qwen3_5")["logits"][-1]).max().item() > 100 * TOLERANCE
