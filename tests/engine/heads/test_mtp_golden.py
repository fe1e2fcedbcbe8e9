"""Our MTP heads compute what the published ones do; what is fed wrongly, or fused wrongly, fails a gate."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from pathlib import Path

import mlx.core as mx
import pytest

from engine.heads.head import HeadProposal, MainPorts
from tests.engine.heads.golden import mtp_cases
from tests.engine.heads.golden.mtp_cases import CASES, HERE
from tests.engine.heads.heads_on_disk import main_ports
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
