"""The network of Gemma 4's assistants: its own queries over the main model's keys and values.

All draft tokens of a round share one position and attend to the tokens that the main model has read. Each step reads
the state that the previous step made (transformers, gemma4_assistant and SinglePositionMultiTokenCandidateGenerator).
"""

from __future__ import annotations

import copy
from collections.abc import Sequence
from pathlib import Path

import mlx.core as mx
import mlx.nn as nn
from mlx_lm.models import gemma4_text

from engine.errors import ModelNotUsable
from engine.heads.assistant_config import AssistantConfig
from engine.heads.chain_head import mean_log_chance
from engine.heads.config import RowShape
from engine.heads.context import HeadContext, LayerRows, Rows
from engine.heads.head import AttendedLayer, Draw, Head, HeadProposal, MainPorts
from engine.heads.weights import Weights

_ORDERING = "masked_embedding.token_ordering"


class OrderedEmbedding(nn.Module):  # type: ignore[misc]
    """Groups of tokens. `token_ordering` holds the ids of the first group, then the ids of the second, and so on."""

    def __init__(self, config: AssistantConfig) -> None:
        super().__init__()
        self.centroids = nn.Linear(config.width, config.centroids, bias=False)
        self.token_ordering = mx.zeros((config.vocabulary,), mx.int32)


class AssistantBody(nn.Module):  # type: ignore[misc]
    """The layers of an assistant. Attributes have the names of the published tensors."""

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

    @property
    def layers(self) -> list[nn.Module]:
        """The parts that can be taught."""
        return self.model.layers

    def __call__(
        self,
        embedded: mx.array,
        states: mx.array,
        seen: dict[str, Rows],
        offset: int,
        masks: dict[str, mx.array] | None = None,
    ) -> mx.array:
        """Return the rows (1, n, width) of n queries from position `offset` on.

        `embedded` and `states` are (1, n, main model's width). `seen` maps each kind of attention to keys and values,
        `masks` maps it to the rows (n, rows) that each query sees; without masks every query sees all rows.
        """
        rows: mx.array = self.pre_projection(mx.concatenate([embedded, states], axis=-1))
        for layer in self.model.layers:
            kind = layer.layer_type
            mask = None if masks is None else masks[kind]
            rows, _, _ = layer(rows, mask, None, shared_kv=seen[kind], offset=mx.array(offset))
        normed: mx.array = self.model.norm(rows)
        return normed

    def scores(self, rows: mx.array) -> tuple[mx.array, mx.array | None]:
        """Return logits (n, m) of rows (1, n, width) and their token ids (n, m), or None for the whole vocabulary."""
        if "masked_embedding" in self:
            groups = self.masked_embedding
            nearest = mx.argpartition(groups.centroids(rows[0]), kth=-self._chosen, axis=-1)[:, -self._chosen :]
            ids = groups.token_ordering.reshape(groups.centroids.weight.shape[0], -1)[nearest].flatten(1)
            return (self.model.embed_tokens(ids) @ rows[0][..., None])[..., 0], ids
        output = self.lm_head if "lm_head" in self else self.model.embed_tokens.as_linear
        logits: mx.array = output(rows)[0]
        return logits, None


class AssistantHead(Head):
    """An assistant, for the main model that it is bound to.

    It attends to the keys and values of the main model's last layer of each kind of attention. It recomputes them from
    the tapped inputs of these layers, because the main model's caches may be quantised, cut, or rows of a batch.
    """

    config: AssistantConfig
    network: AssistantNetwork

    def __init__(self, path: Path, config: AssistantConfig, network: AssistantNetwork, identity: str) -> None:
        super().__init__(path, config, network, identity)
        self._ahead = 1
        self._attended = list[AttendedLayer]()

    @staticmethod
    def build(config: AssistantConfig, weights: Weights) -> tuple[nn.Module, Weights]:
        if (ordering := weights.get(_ORDERING)) is not None:
            weights[_ORDERING] = ordering.astype(mx.int32)
        return AssistantNetwork(config), weights

    @property
    def readings(self) -> tuple[tuple[int, ...], ...]:
        """The queries' offset from the position of the last token read: 1 in transformers, 0 in mlx-vlm."""
        return ((1,), (0,))

    def use(self, reading: tuple[int, ...]) -> None:
        super().use(reading)
        self._ahead = reading[0]

    def bind(self, ports: MainPorts) -> None:
        """Find the layers of the main model to attend to.

        Raises `ModelNotUsable` (wrong-main) if it lacks one, or its keys and values have other shapes.
        """
        super().bind(ports)
        attended = [ports.attended.get(kind) for kind in self.config.kinds]
        self._attended = [layer for layer in attended if layer is not None and self._fits(layer)]
        if len(self._attended) < len(attended):
            raise ModelNotUsable(self._path, "wrong-main", "keys and values")
        inputs = {layer.layer - 1 for layer in self._attended if layer.layer}
        self.taps = tuple(sorted(inputs | {ports.layer_count - 1}))

    @property
    def uses_main_output(self) -> bool:
        return False

    def new_context(self, start: int = 0) -> HeadContext:
        return HeadContext([layer.window or self.config.context_rows for layer in self._attended], start, goes_on=True)

    def restore(self, state: dict[str, mx.array]) -> HeadContext:
        """Return the context of `state`: keys and values (1, heads, n, size) of each attended layer, and a state.

        The state is (1, 1, main model's width). Raises ValueError for arrays that do not fit.
        """
        shapes: list[RowShape] = [((layer.heads, layer.size),) * 2 for layer in self._attended]
        return self.new_context().restored(state, shapes, self.config.tap_width)

    def extend(self, context: HeadContext, taps: mx.array, tokens: Sequence[int]) -> None:
        """Append keys and values (1, heads, S, size) of the main model for each kind of attention.

        `taps` is (1, S, taps * width). The next proposal goes on from the state of the last token, (1, 1,
        width).
        """
        for layer, (keys, values) in zip(context.layers, self._read(taps, tokens, context.length), strict=True):
            layer.append(keys, values)
        context.states = self._states(taps[:, -1:])

    def propose(self, context: HeadContext, anchor: mx.array, count: int, draw: Draw) -> HeadProposal:
        """Return `count` draft tokens, all made at the position of the newest token that the main model has read.

        `anchor` is int32 (1,), perhaps lazy. The scores are (count, m); their ids (count, m) are the ids of the groups
        that a step chooses, None for a head without groups. Raises ValueError for a context without a state, as one
        that was rewound.
        """
        if context.states is None:
            raise ValueError("no state to continue from")
        seen = dict(zip(self.config.kinds, map(_seen, context.layers), strict=True))
        position = context.length - 1 + self._ahead
        states = context.states
        ids = anchor
        tokens: list[mx.array] = []
        scores: list[mx.array] = []
        columns: list[mx.array] = []
        for index in range(count):
            rows = self.network(self.embed(ids[None]), states, seen, position)
            logits, known = self.network.scores(rows)
            ids = draw(index, logits, known)
            tokens.append(ids)
            scores.append(logits)
            if known is not None:
                columns.append(known)
            states = self.network.post_projection(rows)
        of_columns = mx.concatenate(columns) if columns else None
        return HeadProposal(mx.concatenate(tokens), mx.concatenate(scores), of_columns)

    def log_chance(self, taps: mx.array, tokens: Sequence[int], answers: mx.array) -> mx.array:
        """Return the mean log-probability, a scalar, as `Head.log_chance` describes it.

        `taps` is (1, n, taps * width), `answers` (n - 1,). All rows are drafted in one pass under masks (n - 1, n - 1),
        row i as the first token of a proposal.
        """
        read = self._read(taps[:, :-1], tokens[:-1], 0)
        count = len(tokens) - 1
        query = mx.arange(count)[:, None]
        key = mx.arange(count)[None]
        masks = {}
        for kind, attended in zip(self.config.kinds, self._attended, strict=True):
            masks[kind] = key <= query if attended.window is None else (key <= query) & (key > query - attended.window)
        seen = dict(zip(self.config.kinds, read, strict=True))
        embedded = self.embed(mx.array([tokens[1:]], mx.int32))
        rows = self.network(embedded, self._states(taps[:, :-1]), seen, self._ahead, masks)
        return mean_log_chance(*self.network.scores(rows), answers)

    def _fits(self, attended: AttendedLayer) -> bool:
        return any(
            layer.self_attn.head_dim == attended.size and layer.self_attn.n_heads % attended.heads == 0
            for layer in self.network.model.layers
            if layer.layer_type == attended.kind
        )

    def _read(self, taps: mx.array, tokens: Sequence[int], start: int) -> list[Rows]:
        """Return the keys and values of each kind of attention for `tokens` from position `start` on."""
        outputs = dict(zip(self.taps, mx.split(taps, len(self.taps), axis=-1), strict=True))
        made = []
        for attended in self._attended:
            if attended.layer:
                rows = outputs[attended.layer - 1]
            else:
                rows = self.ports.embed(mx.array([list(tokens)], mx.int32))
            keys, values = attended.read(rows, start)
            made.append((keys.astype(self.dtype), values.astype(self.dtype)))
        return made

    def _states(self, taps: mx.array) -> mx.array:
        last = taps[..., -self.config.tap_width :]
        return self.ports.final_norm(last).astype(self.dtype)


def _seen(layer: LayerRows) -> Rows:
    """Return the rows of a layer that queries after them see."""
    rows = layer.rows()
    if rows is None:
        raise ValueError("no rows to attend to")
    keys, values = rows
    return keys[:, :, -layer.window :], values[:, :, -layer.window :]
