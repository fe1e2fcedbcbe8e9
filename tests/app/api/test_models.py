"""What the lists of each API say of models for chats, encoders, and decoders that were made for embeddings."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import ollama
import pytest
from huggingface_hub import constants

from tests.app.api.serving import UNENCRYPTED, Served
from tests.app.scripted_engine import ScriptedEngine
from tests.encoder_folders import BERT, WIDTH, write_encoder
from tests.engine.model_files.model_folders import model_files, write_folder
from tests.patience import PATIENCE_S
from tests.tiny_models import QWEN3, write_model

# An encoder, a decoder with a pooling, and an encoder that does not run here.
ENCODER, DECODER, REFUSED = "bge", "finder", "mpnet"


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A server with the starter pair and three models for embeddings."""
    folder = tmp_path_factory.mktemp("models")
    write_encoder(folder / "own" / ENCODER, BERT, "cls_token")
    (folder / "own" / ENCODER / "sentence_bert_config.json").write_text('{"max_seq_length": 20}')
    write_model(folder / "own" / DECODER, seed=1, config=QWEN3)
    (folder / "own" / DECODER / "1_Pooling").mkdir()
    (folder / "own" / DECODER / "1_Pooling" / "config.json").write_text('{"pooling_mode_lasttoken": true}')
    refused = json.dumps({"model_type": "mpnet", "architectures": ["MPNetModel"]}).encode()
    write_folder(folder / "own" / REFUSED, model_files() | {"config.json": refused})
    engine = ScriptedEngine()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(constants, "HF_HUB_CACHE", str(folder / "cache"))
        served = Served(engine)
        served.host.folders = (folder / "own",)
        # The thread that lists models stays.
        served.get("/v1/models")
        yield served
        served.close()
        engine.close()


def by_name(entries: list[dict[str, Any]], name: str = "id") -> dict[str, dict[str, Any]]:
    return {entry[name]: entry for entry in entries}


def test_ollamas_list_says_what_each_model_is_for_and_how_much_it_reads(served: Served) -> None:
    listed = by_name(served.get("/api/tags").json()["models"], "name")
    assert {"starter/main", ENCODER, DECODER} <= {*listed}
    assert REFUSED not in listed
    purposes = {name: listed[name]["capabilities"] for name in ("starter/main", ENCODER, DECODER)}
    assert purposes == {"starter/main": ["completion", "tools"], ENCODER: ["embedding"], DECODER: ["embedding"]}
    # The shorter one of what the network has places for and what the folder says.
    assert [listed[name]["details"]["context_length"] for name in (ENCODER, DECODER)] == [20, 512]
    assert listed[ENCODER]["details"]["embedding_length"] == WIDTH
    assert listed[ENCODER]["details"]["parameter_size"] == ""
    assert listed[ENCODER]["size"] > 0
    # Programs without a choice take the first.
    assert served.get("/api/tags").json()["models"][0]["capabilities"][0] == "completion"


@pytest.mark.parametrize("name", [ENCODER, f"{ENCODER}:latest", DECODER])
def test_ollama_shows_an_embedding_model_as_what_it_is(served: Served, name: str) -> None:
    kind = "bert" if ENCODER in name else "qwen3"
    shown = served.post("/api/show", {"model": name}).json()
    assert (shown["capabilities"], shown["details"]["family"]) == (["embedding"], kind)
    assert shown["model_info"]["general.architecture"] == kind
    assert shown["model_info"][f"{kind}.context_length"] == shown["details"]["context_length"]
    assert shown["model_info"][f"{kind}.embedding_length"] == shown["details"]["embedding_length"]


def test_ollama_shows_no_other_model_for_an_embedding_model_that_does_not_run(served: Served) -> None:
    for name in (REFUSED, f"{REFUSED}:latest"):
        assert served.post("/api/show", {"model": name}).status_code == 404


def test_ollamas_client_reads_the_list(served: Served) -> None:
    with ollama.Client(served.address, timeout=PATIENCE_S, **UNENCRYPTED) as client:
        names = [model.model for model in client.list().models]
        capabilities = client.show(ENCODER).capabilities
    assert ENCODER in names
    assert capabilities == ["embedding"]


def test_lm_studios_lists_tell_embedding_models_from_others(served: Served) -> None:
    listed = by_name(served.get("/api/v0/models").json()["data"])
    kinds = {name: listed[name]["type"] for name in ("starter/main", ENCODER, DECODER)}
    assert kinds == {"starter/main": "llm", ENCODER: "embeddings", DECODER: "embeddings"}
    assert (listed[ENCODER]["max_context_length"], listed[ENCODER]["state"]) == (20, "not-loaded")
    for name in (ENCODER, DECODER, "starter/main"):
        assert served.get(f"/api/v0/models/{name}").json() == listed[name]

    newer = by_name(served.get("/api/v1/models").json()["models"], "key")
    kinds = {name: newer[name]["type"] for name in ("starter/main", ENCODER, DECODER)}
    assert kinds == {"starter/main": "llm", ENCODER: "embedding", DECODER: "embedding"}
    assert newer[ENCODER]["max_context_length"] == 20
    # What LM Studio leaves out of an embedding model.
    assert {*newer["starter/main"]} - {*newer[ENCODER]} == {"architecture", "capabilities", "description"}


def test_one_encoder_is_shown_as_the_list_has_it(served: Served) -> None:
    listed = by_name(served.get("/v1/models").json()["data"])
    assert listed[ENCODER]["kinds"] == ["embedding"]
    assert served.get(f"/v1/models/{ENCODER}").json() == listed[ENCODER]


def test_an_encoder_with_a_damaged_limit_is_in_no_list(served: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.api.models._LIST_S", 0.0)
    limits = Path(served.host.folders[0]) / ENCODER / "sentence_bert_config.json"
    written = limits.read_text()
    limits.write_text("{")
    try:
        assert ENCODER not in by_name(served.get("/api/tags").json()["models"], "name")
    finally:
        limits.write_text(written)
    assert ENCODER in by_name(served.get("/api/tags").json()["models"], "name")
