"""The network of Gemma 4's assistants: queries of its own over the main model's keys and values.

All draft tokens of a round have one position, and see what the main model has read; each step's state stands for that
of the token before (transformers, gemma4_assistant and SinglePositionMultiTokenCandidateGenerator).
"""

from __future__ import annotations

import copy
from collections.abc import Sequence
from pathlib import Path

import mlx.core as mx
import mlx.nn as nn
from mlx.utils import tree_flatten
from mlx_lm.models import gemma4_text

from engine.errors import ModelNotUsable
from engine.heads.assistant_config import AssistantConfig, kinds_of
from engine.heads.assistant_context import AssistantContext
from engine.heads.context import LayerRows, Rows
from engine.heads.fit import context_bytes, mismatch
from engine.heads.head import Attended, Draw, Head, HeadContext, HeadProposal, MainPorts


class OrderedEmbedding(nn.Module):  # type: ignore[misc]
    """Groups of tokens: `token_ordering` holds the ids of one group after the other."""

    def __init__(self, config: AssistantConfig) -> None:
        super().__init__()
        self.centroids = nn.Linear(config.width, config.centroids, bias=False)
        self.token_ordering = mx.zeros((config.vocabulary,), mx.int32)


class AssistantBody(nn.Module):  # type: ignore[misc]
    """Layers, by the names of the published tensors."""

    def __init__(self, config: AssistantConfig) -> None:
        super().__init__()
        settings = gemma4_text.ModelArgs.from_dict(copy.deepcopy(dict(config.text)))
        self.embed_tokens = nn.Embedding(config.vocabulary, config.width)
        self.layers = [gemma4_text.DecoderLayer(settings, index) for index in range(len(config.layer_types))]
        self.norm = nn.RMSNorm(config.width, eps=settings.rms_norm_eps)


class AssistantNetwork(nn.Module):  # type: ignore[misc]
    """All weights of an assistant."""

    def __init__(self, config: AssistantConfig) -> None:
        super().__init__()
        self._chosen = config.chosen
        self.model = AssistantBody(config)
        self.pre_projection = nn.Linear(2 * config.tap_width, config.width, bias=False)
        self.post_projection = nn.Linear(config.width, config.tap_width, bias=False)
        if config.own_output:
            self.lm_head = nn.Linear(config.width, config.vocabulary, bias=False)
        if config.centroids:
            self.masked_embedding = OrderedEmbedding(config)

    def __call__(
        self,
        embedded: mx.array,
        states: mx.array,
        seen: dict[str, Rows],
        offset: int,
        masks: dict[str, mx.array] | None = None,
    ) -> mx.array:
        """Rows (1, n, width) of n queries from position `offset` on, from embeddings and states (1, n, main's width).

        `seen` are keys and values by kind of attention, `masks` (n, rows) which of them each query sees; all of them
        without.
        """
        rows: mx.array = self.pre_projection(mx.concatenate([embedded, states], axis=-1))
        for layer in self.model.layers:
            kind = layer.layer_type
            mask = None if masks is None else masks[kind]
            rows, _, _ = layer(rows, mask, None, shared_kv=seen[kind], offset=mx.array(offset))
        made: mx.array = self.model.norm(rows)
        return made

    def scores(self, rows: mx.array) -> tuple[mx.array, mx.array | None]:
        """Logits (n, m) of rows (1, n, width), and the ids (n, m) that they are of; None where that is all of them."""
        if "masked_embedding" in self:
            groups = self.masked_embedding
            nearest = mx.argpartition(groups.centroids(rows[0]), kth=-self._chosen, axis=-1)[:, -self._chosen :]
            ids = groups.token_ordering.reshape(groups.centroids.weight.shape[0], -1)[nearest].flatten(1)
            return (self.model.embed_tokens(ids) @ rows[0][..., None])[..., 0], ids
        output = self.lm_head if "lm_head" in self else self.model.embed_tokens.as_linear
        logits: mx.array = output(rows)[0]
        return logits, None


class AssistantHead(Head):
    """An assistant, for the main model that it is bound to."""

    def __init__(self, path: Path, config: AssistantConfig, network: AssistantNetwork, identity: str) -> None:
        self.kind, self.taps, self.identity = config.kind, config.taps, identity
        self.config, self.network = config, network
        self._path, self._identity = path, identity
        self._kinds, self._ahead = kinds_of(config.layer_types), 1
        self._bound: tuple[MainPorts, list[Attended]] | None = None

    @property
    def max_proposals(self) -> int:
        return self.config.proposals

    @property
    def nbytes(self) -> int:
        return sum(array.nbytes for _, array in tree_flatten(self.network.parameters()))

    @property
    def dtype(self) -> mx.Dtype:
        found: mx.Dtype = self.network.model.norm.weight.dtype
        return found

    @property
    def readings(self) -> tuple[tuple[int, ...], ...]:
        """Which position queries have, behind the last one that was read: transformers' choice, and mlx-vlm's."""
        return ((1,), (0,))

    def use(self, reading: tuple[int, ...]) -> None:
        self._ahead = reading[0]
        self.identity = self._identity if self._ahead else f"{self._identity}-0"

    def bind(self, ports: MainPorts) -> None:
        if (wrong := mismatch(self.config, ports.layer_count, ports.width, ports.vocabulary)) is not None:
            raise ModelNotUsable(self._path, "wrong-main", str(wrong))
        attended = [ports.attended.get(kind) for kind in self._kinds]
        found = [one for one in attended if one is not None and self._fits(one)]
        if len(found) < len(attended):
            raise ModelNotUsable(self._path, "wrong-main", "keys and values")
        self._bound = ports, found
        self.taps = tuple(sorted({one.layer - 1 for one in found if one.layer} | {ports.layer_count - 1}))

    def context_bytes(self, length: int) -> int:
        return context_bytes(self.config, length, self.dtype.size) + self.config.tap_width * self.dtype.size

    def new_context(self, start: int = 0) -> AssistantContext:
        return AssistantContext([one.window for one in self._main[1]], start)

    def restore(self, state: dict[str, mx.array]) -> AssistantContext:
        attended = self._main[1]
        shapes = [(one.heads, one.size) for one in attended]
        return AssistantContext.restored_for(state, [one.window for one in attended], shapes, self.config.tap_width)

    def extend(self, context: HeadContext, taps: mx.array, tokens: Sequence[int]) -> None:
        own = _own(context)
        for layer, (keys, values) in zip(own.layers, self._read(taps, tokens, own.length), strict=True):
            layer.append(keys, values)
        own.newest = self._states(taps[:, -1:])

    def propose(self, context: HeadContext, anchor: mx.array, count: int, draw: Draw) -> HeadProposal:
        own, ports = _own(context), self._main[0]
        if own.newest is None:
            raise ValueError("no state to go on from")
        seen = dict(zip(self._kinds, map(_seen, own.layers), strict=True))
        position = own.length - 1 + self._ahead
        states, ids = own.newest, anchor
        tokens: list[mx.array] = []
        scores: list[mx.array] = []
        columns: list[mx.array] = []
        for index in range(count):
            rows = self.network(ports.embed(ids[None]).astype(self.dtype), states, seen, position)
            logits, known = self.network.scores(rows)
            ids = draw(index, logits, known)
            tokens.append(ids)
            scores.append(logits)
            columns += [] if known is None else [known]
            states = self.network.post_projection(rows)
        return HeadProposal(
            mx.concatenate(tokens), mx.concatenate(scores), mx.concatenate(columns) if columns else None
        )

    def log_chance(self, taps: mx.array, tokens: Sequence[int], answers: mx.array) -> mx.array:
        read = self._read(taps[:, :-1], tokens[:-1], 0)
        count = len(tokens) - 1
        query, key = mx.arange(count)[:, None], mx.arange(count)[None]
        masks = {}
        for kind, one in zip(self._kinds, self._main[1], strict=True):
            masks[kind] = key <= query if one.window is None else (key <= query) & (key > query - one.window)
        seen = {kind: (keys, values) for kind, (keys, values) in zip(self._kinds, read, strict=True)}
        embedded = self._main[0].embed(mx.array([tokens[1:]], mx.int32)).astype(self.dtype)
        rows = self.network(embedded, self._states(taps[:, :-1]), seen, self._ahead, masks)
        logits, ids = self.network.scores(rows)
        chances = logits.astype(mx.float32) - mx.logsumexp(logits.astype(mx.float32), axis=-1, keepdims=True)
        if ids is None:
            return mx.take_along_axis(chances, answers[:, None], axis=-1).mean()
        hit = ids == answers[:, None]
        return mx.where(hit, chances, 0.0).sum() / mx.maximum(hit.sum(), 1)

    @property
    def _main(self) -> tuple[MainPorts, list[Attended]]:
        if self._bound is None:
            raise RuntimeError("the head is not bound to a main model")
        return self._bound

    def _fits(self, one: Attended) -> bool:
        return any(
            layer.self_attn.head_dim == one.size and layer.self_attn.n_heads % one.heads == 0
            for layer in self.network.model.layers
            if layer.layer_type == one.kind
        )

    def _read(self, taps: mx.array, tokens: Sequence[int], start: int) -> list[Rows]:
        """Keys and values of each kind for the rows of `tokens` from position `start` on."""
        ports, attended = self._main
        outputs = dict(zip(self.taps, mx.split(taps, len(self.taps), axis=-1), strict=True))
        made = []
        for one in attended:
            rows = outputs[one.layer - 1] if one.layer else ports.embed(mx.array([list(tokens)], mx.int32))
            keys, values = one.read(rows, start)
            made.append((keys.astype(self.dtype), values.astype(self.dtype)))
        return made

    def _states(self, taps: mx.array) -> mx.array:
        last = taps[..., -self.config.tap_width :]
        return self._main[0].final_norm(last).astype(self.dtype)


def _seen(layer: LayerRows) -> Rows:
    """The rows that queries see behind them."""
    rows = layer.rows()
    if rows is None:
        raise ValueError("no rows to look at")
    keys, values = rows
    return rows if layer.window is None else (keys[:, :, -layer.window :], values[:, :, -layer.window :])


def _own(context: HeadContext) -> AssistantContext:
    if not isinstance(context, AssistantContext):
        raise TypeError(f"a context of another head: {type(context).__name__}")
    return context
