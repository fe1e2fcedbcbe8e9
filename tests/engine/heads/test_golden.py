"""Our networks compute what the published ones do: every head of golden/*cases.py against its golden tensors."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import mlx.core as mx
import pytest

from tests.engine.heads.golden import cases, eagle_cases, mtp_cases
from tests.engine.heads.heads_on_disk import BLOCK, CASES, HEADS, OnDisk, likeliest, on_disk, tensors_of, zero_centred

# Logits reach 6, in one case 28; references differ as much among each other (README.md of tests/tools/golden_heads).
TOLERANCE = 5e-5
FAR = 100 * TOLERANCE
QWEN, STEP, GEMMA, OUTPUT = "mtp_qwen3_5_moe", "mtp_step3p5", "assistant_gemma4", "transformer.shared_head.output"
MIMO_V2, ORDERED = "mtp_mimo_v2_flash", "assistant_gemma4_ordered"


# Their layers are those of other cases, with other sizes.
REPEATED = ("mtp_deepseek_v3", "mtp_glm4_moe_lite", "mtp_glm_moe_dsa", "mtp_qwen3_5", "eagle_fc_norm", "dspark_vanilla")
ALL = [pytest.param(name, marks=pytest.mark.full) if name in REPEATED else name for name in HEADS]


@pytest.mark.parametrize("name", ALL)
def test_heads_compute_what_their_references_do(tmp_path: Path, name: str) -> None:
    case = HEADS[name]
    head = case.bound(tmp_path)
    assert head.taps == case.reads
    assert case.apart(case.proposals(head)) < TOLERANCE * (6 if name == "eagle_plain_output" else 1)


@pytest.mark.parametrize("name", ["speculators", "eagle_llama"])
def test_reduced_vocabularies_propose_ids_of_the_main_model(tmp_path: Path, name: str) -> None:
    case = replace(HEADS[name], told=False)
    drafted = cases.DRAFTED if name == "speculators" else eagle_cases.DRAFTED
    chosen = set((case.tensors["d2t"] + mx.arange(drafted)).tolist())  # type: ignore[arg-type]
    for proposal in case.proposals(case.bound(tmp_path)):
        assert proposal.ids is not None
        assert set(proposal.ids[0].tolist()) == chosen  # type: ignore[arg-type]
        assert mx.array_equal(proposal.tokens, likeliest(0, proposal.scores, proposal.ids))


@pytest.mark.parametrize("name", ["full_causal", "sliding", "dspark_rnn", "dflash2", "domino"])
@pytest.mark.parametrize("count", [1, 4])
def test_fewer_masks_give_as_many_tokens(tmp_path: Path, name: str, count: int) -> None:
    case = replace(HEADS[name], rounds=cases.FEW_ROUNDS, steps=count)
    made = case.proposals(case.bound(tmp_path))
    assert all(proposal.tokens.shape == (count,) for proposal in made)
    if name in ("full_causal", "sliding"):
        # Rows of a causal block do not see later ones.
        assert case.apart(made) < TOLERANCE


@pytest.mark.first
def test_ids_that_can_mean_two_things_are_both_known(tmp_path: Path) -> None:
    """Ids that begin with 2 are commonly inputs of layers, those that begin with 1 outputs."""
    names = ("eagle_original", "eagle_ids_of_outputs", "eagle_llama")
    choices = [HEADS[name].bound(tmp_path / name).readings for name in names]
    assert choices == [((1, 5, 8), (2, 6, 9)), ((1, 5, 8), (0, 4, 7)), ((1, 5, 8),)]


def ports(case: OnDisk, **changes: Any) -> OnDisk:
    return replace(case, ports=replace(case.ports, **changes))


def normed_otherwise(case: OnDisk) -> OnDisk:
    return ports(case, final_norm=lambda rows: rows * 0.5 + 1.0)


@pytest.mark.parametrize("name", ["mtp_qwen3_5", MIMO_V2, GEMMA])
def test_states_are_normed_by_the_main_model(tmp_path: Path, name: str) -> None:
    case = normed_otherwise(HEADS[name])
    assert case.apart(case.proposals(case.bound(tmp_path))) > FAR


def test_positions_off_by_one_fail_a_gate(tmp_path: Path) -> None:
    """Rotary positions are relative: only the distance between text and block counts."""
    case = replace(HEADS["full"], rounds=cases.ROUNDS[:1])
    head, rows = case.bound(tmp_path), cases.ROUNDS[0]
    anchor = mx.array([case.tokens[rows]], mx.int32)
    near, far = head.new_context(), head.new_context(start=1000)
    for context in (near, far):
        head.extend(context, BLOCK["taps"][:, :rows], [0] * rows)
        assert case.apart([head.propose(context, anchor, head.max_proposals, likeliest)]) < 10 * TOLERANCE
    assert (far.start, far.length) == (1000, 1000 + rows)
    state = near.state
    assert case.apart([case.propose(head, head.restore(state))]) < TOLERANCE
    moved = head.restore(state | {"spans": state["spans"] + 1})
    assert case.apart([head.propose(moved, anchor, head.max_proposals, likeliest)]) > FAR


FURTHER = [name for name, case in mtp_cases.CASES.items() if case.prefix == "mtp." and name != QWEN]


@pytest.mark.parametrize("name", [QWEN, *(pytest.param(name, marks=pytest.mark.full) for name in FURTHER)])
def test_exports_with_norms_that_were_added_to_1_are_not_added_again(tmp_path: Path, name: str) -> None:
    """mlx-vlm's folders have bare names; packs of MTPLX keep the published ones."""
    mtp = mtp_cases.CASES[name]
    for prefix in ("", "mtp.", "language_model.mtp."):
        tensors = tensors_of(replace(mtp, prefix=prefix))
        tensors = {key: array + zero_centred(mtp, array) for key, array in tensors.items()}
        case = replace(HEADS[name], tensors=tensors)
        assert case.apart(case.proposals(case.bound(tmp_path / (prefix or "bare")))) < TOLERANCE


def test_the_layers_of_a_head_may_be_described_like_the_main_model_s_last_sliding_one(tmp_path: Path) -> None:
    step = mtp_cases.CASES[STEP]
    lists = ("layer_types", "rope_theta", "partial_rotary_factors")
    shorter = {**step.text, **{name: step.text[name][: mtp_cases.MAIN_LAYERS] for name in lists}}
    case = on_disk(replace(step, text=shorter), STEP)
    assert case.apart(case.proposals(case.bound(tmp_path))) < TOLERANCE


@pytest.mark.parametrize("more", [0, 1])
def test_a_head_with_a_layer_a_depth_loads_as_mtplx_packs_it(tmp_path: Path, more: int) -> None:
    names = {"transformer.shared_head.norm": "shared_head_norm", OUTPUT: "shared_head_head"}
    fusion, packed = ("enorm", "hnorm", "eh_proj"), {}
    for name, array in HEADS[STEP].tensors.items():
        index, part = name.removeprefix("model.layers.").split(".", 1)
        stem, leaf = part.rsplit(".", 1)
        stem = names.get(stem, stem if stem in fusion else f"mtp_block.{stem}")
        key = f"mtp.layers.{int(index) - mtp_cases.MAIN_LAYERS}.{stem}.{leaf}"
        packed[key] = array + int(more and array.ndim == 1)
    case = replace(HEADS[STEP], tensors=packed)
    assert case.apart(case.proposals(case.bound(tmp_path))) < TOLERANCE


@pytest.mark.parametrize("name", [name for name in CASES if name.startswith("assistant")])
def test_the_chance_of_a_text_is_that_of_each_of_its_first_draft_tokens(tmp_path: Path, name: str) -> None:
    """One pass with masks gives the same as rounds of one row, for both positions that queries may have."""
    case = replace(HEADS[name], steps=1)
    head, count = case.bound(tmp_path), 10
    answers = mx.array([7 * index % 256 for index in range(count - 1)])
    for reading in head.readings:
        head.use(reading)
        context, chances = head.new_context(), []
        for index in range(count - 1):
            case.extend(head, context, 1)
            made = case.propose(head, context)
            row = made.scores[0] - mx.logsumexp(made.scores[0])
            ids = mx.arange(256) if made.ids is None else made.ids[0]
            chances += [row[column].item() for column in range(row.size) if ids[column].item() == answers[index].item()]
        found = head.log_chance(case.taps[:, :count], case.tokens[:count], answers).item()
        assert found == pytest.approx(sum(chances) / max(1, len(chances)), abs=1e-4)
