"""Embeddings: of length 1, near each other for related texts, in the shapes of OpenAI's and Ollama's APIs."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import ollama
import pytest
from huggingface_hub import constants

from engine import Engine, starter_pair
from tests.app.api.conftest import Serve
from tests.app.api.serving import UNENCRYPTED, Served
from tests.encoder_folders import BERT, WIDTH, write_encoder
from tests.patience import PATIENCE_S
from tests.tiny_models import QWEN3, write_model

TEXTS = ["How do I choose a model?", "How can I choose a model?", "서울에는 비가 옵니다."]


def dot(first: Any, second: Any) -> float:
    return math.fsum(a * b for a, b in zip(first, second, strict=True))


def test_related_texts_are_nearer_than_others(starter: Served) -> None:
    with starter.openai() as client:
        # Without a format, the client asks for base64.
        found = client.embeddings.create(model="default", input=TEXTS)
    first, second, other = (one.embedding for one in found.data)
    assert [one.index for one in found.data] == [0, 1, 2]
    assert dot(first, first) == pytest.approx(1, abs=1e-5)
    assert dot(first, second) > dot(first, other)
    assert found.usage.prompt_tokens > len(TEXTS)
    assert found.model == "starter/main"


def test_an_embedding_does_not_depend_on_the_texts_beside_it(starter: Served) -> None:
    many = starter.post("/v1/embeddings", {"input": TEXTS * 4}).json()["data"]
    alone = starter.post("/v1/embeddings", {"input": TEXTS[1]}).json()["data"]
    assert many[1]["embedding"] == pytest.approx(alone[0]["embedding"], abs=1e-5)
    assert many[10]["embedding"] == many[1]["embedding"]
    assert starter.post("/v1/embeddings", {"input": [[5, 6], [7]]}).json()["data"][1]["index"] == 1


@pytest.mark.full
def test_a_long_text_is_read_in_several_passes_to_its_end(starter: Served) -> None:
    long = " ".join(TEXTS * 24)
    whole, more = (
        starter.post("/v1/embeddings", {"input": text}).json()["data"][0]["embedding"] for text in (long, f"{long} End")
    )
    assert dot(whole, whole) == pytest.approx(1, abs=1e-5)
    assert whole != more


def test_fewer_dimensions_are_the_first_ones(starter: Served) -> None:
    whole, short = (
        starter.post("/v1/embeddings", {"input": TEXTS[0], **more}).json()["data"][0]["embedding"]
        for more in ({}, {"dimensions": 8})
    )
    assert (len(short), dot(short, short)) == (8, pytest.approx(1, abs=1e-5))
    assert short[0] / short[1] == pytest.approx(whole[0] / whole[1])


def test_ollamas_client_embeds(starter: Served) -> None:
    with ollama.Client(starter.address, timeout=PATIENCE_S, **UNENCRYPTED) as client:
        found = client.embed(model="starter/main:latest", input=TEXTS[:2])
        one = client.embeddings(model="starter/main", prompt=TEXTS[0])
    assert len(found.embeddings) == 2
    assert found.prompt_eval_count
    assert list(one.embedding) == pytest.approx(list(found.embeddings[0]), abs=1e-5)


LONG = "the quick brown fox " * 20


@pytest.fixture(scope="module")
def short(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A random decoder with a context of 32 tokens."""
    main = write_model(
        tmp_path_factory.mktemp("short") / "main", seed=1, config=QWEN3 | {"max_position_embeddings": 32}
    )
    with Engine() as engine, pytest.MonkeyPatch.context() as patch:
        # Its template needs no process of its own, which takes seconds to start.
        patch.setattr("engine.tokenizers.loading.is_known_good", lambda _: True)
        served = Served(engine, str(main), None)
        # The thread that lists models stays.
        served.get("/v1/models")
        yield served
        served.close()


@pytest.mark.parametrize(("path", "field"), [("/api/embed", "input"), ("/api/embeddings", "prompt")])
def test_ollamas_endpoints_cut_a_text_that_is_too_long_for_a_decoder(short: Served, path: str, field: str) -> None:
    cut, asked = (short.post(path, {field: LONG, **more}) for more in ({}, {"truncate": True}))
    assert (cut.status_code, asked.json()) == (200, cut.json() | asked.json())
    refused = short.post(path, {field: LONG, "truncate": False})
    assert (refused.status_code, "Prompt is too long" in refused.text) == (400, True)
    if path == "/api/embed":
        assert cut.json()["prompt_eval_count"] == 31
        # Of several texts, that one alone.
        both = short.post(path, {"input": ["lazy dog", LONG]}).json()["embeddings"]
        alone = short.post(path, {"input": "lazy dog"}).json()["embeddings"][0]
        assert both[0] == pytest.approx(alone, abs=1e-5)
        assert both[1] == pytest.approx(cut.json()["embeddings"][0], abs=1e-5)


def test_openais_endpoint_refuses_such_a_text_unless_it_is_told_to_cut_it(short: Served) -> None:
    refused = short.post("/v1/embeddings", {"input": LONG})
    assert (refused.status_code, refused.json()["error"]["code"]) == (400, "context_length_exceeded")
    assert short.post("/v1/embeddings", {"input": LONG, "truncate": True}).status_code == 200


def test_an_answer_after_an_embedding_is_as_before(starter: Served, question: dict[str, Any]) -> None:
    before = starter.chat(question)["choices"][0]["message"]["content"]
    starter.post("/v1/embeddings", {"input": TEXTS})
    assert starter.chat(question)["choices"][0]["message"]["content"] == before


@pytest.mark.parametrize(
    ("body", "param"),
    [({}, "input"), ({"input": []}, "input"), ({"input": 5}, "input"), ({"input": [1, "a"]}, "input")],
)
def test_what_is_no_text_is_refused(serve: Serve, body: dict[str, Any], param: str) -> None:
    response = serve().post("/v1/embeddings", body)
    assert (response.status_code, response.json()["error"]["param"]) == (400, param)


@pytest.mark.parametrize(("options", "skipped"), [({"num_ctx": 128}, "num_ctx"), ({"num_ctx": None}, None)])
def test_the_shorter_context_that_ollamas_clients_ask_for_is_said_to_have_no_effect(
    starter: Served, options: dict[str, Any], skipped: str | None
) -> None:
    response = starter.post("/api/embed", {"input": TEXTS[0], "options": options})
    assert (response.status_code, response.headers.get("x-tandem-skipped")) == (200, skipped)


def test_an_answer_says_that_its_model_was_not_made_for_embeddings(starter: Served) -> None:
    for path, body in {
        "/v1/embeddings": {"input": TEXTS[0]},
        "/api/embed": {"input": TEXTS[0]},
        "/api/embeddings": {"prompt": TEXTS[0]},
    }.items():
        assert starter.post(path, body).json()["x-embedding"] == {"model": "chat", "pooling": "mean"}


def test_an_encoder_embeds_by_its_name_with_its_prompts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path / "cache"))
    # Its tokenizer needs no process of its own, which takes seconds to start.
    monkeypatch.setattr("engine.tokenizers.loading.is_known_good", lambda _: True)
    folder = tmp_path / "own" / "bge"
    folder.parent.mkdir()
    write_encoder(folder, BERT, "cls_token")
    settings = {"prompts": {"query": "query : ", "document": ""}}
    (folder / "config_sentence_transformers.json").write_text(json.dumps(settings))

    def vectors(path: str = "/v1/embeddings", **fields: Any) -> list[list[float]]:
        reply = served.post(path, {"model": "bge", **fields}).json()
        assert reply["x-embedding"] == {"model": "embedding", "pooling": "first"}
        return reply["embeddings"] if path == "/api/embed" else [one["embedding"] for one in reply["data"]]

    with Engine() as engine:
        served = Served(engine, str(starter_pair()[0]), None)
        served.host.folders = (folder.parent,)
        try:
            [listed] = [one for one in served.get("/v1/models").json()["data"] if one["id"] == "bge"]
            assert listed["kinds"] == ["embedding"]
            plain, asked = vectors(input=["lazy dog", "query : lazy dog"])
            assert (len(plain), dot(plain, plain)) == (WIDTH, pytest.approx(1, abs=1e-5))
            assert vectors(input="lazy dog", prompt_name="query") == [asked]
            assert vectors(input="lazy dog", input_type="search_document") == [plain]
            assert vectors("/api/embed", input=["dog " * 50, "dog"])[1] == vectors(input="dog")[0]
            for fields, param in (
                ({"input": "dog", "prompt_name": "other"}, "prompt_name"),
                ({"input": [[5, 6]]}, "input"),
            ):
                response = served.post("/v1/embeddings", {"model": "bge", **fields})
                assert (response.status_code, response.json()["error"]["param"]) == (400, param)
            long = served.post("/v1/embeddings", {"model": "bge", "input": "dog " * 50})
            assert long.json()["error"]["code"] == "context_length_exceeded"
            chat = served.post(
                "/v1/chat/completions", {"model": "bge", "messages": [{"role": "user", "content": "Hi"}]}
            )
            assert "writes no text: name it at /v1/embeddings" in chat.text
        finally:
            served.close()
