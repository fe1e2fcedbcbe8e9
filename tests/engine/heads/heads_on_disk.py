"""The heads of the golden cases in one form for all kinds: written, bound to their main model, fed with a text."""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import accumulate
from pathlib import Path
from typing import Any

import mlx.core as mx

from engine.files.steps import run_to_completion
from engine.heads import loading
from engine.heads.context import HeadContext
from engine.heads.folder import inspect_head
from engine.heads.head import AttendedLayer, Draw, Head, HeadProposal, MainPorts
from tests.engine.heads.golden import assistant_cases, cases, eagle_cases, mtp_cases
from tests.engine.heads.golden.assistant_cases import AssistantCase
from tests.engine.heads.golden.cases import Case
from tests.engine.heads.golden.eagle_cases import EagleCase
from tests.engine.heads.golden.mtp_cases import MtpCase

AnyCase = Case | EagleCase | MtpCase | AssistantCase
Tensors = dict[str, mx.array]


def _shared(path: Path) -> Tensors:
    loaded: Tensors = mx.load(str(path))  # type: ignore[assignment]
    return {name: array.astype(mx.float32) if array.dtype == mx.float16 else array for name, array in loaded.items()}


BLOCK, EAGLE, MTP, ASSISTANT = map(
    _shared, (cases.WEIGHTS, eagle_cases.WEIGHTS, mtp_cases.WEIGHTS, assistant_cases.WEIGHTS)
)
ORDERING = "masked_embedding.token_ordering"


def tensors_of(case: AnyCase) -> Tensors:
    """Return the tensors of the case's head by their names in its file."""
    if isinstance(case, Case):
        return {
            name: mx.concatenate([BLOCK[part] for part in shared.split("+")]) for name, shared in case.tensors.items()
        }
    if isinstance(case, EagleCase):
        return {name: EAGLE[eagle_cases.shared_name(name, shape)] for name, shape in case.shapes.items()}
    if isinstance(case, MtpCase):
        shared = {name: MTP[mtp_cases.shared_name(name, shape)] for name, shape in case.tensors.items()}
        # Zero-centred norms are published with 1 subtracted.
        return {f"{case.prefix}{name}": array - zero_centred(case, array) for name, array in shared.items()}
    ordering = {ORDERING: ASSISTANT["token_ordering"]} if case.ordered else {}
    return {name: ASSISTANT[name].astype(mx.float32) for name in case.tensors} | ordering


def zero_centred(case: MtpCase, array: mx.array) -> int:
    """Return the number that the makers subtracted from the weights of a norm."""
    return int(case.zero_centred and array.ndim == 1)


def config_of(case: AnyCase) -> dict[str, Any]:
    """Return the case's config.json; that of a separate MTP head has mlx-vlm's form."""
    if isinstance(case, MtpCase):
        return {"model_type": f"{case.text['model_type'].removesuffix('_text')}_mtp", "text_config": dict(case.text)}
    return dict(case.config)


def main_ports(layer_count: int = cases.MAIN_LAYERS) -> MainPorts:
    """Return the main model for which most cases draft."""
    embedding, output = BLOCK["main.embed_tokens.weight"], BLOCK["main.lm_head.weight"]
    return MainPorts(
        embed=lambda ids: embedding[ids],
        logits=lambda hidden: hidden @ output.T,
        final_norm=lambda hidden: hidden,
        layer_count=layer_count,
        width=cases.WIDTH,
        vocabulary=cases.VOCABULARY,
    )


def keys_and_values(kind: str, rows: mx.array, start: int) -> tuple[mx.array, mx.array]:
    """Return the golden keys and values of one kind of attention, independently of the layer's input."""
    keys, values = (ASSISTANT[f"{kind}.{part}"].astype(mx.float32) for part in ("keys", "values"))
    return keys[:, :, start : start + rows.shape[1]], values[:, :, start : start + rows.shape[1]]


def _assistant_ports() -> MainPorts:
    attended = {}
    for kind, layer in assistant_cases.ATTENDED.items():
        shape = ASSISTANT[f"{kind}.keys"].shape
        window = assistant_cases.WINDOW if kind == "sliding_attention" else None
        attended[kind] = AttendedLayer(kind, layer, window, shape[1], shape[3], partial(keys_and_values, kind))
    return replace(main_ports(mtp_cases.MAIN_LAYERS), attended=attended)


def write_head(folder: Path, config: Mapping[str, Any], tensors: Mapping[str, mx.array]) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "config.json").write_text(json.dumps(config), encoding="utf-8")
    mx.save_safetensors(str(folder / "model.safetensors"), dict(tensors))
    return folder


def load_head(folder: Path) -> Head:
    """Load the head in a folder without binding it to a main model."""
    return run_to_completion(loading.load_head(inspect_head(folder)))


def likeliest(first: int, scores: mx.array, ids: mx.array | None) -> mx.array:
    """A `Draw` that takes the likeliest tokens."""
    del first
    column = mx.argmax(scores, axis=-1)
    return column.astype(mx.int32) if ids is None else mx.take_along_axis(ids, column[:, None], axis=-1)[:, 0]


@dataclass(frozen=True)
class OnDisk:
    """A head, its main model's `ports`, and the text that it follows: `taps` of each position, and its `tokens`.

    After each of the `rounds` it proposes `steps` tokens (0: as many as it can) to follow the next token: the likeliest
    or, if they are `told`, those of the text. `golden` names its golden tensors, `beside` a file in its folder.
    """

    config: dict[str, Any]
    tensors: Tensors
    ports: MainPorts
    reads: tuple[int, ...]
    taps: mx.array
    tokens: Sequence[int]
    rounds: tuple[int, ...]
    steps: int
    golden: str
    told: bool = False
    beside: str = ""

    def write(self, folder: Path) -> Path:
        write_head(folder, self.config, self.tensors)
        if self.beside:
            shutil.copy(cases.HERE / self.beside, folder)
        return folder

    def load(self, folder: Path) -> Head:
        """Load the head in a folder and bind it to the main model."""
        head = load_head(folder)
        head.bind(self.ports)
        return head

    def bound(self, folder: Path) -> Head:
        return self.load(self.write(folder))

    def extend(self, head: Head, context: HeadContext, rows: int) -> None:
        """Append the next rows of the text."""
        next_rows = slice(context.length, context.length + rows)
        head.extend(context, self.taps[:, next_rows], self.tokens[next_rows])

    def propose(self, head: Head, context: HeadContext, count: int = 0) -> HeadProposal:
        anchor = context.length

        def told(first: int, *_: object) -> mx.array:
            return mx.array([self.tokens[(anchor + 1 + first) % len(self.tokens)]], mx.int32)

        draw: Draw = told if self.told else likeliest
        count = count or self.steps or head.max_proposals
        return head.propose(context, mx.array([self.tokens[anchor]], mx.int32), count, draw)

    def proposals(self, head: Head, context: HeadContext | None = None) -> list[HeadProposal]:
        """Return the head's proposal after each round."""
        context, made = head.new_context() if context is None else context, []
        for rows in self.rounds:
            self.extend(head, context, rows)
            made.append(self.propose(head, context))
        return made

    def apart(self, made: Sequence[HeadProposal]) -> float:
        """Return the largest difference of any number from the golden ones; infinity if tokens differ."""
        golden: Tensors = mx.load(str(cases.HERE / f"{self.golden}.safetensors"))  # type: ignore[assignment]
        scores, ids = mx.stack([one.scores for one in made]), [one.ids for one in made if one.ids is not None]
        if "tokens" in golden and not mx.array_equal(mx.stack([one.tokens for one in made]), golden["tokens"]):
            return float("inf")
        found = []
        if "probabilities" in golden:
            order = mx.argsort(mx.stack(ids), axis=-1)
            if not mx.array_equal(mx.take_along_axis(mx.stack(ids), order, axis=-1), golden["ids"]):
                return float("inf")
            found.append((mx.take_along_axis(mx.softmax(scores, -1), order, -1), golden["probabilities"]))
        logits, chains = golden.get("logits"), golden.get("chains")
        if logits is not None and logits.ndim == 2:
            # The golden logits are those of the first token at each position.
            found.append((scores[:, 0], mx.stack([logits[last - 1] for last in accumulate(self.rounds)])))
            logits = None
        expected = logits if chains is None else chains
        if expected is not None:
            expected = expected[: len(made), : scores.shape[1]]
            grouped = expected.shape[-1] != scores.shape[-1]
            found.append((scores, mx.take_along_axis(expected, mx.stack(ids), axis=-1) if grouped else expected))
        return max(float(mx.abs(one - other).max().item()) for one, other in found)


def on_disk(case: AnyCase, golden: str = "") -> OnDisk:
    """Return the head of a case with its text."""
    config, tensors = config_of(case), tensors_of(case)
    if isinstance(case, Case):
        tokens = dict(zip(accumulate(cases.ROUNDS), cases.ANCHORS, strict=True))
        return OnDisk(
            config, tensors, main_ports(config.get("num_target_layers") or cases.MAIN_LAYERS),
            reads=case.extra.get("taps", cases.TAPS), taps=BLOCK["taps"],
            tokens=[tokens.get(position, 0) for position in range(sum(cases.ROUNDS) + 1)],
            rounds=case.rounds, steps=0, golden=case.golden or golden, beside=case.beside,
        )  # fmt: skip
    if isinstance(case, EagleCase):
        ports = replace(main_ports(eagle_cases.MAIN_LAYERS), embed=lambda ids: EAGLE["main.embed_tokens.weight"][ids])
        return OnDisk(
            config, tensors, ports, reads=eagle_cases.TAPS, taps=EAGLE["taps"], tokens=eagle_cases.TOKENS,
            rounds=eagle_cases.ROUNDS, steps=eagle_cases.STEPS, golden=case.golden or golden, told=True,
        )  # fmt: skip
    states, last = MTP["states"].astype(mx.float32), mtp_cases.MAIN_LAYERS - 1
    mtp = OnDisk(
        config, tensors, main_ports(mtp_cases.MAIN_LAYERS), reads=(last,), taps=states, tokens=mtp_cases.TOKENS,
        rounds=mtp_cases.ROUNDS, steps=mtp_cases.STEPS, golden=golden,
    )  # fmt: skip
    if isinstance(case, MtpCase):
        return mtp
    # The outputs of layers 1 and 2, which are the inputs of the next ones, and of the last layer.
    taps = mx.concatenate([mx.zeros_like(states)] * 2 + [states], axis=-1)
    return replace(mtp, ports=_assistant_ports(), reads=(1, 2, last), taps=taps)


CASES: dict[str, AnyCase] = {**cases.CASES, **eagle_cases.CASES, **mtp_cases.CASES, **assistant_cases.CASES}
HEADS = {name: on_disk(case, name) for name, case in CASES.items()}


def quantised(tensors: Mapping[str, mx.array], bits: int, group: int, mode: str) -> tuple[Tensors, Tensors]:
    """Return the tensors with quantised matrices, and with the same matrices dequantised."""
    packed: Tensors = {}
    written_out: Tensors = {}
    for key, array in tensors.items():
        # Matrices of some widths cannot be packed in groups below 32.
        width = 32 if array.ndim == 2 else group
        if array.ndim < 2 or not key.endswith(".weight") or array.shape[-1] % width:
            packed[key] = written_out[key] = array
            continue
        # Modes other than the affine one have no biases.
        parts = dict(zip(("weight", "scales", "biases"), mx.quantize(array, group, bits, mode), strict=False))
        packed |= {f"{key.removesuffix('weight')}{part}": value for part, value in parts.items()}
        written_out[key] = mx.dequantize(parts["weight"], parts["scales"], parts.get("biases"), group, bits, mode)
    return packed, written_out
