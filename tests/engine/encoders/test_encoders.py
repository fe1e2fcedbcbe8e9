"""Embeddings of encoders are those of the published networks, computed again by numpy in double precision."""

from __future__ import annotations

import json
import math
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import mlx.core as mx
import numpy as np
import pytest
from mlx.utils import tree_flatten
from mlx_vlm.models import modernbert
from numpy.typing import NDArray

from engine.encoders.loading import load_encoder
from engine.encoders.resident import ResidentEncoder, passes_of
from engine.errors import BadRequest, EngineError, ModelNotUsable, NotEnoughMemory, PromptTooLong
from engine.events import Embeddings
from engine.files.steps import run_to_completion
from engine.model_files.architecture import can_load
from engine.model_files.sentence_files import prompt_for
from engine.requests import EmbeddingRequest
from tests.encoder_folders import (
    BERT,
    GEMMA,
    HEADS,
    LAYERS,
    MODERNBERT,
    NOMIC,
    VOCABULARY,
    WIDTH,
    WORDS,
    XLM_ROBERTA,
    Weights,
    write_encoder,
)
from tests.engine.encoders.embedding import Numbers, embeddings_of, scaled

TEXT = "the quick brown fox jumps over the lazy dog deep learning query dog fox"
IDS = [0, *(4 + WORDS.index(word) for word in TEXT.split()), 2]


def embed(folder: Path, *texts: str, cuts: bool = False) -> Embeddings:
    return embeddings_of(folder, *texts or (TEXT,), cuts=cuts)


def layer_norm(states: Numbers, weights: Weights, name: str, epsilon: float) -> Numbers:
    centred = states - states.mean(-1, keepdims=True)
    deviation = np.sqrt(states.var(-1, keepdims=True) + epsilon)
    return centred / deviation * weights[f"{name}.weight"] + weights[f"{name}.bias"]


def linear(states: Numbers, weights: Weights, name: str) -> Numbers:
    return states @ weights[f"{name}.weight"].T.astype(np.float64) + weights.get(f"{name}.bias", np.float32(0))


def gelu(states: Numbers) -> Numbers:
    return states * 0.5 * (1 + np.vectorize(math.erf)(states / math.sqrt(2)))


def silu(states: Numbers) -> Numbers:
    return states / (1 + np.exp(-states))


def attention(queries: Numbers, keys: Numbers, values: Numbers, scale: float, seen: NDArray[np.bool_]) -> Numbers:
    """Mix values by heads: each argument is (tokens, heads, size), and the result (tokens, heads * size)."""
    scores = np.einsum("qhd,khd->hqk", queries, keys) * scale
    scores = np.where(seen, scores, -np.inf)
    shares = np.exp(scores - scores.max(-1, keepdims=True))
    shares /= shares.sum(-1, keepdims=True)
    mixed: Numbers = np.einsum("hqk,khd->qhd", shares, values).reshape(len(queries), -1)
    return mixed


def rotated(states: Numbers, base: float) -> Numbers:
    """Rotate (tokens, heads, size) by the places of the tokens, halves against each other."""
    half = states.shape[-1] // 2
    angles = np.arange(len(states))[:, None] / base ** (np.arange(half) / half)
    cosine, sine = np.cos(angles)[:, None], np.sin(angles)[:, None]
    first, second = states[..., :half], states[..., half:]
    return np.concatenate([first * cosine - second * sine, second * cosine + first * sine], -1)


def bert_states(weights: Weights, config: Mapping[str, Any], ids: list[int]) -> Numbers:
    epsilon = config["layer_norm_eps"]
    first_place = config["pad_token_id"] + 1 if config["model_type"] == "xlm-roberta" else 0
    states: Numbers = weights["embeddings.word_embeddings.weight"][ids].astype(np.float64)
    states = states + weights["embeddings.position_embeddings.weight"][first_place : first_place + len(ids)]
    states = states + weights["embeddings.token_type_embeddings.weight"][0]
    states = layer_norm(states, weights, "embeddings.LayerNorm", epsilon)
    everything = np.ones((len(ids), len(ids)), bool)
    for layer in range(LAYERS):
        place = f"encoder.layer.{layer}"
        parts = [
            linear(states, weights, f"{place}.attention.self.{name}").reshape(len(ids), HEADS, -1)
            for name in ("query", "key", "value")
        ]
        mixed = attention(*parts, (WIDTH / HEADS) ** -0.5, everything)
        mixed = linear(mixed, weights, f"{place}.attention.output.dense")
        states = layer_norm(mixed + states, weights, f"{place}.attention.output.LayerNorm", epsilon)
        inner = gelu(linear(states, weights, f"{place}.intermediate.dense"))
        inner = linear(inner, weights, f"{place}.output.dense")
        states = layer_norm(inner + states, weights, f"{place}.output.LayerNorm", epsilon)
    return states


def nomic_states(weights: Weights, config: Mapping[str, Any], ids: list[int]) -> Numbers:
    epsilon = config["layer_norm_epsilon"]
    states: Numbers = weights["embeddings.word_embeddings.weight"][ids].astype(np.float64)
    states = layer_norm(states + weights["embeddings.token_type_embeddings.weight"][0], weights, "emb_ln", epsilon)
    everything = np.ones((len(ids), len(ids)), bool)
    for layer in range(LAYERS):
        place = f"encoder.layers.{layer}"
        parts = linear(states, weights, f"{place}.attn.Wqkv").reshape(len(ids), 3, HEADS, -1)
        queries, keys = (rotated(parts[:, part], config["rotary_emb_base"]) for part in (0, 1))
        mixed = attention(queries, keys, parts[:, 2], (WIDTH / HEADS) ** -0.5, everything)
        states = layer_norm(
            linear(mixed, weights, f"{place}.attn.out_proj") + states, weights, f"{place}.norm1", epsilon
        )
        inner = linear(states, weights, f"{place}.mlp.fc11") * silu(linear(states, weights, f"{place}.mlp.fc12"))
        states = layer_norm(linear(inner, weights, f"{place}.mlp.fc2") + states, weights, f"{place}.norm2", epsilon)
    return states


def gemma_states(weights: Weights, config: Mapping[str, Any], ids: list[int]) -> Numbers:
    def normed(states: Numbers, name: str) -> Numbers:
        mean = (states**2).mean(-1, keepdims=True)
        return states / np.sqrt(mean + config["rms_norm_eps"]) * (1 + weights[f"{name}.weight"])

    states: Numbers = weights["embed_tokens.weight"][ids].astype(np.float64) * math.sqrt(WIDTH)
    distance = np.abs(np.arange(len(ids))[:, None] - np.arange(len(ids)))
    repeats = HEADS // config["num_key_value_heads"]
    for layer in range(LAYERS):
        place = f"layers.{layer}"
        slides = (layer + 1) % config["sliding_window_pattern"] != 0
        base = config["rope_local_base_freq"] if slides else config["rope_theta"]
        # transformers takes half the window and one, and the distance is below that.
        seen = distance < config["sliding_window"] // 2 + 1 if slides else distance >= 0
        inputs = normed(states, f"{place}.input_layernorm")
        queries, keys, values = (
            linear(inputs, weights, f"{place}.self_attn.{name}_proj").reshape(len(ids), -1, config["head_dim"])
            for name in "qkv"
        )
        queries = rotated(normed(queries, f"{place}.self_attn.q_norm"), base)
        keys = rotated(normed(keys, f"{place}.self_attn.k_norm"), base).repeat(repeats, 1)
        mixed = attention(queries, keys, values.repeat(repeats, 1), config["query_pre_attn_scalar"] ** -0.5, seen)
        mixed = linear(mixed, weights, f"{place}.self_attn.o_proj")
        states = states + normed(mixed, f"{place}.post_attention_layernorm")
        inputs = normed(states, f"{place}.pre_feedforward_layernorm")
        gate = linear(inputs, weights, f"{place}.mlp.gate_proj")
        gate = 0.5 * gate * (1 + np.tanh(math.sqrt(2 / math.pi) * (gate + 0.044715 * gate**3)))
        inner = linear(gate * linear(inputs, weights, f"{place}.mlp.up_proj"), weights, f"{place}.mlp.down_proj")
        states = states + normed(inner, f"{place}.post_feedforward_layernorm")
    return normed(states, "norm")


@pytest.mark.first
@pytest.mark.parametrize(
    ("config", "pooling", "dense", "states_of"),
    [
        pytest.param(BERT, "cls_token", (), bert_states, id="bge"),
        pytest.param(BERT, "mean_tokens", (), bert_states, id="minilm"),
        pytest.param(XLM_ROBERTA, "mean_tokens", (), bert_states, id="e5"),
        pytest.param(NOMIC, "mean_tokens", (), nomic_states, id="nomic"),
        pytest.param(GEMMA, "mean_tokens", (64, WIDTH), gemma_states, id="embeddinggemma"),
        pytest.param(GEMMA, "lasttoken", (), gemma_states, id="last"),
    ],
)
def test_an_embedding_is_that_of_the_published_network(
    tmp_path: Path,
    config: Mapping[str, Any],
    pooling: str,
    dense: tuple[int, ...],
    states_of: Callable[[Weights, Mapping[str, Any], list[int]], Numbers],
) -> None:
    weights = write_encoder(tmp_path, config, pooling, dense=dense)
    states = states_of(weights, config, IDS)
    vector = {"cls_token": states[0], "mean_tokens": states.mean(0), "lasttoken": states[-1]}[pooling]
    for place in range(len(dense)):
        vector = weights[f"{place + 2}_Dense.linear.weight"].astype(np.float64) @ vector
    embeddings = embed(tmp_path)
    assert embeddings.tokens == len(IDS)
    assert embeddings.vectors[0] == pytest.approx(scaled(vector), abs=2e-5)


@pytest.mark.parametrize("bits", [0, 8])
def test_a_conversion_for_mlx_has_the_layers_after_the_pooling_among_its_weights(tmp_path: Path, bits: int) -> None:
    weights = write_encoder(tmp_path / "published", GEMMA, "mean_tokens", dense=(4 * WIDTH, WIDTH))
    converted = Path(shutil.copytree(tmp_path / "published", tmp_path / "converted"))
    (converted / "modules.json").unlink()
    whole = {name: mx.array(array) for name, array in weights.items()}
    tensors = {
        f"dense.{name[0]}.weight".replace("2", "0").replace("3", "1") if "_Dense" in name else f"model.{name}": array
        for name, array in whole.items()
    }
    if bits:
        broken(converted, quantization={"bits": bits, "group_size": 32})
        packed = {name for name in tensors if "dense" in name or name.endswith("_proj.weight")}
        packed = {name for name in packed if tensors[name].shape[1] % 32 == 0}
        for name in packed:
            parts = zip(("weight", "scales", "biases"), mx.quantize(tensors.pop(name), 32, bits), strict=True)
            tensors |= {name.replace("weight", part): array for part, array in parts}
    mx.save_safetensors(str(converted / "model.safetensors"), tensors)
    [published], [found] = embed(tmp_path / "published").vectors, embed(converted).vectors
    assert found == pytest.approx(published, abs=0.02 if bits else 1e-6)


def write_modernbert(folder: Path) -> None:
    """Write a ModernBERT with the weights that mlx-vlm's begins with, which are drawn."""
    write_encoder(folder, BERT, "mean_tokens")
    config = {**MODERNBERT, "vocab_size": VOCABULARY}
    (folder / "config.json").write_text(json.dumps(config))
    mx.random.seed(5)
    network = modernbert.Model(modernbert.ModelConfig.from_dict(config))
    mx.save_safetensors(str(folder / "model.safetensors"), dict(tree_flatten(network.parameters())))


@pytest.mark.parametrize("pooling", ["mean_tokens", "cls_token", "lasttoken"])
@pytest.mark.parametrize(
    "config", [BERT, XLM_ROBERTA, NOMIC, GEMMA, MODERNBERT], ids=lambda config: config["model_type"]
)
def test_texts_that_are_embedded_together_have_the_vectors_that_they_have_alone(
    tmp_path: Path, config: Mapping[str, Any], pooling: str
) -> None:
    if config is MODERNBERT:
        write_modernbert(tmp_path)
    else:
        write_encoder(tmp_path, config, pooling)
    encoder = run_to_completion(load_encoder(tmp_path))
    # Far apart in length, so that padding is also beyond the reach of the layers that see some tokens only.
    texts = [IDS, IDS[:2], IDS[:9], IDS[3:5], IDS[1:]]
    assert len({len(ids) for ids in texts}) == 4
    for ids, together in zip(texts, encoder.embeddings(texts), strict=True):
        [alone] = encoder.embeddings([ids])
        assert np.abs(np.array(together) - np.array(alone)).max() < 1e-5


def test_texts_of_similar_length_share_a_pass() -> None:
    assert [*passes_of([9, 3, 8])] == [[0, 2], [1]]
    assert [*passes_of([5] * 3)] == [[0, 1, 2]]
    assert [*passes_of([2000, 400, 2000, 300, 300])] == [[0], [2], [1, 3], [4]]
    assert [*passes_of([])] == []


def test_texts_keep_their_order_and_a_longer_one_is_cut_or_refused(tmp_path: Path) -> None:
    write_encoder(tmp_path, BERT, "mean_tokens")
    alone = embed(tmp_path, TEXT).vectors
    texts = ("dog", TEXT, "fox", TEXT.replace("dog", "fox"))
    together = embed(tmp_path, *texts)
    assert together.tokens == sum(embed(tmp_path, text).tokens for text in texts)
    for text, vector in zip(texts, together.vectors, strict=True):
        assert vector == pytest.approx(embed(tmp_path, text).vectors[0], abs=1e-6)
    long = " ".join([TEXT] * 3)
    with pytest.raises(PromptTooLong) as refused:
        embed(tmp_path, long)
    assert (refused.value.tokens, refused.value.limit) == (3 * len(TEXT.split()) + 2, BERT["max_position_embeddings"])
    cut = embed(tmp_path, long, cuts=True)
    assert cut.tokens == BERT["max_position_embeddings"]
    assert cut.vectors != alone
    (tmp_path / "sentence_bert_config.json").write_text(json.dumps({"max_seq_length": 5, "do_lower_case": True}))
    assert embed(tmp_path, TEXT.upper(), cuts=True) == embed(tmp_path, TEXT, cuts=True)
    assert embed(tmp_path, TEXT, cuts=True).tokens == 5


def test_places_of_xlm_roberta_begin_after_the_padding(tmp_path: Path) -> None:
    write_encoder(tmp_path, XLM_ROBERTA, "mean_tokens")
    encoder = run_to_completion(load_encoder(tmp_path))
    assert encoder.most_tokens == XLM_ROBERTA["max_position_embeddings"] - 2


def broken(folder: Path, **changes: Any) -> None:
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps({**config, **changes}))


@pytest.mark.parametrize(
    ("config", "changes", "reason"),
    [
        (BERT, {"hidden_act": "relu"}, "unknown-architecture"),
        (BERT, {"vocab_size": 5}, "wrong-tensors"),
        (BERT, {"num_attention_heads": 5}, "wrong-tensors"),
        (NOMIC, {"num_experts": 8}, "unknown-architecture"),
        (NOMIC, {"activation_function": "gelu"}, "unknown-architecture"),
        (NOMIC, {"n_head": 5}, "damaged"),
        (NOMIC, {"n_embd": None}, "wrong-tensors"),
        ({**BERT, "model_type": "distilbert"}, {}, "unknown-architecture"),
    ],
)
def test_what_is_not_known_or_damaged_is_refused(
    tmp_path: Path, config: Mapping[str, Any], changes: dict[str, Any], reason: str
) -> None:
    write_encoder(tmp_path, BERT if config["model_type"] == "distilbert" else config, "mean_tokens")
    broken(tmp_path, model_type=config["model_type"], **changes)
    with pytest.raises(ModelNotUsable) as refused:
        embed(tmp_path)
    assert refused.value.reason == reason


def test_a_folder_without_pooling_or_room_is_refused(tmp_path: Path) -> None:
    write_encoder(tmp_path, BERT, "mean_tokens")
    crowded = ResidentEncoder(lambda: 10)
    with pytest.raises(NotEnoughMemory):
        run_to_completion(crowded.embed(EmbeddingRequest(str(tmp_path), [TEXT])))
    (tmp_path / "1_Pooling" / "config.json").unlink()
    with pytest.raises(ModelNotUsable) as refused:
        embed(tmp_path)
    assert refused.value.reason == "incomplete"
    for modules in ([{"type": "x.WordWeights"}], {}, [5]):
        (tmp_path / "modules.json").write_text(json.dumps(modules))
        (tmp_path / "1_Pooling" / "config.json").write_text(json.dumps({"pooling_mode": "cls"}))
        with pytest.raises(EngineError):
            embed(tmp_path)


def test_encoders_do_not_load_as_models_for_chats() -> None:
    for config in (BERT, XLM_ROBERTA, NOMIC, GEMMA):
        assert not can_load(config)
    assert can_load({**GEMMA, "use_bidirectional_attention": False})


def test_prompts_are_those_of_the_folder(tmp_path: Path) -> None:
    assert prompt_for(tmp_path, None) == prompt_for(tmp_path, "query") == ""
    prompts = {"query": "task: search | query: ", "passage": "title: none | text: "}
    file = tmp_path / "config_sentence_transformers.json"
    file.write_text(json.dumps({"prompts": prompts, "default_prompt_name": None}))
    assert prompt_for(tmp_path, None) == ""
    assert prompt_for(tmp_path, "query") == prompt_for(tmp_path, "search_query") == prompts["query"]
    assert prompt_for(tmp_path, "document") == prompts["passage"]
    with pytest.raises(BadRequest, match="prompt_name must be one of passage, query, not 'clustering'"):
        prompt_for(tmp_path, "clustering")
    file.write_text(json.dumps({"prompts": prompts, "default_prompt_name": "passage"}))
    assert prompt_for(tmp_path, None) == prompts["passage"]
