"""Our networks compute what the published ones do: every head of golden/cases.py against its golden tensors.

The mutants show that the gates close: each damages one thing that acceptance hardly notices.
"""

from __future__ import annotations

import copy
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import mlx.core as mx
import pytest

from engine.errors import ModelNotUsable
from engine.heads.head import Head, HeadContext, HeadProposal
from engine.heads.loading import load_head
from tests.engine.heads.golden import cases
from tests.engine.heads.golden.cases import CASES, HERE, Case
from tests.engine.heads.heads_on_disk import (
    extend,
    head_of,
    likeliest,
    main_ports,
    proposals,
    taps_between,
    tensors_of,
    write_head,
)

# Logits reach 5; references differ among each other by as much (README.md of tests/tools/golden_heads).
TOLERANCE = 5e-5


def golden_of(name: str) -> dict[str, mx.array]:
    return mx.load(str(HERE / f"{CASES[name].golden or name}.safetensors"))  # type: ignore[return-value]


def distance(made: list[HeadProposal], golden: dict[str, mx.array]) -> float:
    """The largest difference of any number; infinite where tokens differ."""
    scores = mx.stack([proposal.scores for proposal in made])
    apart = []
    if "logits" in golden:
        apart.append(mx.abs(scores - golden["logits"]).max())
    if "probabilities" in golden:
        ids = mx.stack([proposal.ids for proposal in made])
        order = mx.argsort(ids, axis=-1)
        if not mx.array_equal(mx.take_along_axis(ids, order, axis=-1), golden["ids"]):
            return float("inf")
        apart.append(mx.abs(mx.take_along_axis(mx.softmax(scores, -1), order, -1) - golden["probabilities"]).max())
    if "confidence" in golden:
        apart.append(mx.abs(mx.stack([proposal.confidence for proposal in made]) - golden["confidence"]).max())
    if "tokens" in golden and not mx.array_equal(mx.stack([proposal.tokens for proposal in made]), golden["tokens"]):
        return float("inf")
    return float(mx.stack(apart).max().item())


@pytest.mark.parametrize("name", CASES)
def test_logits_are_those_of_the_reference(tmp_path: Path, name: str) -> None:
    case = CASES[name]
    head = head_of(tmp_path, case)
    assert head.taps == case.extra.get("taps", cases.TAPS)
    assert distance(proposals(head, head.new_context(), case.rounds), golden_of(name)) < TOLERANCE


def test_reduced_vocabularies_propose_ids_of_the_main_model(tmp_path: Path) -> None:
    head = head_of(tmp_path, CASES["speculators"])
    chosen = set((mx.load(str(cases.WEIGHTS))["reduced.d2t"] + mx.arange(cases.DRAFTED)).tolist())  # type: ignore[index]
    for proposal in proposals(head, head.new_context(), cases.FEW_ROUNDS):
        assert proposal.ids is not None
        assert set(proposal.ids[0].tolist()) == chosen
        assert mx.array_equal(proposal.tokens, likeliest(0, proposal.scores, proposal.ids))


@pytest.mark.parametrize("name", ["full_causal", "sliding", "dspark_rnn", "dflash2", "domino"])
@pytest.mark.parametrize("count", [1, 4])
def test_fewer_masks_give_so_many_tokens(tmp_path: Path, name: str, count: int) -> None:
    head = head_of(tmp_path, CASES[name])
    made = proposals(head, head.new_context(), cases.FEW_ROUNDS, count)
    assert all(proposal.tokens.shape == (count,) for proposal in made)
    if name in ("full_causal", "sliding"):
        # Rows of a causal block do not see those behind them.
        golden = golden_of(name)["logits"][: len(made), :count]
        assert mx.abs(mx.stack([proposal.scores for proposal in made]) - golden).max().item() < TOLERANCE


@pytest.mark.parametrize("name", ["full", "mixed", "laguna"])
def test_the_context_after_rounds_is_that_of_reading_the_text_anew(tmp_path: Path, name: str) -> None:
    head = head_of(tmp_path, CASES[name])
    rounds, anew = head.new_context(), head.new_context()
    proposals(head, rounds, cases.ROUNDS)
    extend(head, anew, sum(cases.ROUNDS))
    assert rounds.length == anew.length == sum(cases.ROUNDS)
    assert rounds.state.keys() == anew.state.keys()
    for key, array in rounds.state.items():
        assert mx.allclose(array, anew.state[key], rtol=1e-4, atol=1e-5), key


def wrong_tap(head: Head, context: HeadContext, rows: int) -> None:
    start = context.length
    taps = taps_between(start, start + rows)
    first, second, third = mx.split(taps, 3, axis=-1)
    head.extend(context, mx.concatenate([second, first, third], axis=-1), [0] * rows)


def gap_in_context(head: Head, context: HeadContext, rows: int) -> None:
    start = context.length
    head.extend(context, taps_between(start, start + rows)[:, : max(1, rows - 1)], [0] * rows)


def one_position_late(head: Head, context: HeadContext, rows: int) -> None:
    if context.length == 0:
        extend(head, context, 1)
    extend(head, context, rows)


def with_mutant(head: Head, mutant: Callable[[Head, HeadContext, int], None], case: Case) -> list[HeadProposal]:
    made, context = [], head.new_context()
    for rows, anchor in zip(case.rounds, cases.ANCHORS, strict=False):
        mutant(head, context, rows)
        made.append(head.propose(context, mx.array([anchor], mx.int32), head.max_proposals, likeliest))
    return made


@pytest.mark.parametrize("mutant", [wrong_tap, gap_in_context, one_position_late])
@pytest.mark.parametrize("name", ["full", "sliding", "dspark_vanilla"])
def test_wrongly_fed_heads_fail_a_gate(
    tmp_path: Path, name: str, mutant: Callable[[Head, HeadContext, int], None]
) -> None:
    head = head_of(tmp_path, CASES[name])
    assert distance(with_mutant(head, extend, CASES[name]), golden_of(name)) < TOLERANCE
    assert distance(with_mutant(head, mutant, CASES[name]), golden_of(name)) > 100 * TOLERANCE


@pytest.mark.parametrize("norm", ["hidden_norm", "norm", "layers.1.input_layernorm", "layers.2.self_attn.k_norm"])
def test_a_norm_without_its_weights_fails_a_gate(tmp_path: Path, norm: str) -> None:
    case = CASES["full"]
    tensors = tensors_of(case)
    tensors[f"{norm}.weight"] = mx.ones_like(tensors[f"{norm}.weight"])
    head = load_head(write_head(tmp_path, case.config, tensors))
    head.bind(main_ports())
    assert distance(proposals(head, head.new_context(), case.rounds), golden_of("full")) > 100 * TOLERANCE


@pytest.mark.parametrize("part", ["pre_feedforward_layernorm.weight", "layer_scalar"])
def test_a_part_of_gemmas_layers_left_out_fails_a_gate(tmp_path: Path, part: str) -> None:
    case, name = CASES["dspark_gemma"], f"model.layers.1.{part}"
    tensors = tensors_of(case)
    tensors[name] = mx.ones_like(tensors[name])
    head = load_head(write_head(tmp_path, case.config, tensors))
    head.bind(main_ports())
    assert distance(proposals(head, head.new_context(), case.rounds), golden_of("dspark_gemma")) > 100 * TOLERANCE


MIMO_MUTANTS: dict[str, Callable[[Path, dict[str, Any], dict[str, mx.array]], None]] = {
    "values are not scaled": lambda _, config, __: config["dflash_config"].update(attention_value_scale=1.0),
    "positions turn all numbers": lambda _, config, __: config.update(partial_rotary_factor=1.0),
    "the main model's embedding of the mask": lambda folder, _, __: (folder / cases.MASK_FILE).unlink(),
    "no sinks": lambda _, __, tensors: tensors.update({name: mx.full((cases.HEADS,), -1e9) for name in cases.SINKS}),
}


@pytest.mark.parametrize("mutant", MIMO_MUTANTS)
def test_a_part_of_mimos_heads_left_out_fails_a_gate(tmp_path: Path, mutant: str) -> None:
    case = CASES["mimo"]
    config, tensors = copy.deepcopy(dict(case.config)), tensors_of(case)
    shutil.copy(HERE / cases.MASK_FILE, tmp_path)
    MIMO_MUTANTS[mutant](tmp_path, config, tensors)
    head = load_head(write_head(tmp_path, config, tensors))
    head.bind(main_ports())
    assert distance(proposals(head, head.new_context(), case.rounds), golden_of("mimo")) > 100 * TOLERANCE


def test_gemmas_layers_of_two_kinds_are_refused(tmp_path: Path) -> None:
    """Theirs would have heads of two sizes; none is published."""
    case = CASES["dspark_gemma"]
    config = {**case.config, "layer_types": cases.MIXED, "sliding_window": cases.WINDOW}
    with pytest.raises(ModelNotUsable, match="layer_types"):
        load_head(write_head(tmp_path, config, tensors_of(case)))


def test_positions_off_by_one_fail_a_gate(tmp_path: Path) -> None:
    """Rotary positions are relative: a text that starts elsewhere is the same, a block that does is not."""
    head, golden = head_of(tmp_path, CASES["full"]), golden_of("full")["logits"][0]
    anchor = mx.array([cases.ANCHORS[0]], mx.int32)

    def apart(context: HeadContext) -> float:
        made = head.propose(context, anchor, head.max_proposals, likeliest)
        return float(mx.abs(made.scores - golden).max().item())

    near, far = head.new_context(), head.new_context(start=1000)
    for context in (near, far):
        head.extend(context, taps_between(0, cases.ROUNDS[0]), [0] * cases.ROUNDS[0])
        assert apart(context) < 10 * TOLERANCE
    assert (far.start, far.length) == (1000, 1000 + cases.ROUNDS[0])
    state = near.state
    assert apart(head.restore(state)) < TOLERANCE
    assert apart(head.restore(state | {"spans": state["spans"] + 1})) > 100 * TOLERANCE
