"""Our assistants of Gemma 4 compute what transformers' do; what is fed wrongly fails a gate."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import mlx.core as mx
import pytest

from engine.errors import ModelNotUsable
from engine.heads.assistant_network import AssistantHead
from engine.heads.context import Rows
from engine.heads.head import Attended, HeadContext, HeadProposal, MainPorts
from engine.heads.loading import load_head
from tests.engine.heads.golden import assistant_cases, mtp_cases
from tests.engine.heads.golden.assistant_cases import CASES, HERE, AssistantCase
from tests.engine.heads.heads_on_disk import likeliest, main_ports, write_head
from tests.engine.heads.mtp_on_disk import STATES

TOLERANCE = 5e-5
SHARED: dict[str, mx.array] = mx.load(str(assistant_cases.WEIGHTS))  # type: ignore[assignment]
PLAIN = CASES["assistant_gemma4"]


def published(case: AssistantCase) -> dict[str, mx.array]:
    tensors = {name: SHARED[name].astype(mx.float32) for name in case.tensors}
    return tensors | ({"masked_embedding.token_ordering": SHARED["token_ordering"]} if case.ordered else {})


def read(kind: str, rows: mx.array, start: int) -> Rows:
    """The golden keys and values, whatever the layer is given."""
    keys, values = (SHARED[f"{kind}.{part}"].astype(mx.float32) for part in ("keys", "values"))
    stop = start + rows.shape[1]
    return keys[:, :, start:stop], values[:, :, start:stop]


def ports() -> MainPorts:
    attended = {}
    for kind, layer in assistant_cases.ATTENDED.items():
        shape = SHARED[f"{kind}.keys"].shape
        window = assistant_cases.WINDOW if kind == "sliding_attention" else None
        attended[kind] = Attended(kind, layer, window, shape[1], shape[3], partial(read, kind))
    return replace(main_ports(mtp_cases.MAIN_LAYERS), attended=attended)


def bound(
    folder: Path, case: AssistantCase, tensors: Mapping[str, mx.array] | None = None, **changes: Any
) -> AssistantHead:
    written = published(case) if tensors is None else tensors
    head = load_head(write_head(folder, {**case.config, **changes}, written))
    assert isinstance(head, AssistantHead)
    head.bind(ports())
    return head


def propose(head: AssistantHead, context: HeadContext) -> HeadProposal:
    anchor = mx.array([mtp_cases.TOKENS[context.length]], mx.int32)
    return head.propose(context, anchor, mtp_cases.STEPS, likeliest)


def extend(head: AssistantHead, context: HeadContext, rows: int) -> None:
    start = context.length
    states = STATES[:, start : start + rows]
    taps = mx.concatenate([mx.zeros_like(states)] * (len(head.taps) - 1) + [states], axis=-1)
    head.extend(context, taps, mtp_cases.TOKENS[start : start + rows])


def proposals(head: AssistantHead) -> list[HeadProposal]:
    context, made = head.new_context(), []
    for rows in mtp_cases.ROUNDS:
        extend(head, context, rows)
        made.append(propose(head, context))
    return made


def apart(made: list[HeadProposal], name: str) -> float:
    """The largest difference of any logits that are not masked out in the golden tensors."""
    chains: mx.array = mx.load(str(HERE / f"{name}.safetensors"))["chains"]  # type: ignore[index, assignment]
    worst = 0.0
    for golden, proposal in zip(chains, made, strict=True):
        expected = golden if proposal.ids is None else mx.take_along_axis(golden, proposal.ids, axis=-1)
        worst = max(worst, float(mx.abs(proposal.scores - expected).max().item()))
    return worst


@pytest.mark.parametrize("name", CASES)
def test_chains_are_those_of_the_reference(tmp_path: Path, name: str) -> None:
    head = bound(tmp_path, CASES[name])
    # The inputs of layers 2 and 3, which are the outputs of 1 and 2, and the last one's output.
    assert (head.kind, head.taps) == ("mtp", (1, 2, 3))
    made = proposals(head)
    assert apart(made, name) < TOLERANCE
    assert [one.tokens.tolist() for one in made] == [
        mx.argmax(golden, axis=-1).tolist()
        for golden in mx.load(str(HERE / f"{name}.safetensors"))["chains"]  # type: ignore[index]
    ]


def test_what_the_main_model_s_layers_are_given_is_read_with_their_own_weights(tmp_path: Path) -> None:
    """Rows of a tap go to the layer behind it, at their positions."""
    head, given = bound(tmp_path, PLAIN), []

    def remember(kind: str, rows: mx.array, start: int) -> Rows:
        given.append((kind, start, float(rows.max().item())))
        return read(kind, rows, start)

    plain = ports()
    attended = {kind: replace(one, read=partial(remember, kind)) for kind, one in plain.attended.items()}
    head.bind(replace(plain, attended=attended))
    context = head.new_context()
    for rows in (3, 2):
        layers = [mx.full((1, rows, mtp_cases.WIDTH), float(layer)) for layer in head.taps]
        head.extend(context, mx.concatenate(layers, axis=-1), range(rows))
    wanted = [(kind, assistant_cases.ATTENDED[kind] - 1.0) for kind in ("full_attention", "sliding_attention")]
    assert given == [(kind, start, layer) for start in (0, 3) for kind, layer in wanted]


@pytest.mark.parametrize("name", CASES)
def test_a_text_read_anew_or_stored_is_proposed_for_like_one_read_in_rounds(tmp_path: Path, name: str) -> None:
    head = bound(tmp_path, CASES[name])
    rounds, anew = head.new_context(), head.new_context()
    for rows in mtp_cases.ROUNDS:
        extend(head, rounds, rows)
    extend(head, anew, sum(mtp_cases.ROUNDS))
    wanted = propose(head, anew)
    for context in (rounds, rounds.copy(), head.restore(dict(rounds.state))):
        assert mx.abs(propose(head, context).scores - wanted.scores).max().item() < TOLERANCE


def test_after_going_back_the_next_row_comes_first(tmp_path: Path) -> None:
    head = bound(tmp_path, PLAIN)
    context = head.new_context()
    extend(head, context, 14)
    context.rewind(11)
    assert (context.length, context.ready) == (11, False)
    extend(head, context, 1)
    anew = head.new_context()
    extend(head, anew, 12)
    assert context.ready
    assert mx.abs(propose(head, context).scores - propose(head, anew).scores).max().item() < TOLERANCE


@pytest.mark.parametrize("name", CASES)
def test_the_chance_of_a_text_is_that_of_each_of_its_first_draft_tokens(tmp_path: Path, name: str) -> None:
    """One pass with masks says what rounds of one row say: of both positions that queries may have."""
    head = bound(tmp_path, CASES[name])
    count = 13
    taps = mx.concatenate([mx.zeros_like(STATES)] * 2 + [STATES], axis=-1)[:, :count]
    answers = mx.array([7 * index % 256 for index in range(count - 1)])
    for reading in head.readings:
        head.use(reading)
        context, chances = head.new_context(), []
        for index in range(count - 1):
            extend(head, context, 1)
            made = propose(head, context)
            row = made.scores[0] - mx.logsumexp(made.scores[0])
            ids = mx.arange(256) if made.ids is None else made.ids[0]
            chances += [row[column].item() for column in range(row.size) if ids[column].item() == answers[index].item()]
        expected = sum(chances) / max(1, len(chances))
        found = head.log_chance(taps, mtp_cases.TOKENS[:count], answers).item()
        assert found == pytest.approx(expected, abs=1e-4)


def swapped_fusion(tensors: dict[str, mx.array]) -> None:
    embedding, state = mx.split(tensors["pre_projection.weight"], 2, axis=-1)
    tensors["pre_projection.weight"] = mx.concatenate([state, embedding], axis=-1)


def norm_twice(tensors: dict[str, mx.array]) -> None:
    for name in tensors:
        if name.endswith("norm.weight"):
            tensors[name] = tensors[name] + 1


def no_layer_scalar(tensors: dict[str, mx.array]) -> None:
    for name in tensors:
        if name.endswith("layer_scalar"):
            tensors[name] = mx.ones((1,))


def layers_swapped(tensors: dict[str, mx.array]) -> None:
    for name in [name for name in tensors if name.startswith("model.layers.0.")]:
        other = name.replace("layers.0.", "layers.1.")
        tensors[name], tensors[other] = tensors[other], tensors[name]


@pytest.mark.parametrize("mutant", [swapped_fusion, norm_twice, no_layer_scalar, layers_swapped])
def test_damaged_assistants_fail_a_gate(tmp_path: Path, mutant: Callable[[dict[str, mx.array]], None]) -> None:
    tensors = published(PLAIN)
    mutant(tensors)
    assert apart(proposals(bound(tmp_path, PLAIN, tensors)), "assistant_gemma4") > 100 * TOLERANCE


def test_wrong_states_positions_and_orders_of_tokens_fail_a_gate(tmp_path: Path) -> None:
    head = bound(tmp_path / "plain", PLAIN)
    head.use((0,))
    assert apart(proposals(head), "assistant_gemma4") > 100 * TOLERANCE
    head.use((1,))
    head.bind(replace(ports(), final_norm=lambda rows: rows * 0.5 + 1.0))
    assert apart(proposals(head), "assistant_gemma4") > 100 * TOLERANCE
    ordered = published(CASES["assistant_gemma4_ordered"])
    ordered["masked_embedding.token_ordering"] = mx.roll(ordered["masked_embedding.token_ordering"], 1)
    head = bound(tmp_path / "ordered", CASES["assistant_gemma4_ordered"], ordered)
    assert apart(proposals(head), "assistant_gemma4_ordered") > 100 * TOLERANCE


def test_an_assistant_of_another_main_model_is_refused(tmp_path: Path) -> None:
    head = bound(tmp_path, PLAIN)
    plain = ports()
    full = plain.attended["full_attention"]
    for other in ({}, {**plain.attended, "full_attention": replace(full, size=full.size * 2)}):
        with pytest.raises(ModelNotUsable, match="keys and values"):
            head.bind(replace(plain, attended=other))


LIES: dict[str, Any] = {
    "layer_types": {"layer_types": ["sliding_attention"]},
    "kinds": {"layer_types": ["chunked_attention"] * 3},
    "heads": {"num_attention_heads": 0},
    "kv_heads": {"num_key_value_heads": 99},
    "width": {"hidden_size": 2**20},
    "experts": {"enable_moe_block": True},
    "rope": {"rope_parameters": {"full_attention": {"rope_type": "other"}}},
    "vocabulary": {"vocab_size": -1},
    "other_width": {"hidden_size": 48},
}


@pytest.mark.parametrize("lie", LIES)
def test_lying_configurations_are_refused(tmp_path: Path, lie: str) -> None:
    text = {**PLAIN.config["text_config"], **LIES[lie]}
    with pytest.raises(ModelNotUsable):
        bound(tmp_path, PLAIN, text_config=text)


def test_orders_of_tokens_that_do_not_exist_are_refused(tmp_path: Path) -> None:
    tensors = published(CASES["assistant_gemma4_ordered"])
    tensors["masked_embedding.token_ordering"] = tensors["masked_embedding.token_ordering"] + 1
    with pytest.raises(ModelNotUsable, match="token_ordering"):
        bound(tmp_path, CASES["assistant_gemma4_ordered"], tensors)
    with pytest.raises(ModelNotUsable):
        bound(tmp_path, PLAIN, use_ordered_embeddings=True)
