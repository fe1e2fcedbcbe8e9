"""Our EAGLE-3 heads compute what the published ones do: every head of golden/eagle_cases.py against its golden tensors.

The mutants show that the gates close: each damages one thing that acceptance hardly notices.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import mlx.core as mx
import pytest

from engine.errors import ModelNotUsable
from engine.heads.head import HeadProposal
from tests.engine.heads.eagle_on_disk import TAPS, TOKENS, bound, extend, proposals, propose, tensors_of
from tests.engine.heads.golden import eagle_cases
from tests.engine.heads.golden.eagle_cases import CASES, HERE
from tests.engine.heads.heads_on_disk import likeliest

# Logits reach 6, in one case 28; references differ among each other by 3e-6.
TOLERANCE = 5e-5


def golden_of(name: str) -> mx.array:
    return mx.load(str(HERE / f"{CASES[name].golden or name}.safetensors"))["logits"]  # type: ignore[index,return-value]


def apart(made: list[HeadProposal], golden: mx.array) -> float:
    """The largest difference of any logit, of the first round's that were made."""
    return float(mx.abs(mx.stack([proposal.scores for proposal in made]) - golden[: len(made)]).max().item())


@pytest.mark.parametrize("name", CASES)
def test_logits_are_those_of_the_reference(tmp_path: Path, name: str) -> None:
    head = bound(tmp_path, CASES[name])
    assert head.taps == eagle_cases.TAPS
    assert apart(proposals(head, head.new_context()), golden_of(name)) < TOLERANCE * (6 if "plain" in name else 1)


@pytest.mark.parametrize("name", ["eagle_llama", "eagle_qwen3", "eagle_3_1", "eagle_two_layers", "eagle_sliding"])
def test_a_text_read_anew_leaves_what_rounds_leave(tmp_path: Path, name: str) -> None:
    head = bound(tmp_path, CASES[name])
    rounds, anew = head.new_context(), head.new_context()
    last = proposals(head, rounds)[-1]
    extend(head, anew, sum(eagle_cases.ROUNDS))
    again = propose(head, anew)
    assert mx.abs(last.scores - again.scores).max().item() < TOLERANCE
    assert rounds.length == anew.length == sum(eagle_cases.ROUNDS)
    one, other = rounds.state, anew.state
    assert one.keys() == other.keys()
    assert all(mx.allclose(one[key], other[key], rtol=1e-4, atol=1e-5) for key in one)


def test_a_stored_context_proposes_the_same(tmp_path: Path) -> None:
    head = bound(tmp_path, CASES["eagle_llama"])
    context = head.new_context()
    for rows in (11, 3):
        extend(head, context, rows)
        propose(head, context)
    mx.save_safetensors(str(tmp_path / "state.safetensors"), context.state)
    restored = head.restore(mx.load(str(tmp_path / "state.safetensors")))  # type: ignore[arg-type]
    assert (restored.start, restored.length) == (0, 14)
    for one in (context, restored):
        extend(head, one, 1)
    assert mx.array_equal(propose(head, context).scores, propose(head, restored).scores)


def test_reduced_vocabularies_propose_ids_of_the_main_model(tmp_path: Path) -> None:
    head = bound(tmp_path, CASES["eagle_llama"])
    offsets = tensors_of(CASES["eagle_llama"])["d2t"]
    chosen = (offsets + mx.arange(eagle_cases.DRAFTED)).tolist()
    context = head.new_context()
    extend(head, context, 11)
    made = head.propose(context, mx.array([TOKENS[11]], mx.int32), 8, likeliest)
    assert made.ids is not None
    assert made.ids[0].tolist() == chosen
    best = mx.argmax(made.scores, axis=-1).tolist()
    assert made.tokens.tolist() == [chosen[column] for column in best]  # type: ignore[index,union-attr]


def test_ids_that_can_mean_two_things_are_both_known(tmp_path: Path) -> None:
    """Ids that begin with 2 are commonly inputs of layers, those that begin with 1 outputs."""
    inputs = bound(tmp_path / "a", CASES["eagle_original"])
    outputs = bound(tmp_path / "b", CASES["eagle_ids_of_outputs"])
    sure = bound(tmp_path / "c", CASES["eagle_llama"])
    choices = [head.config.tap_choices for head in (inputs, outputs, sure)]  # type: ignore[attr-defined]
    assert choices == [((1, 5, 8), (2, 6, 9)), ((1, 5, 8), (0, 4, 7)), ((1, 5, 8),)]


def wrong_tap_order(tensors: dict[str, mx.array]) -> None:
    first, second, third = mx.split(tensors["fc.weight"], 3, axis=-1)
    tensors["fc.weight"] = mx.concatenate([second, first, third], axis=-1)


def embedding_and_state_swapped(tensors: dict[str, mx.array]) -> None:
    for name in ("q_proj", "k_proj", "v_proj"):
        key = f"layers.0.self_attn.{name}.weight"
        one, other = mx.split(tensors[key], 2, axis=-1)
        tensors[key] = mx.concatenate([other, one], axis=-1)


def without(norm: str) -> Callable[[dict[str, mx.array]], None]:
    def mutant(tensors: dict[str, mx.array]) -> None:
        tensors[f"{norm}.weight"] = mx.ones_like(tensors[f"{norm}.weight"])

    return mutant


NORMS = ("layers.0.hidden_norm", "layers.0.input_layernorm", "layers.0.post_attention_layernorm", "norm", "fc_norm.1")


@pytest.mark.parametrize(
    "mutant", [wrong_tap_order, embedding_and_state_swapped, *map(without, NORMS)], ids=["taps", "fusion", *NORMS]
)
def test_damaged_heads_fail_a_gate(tmp_path: Path, mutant: Callable[[dict[str, mx.array]], None]) -> None:
    tensors = tensors_of(CASES["eagle_3_1"])
    mutant(tensors)
    head = bound(tmp_path, CASES["eagle_3_1"], tensors)
    assert apart(proposals(head, head.new_context()), golden_of("eagle_3_1")) > 100 * TOLERANCE


@pytest.mark.parametrize("flag", ["norm_output", "norm_before_residual"])
def test_a_flag_that_is_not_heeded_fails_a_gate(tmp_path: Path, flag: str) -> None:
    case = CASES["eagle_3_1"]
    head = bound(tmp_path, eagle_cases.EagleCase({**case.config, flag: False}, case.shapes))
    made = proposals(head, head.new_context())
    later = mx.stack([proposal.scores for proposal in made])[:, 1:]
    assert mx.abs(later - golden_of("eagle_3_1")[:, 1:]).max().item() > 100 * TOLERANCE


@pytest.mark.parametrize("name", ["eagle_llama", "eagle_sliding"])
def test_taps_of_the_position_before_fail_a_gate(tmp_path: Path, name: str) -> None:
    head = bound(tmp_path, CASES[name])
    assert apart(proposals(head, head.new_context(), late=1), golden_of(name)) > 100 * TOLERANCE


def test_tokens_off_by_one_fail_a_gate(tmp_path: Path) -> None:
    head = bound(tmp_path, CASES["eagle_llama"])
    context = head.new_context()
    for rows in eagle_cases.ROUNDS:
        start = context.length
        head.extend(context, TAPS[:, start : start + rows], (0, *TOKENS)[start : start + rows])
    made = propose(head, context)
    assert mx.abs(made.scores - golden_of("eagle_llama")[-1]).max().item() > 100 * TOLERANCE


def test_a_vocabulary_of_absolute_ids_is_refused(tmp_path: Path) -> None:
    """d2t holds distances: ids in their place are beyond the vocabulary, and must never reach an index."""
    tensors = tensors_of(CASES["eagle_llama"])
    tensors["d2t"] = tensors["d2t"] + mx.arange(eagle_cases.DRAFTED)
    with pytest.raises(ModelNotUsable) as refused:
        bound(tmp_path, CASES["eagle_llama"], tensors)
    assert (refused.value.reason, refused.value.detail) == ("wrong-tensors", "d2t")


def test_draft_tokens_leave_nothing_in_the_context(tmp_path: Path) -> None:
    head = bound(tmp_path, CASES["eagle_two_layers"])
    context = head.new_context()
    extend(head, context, 11)
    first, second = propose(head, context, 8), propose(head, context, 8)
    assert mx.allclose(first.scores, second.scores, atol=TOLERANCE)
    assert context.length == 11


@pytest.mark.parametrize("length", [1, 32, 300, 700])
def test_contexts_take_no_more_memory_than_is_reckoned(tmp_path: Path, length: int) -> None:
    head = bound(tmp_path, CASES["eagle_two_layers"])
    context = head.new_context()
    taps = mx.zeros((1, 512, TAPS.shape[-1]))
    while context.length < length:
        rows = min(512, length - context.length)
        head.extend(context, taps[:, :rows], [1] * rows)
        head.propose(context, mx.array([1], mx.int32), 8, likeliest)
        assert 0 < context.nbytes <= head.context_bytes(length)
