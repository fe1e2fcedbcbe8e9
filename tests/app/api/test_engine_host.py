"""The models that clients may name."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest
from huggingface_hub import constants

from app.api.engine_host import EngineHost
from engine import Engine, starter_pair
from tests.app.api.conftest import Serve
from tests.app.api.serving import Served
from tests.engine.model_files.model_folders import model_files, write_folder
from tests.patience import wait_until
from tests.tiny_adapters import write_adapter
from tests.tiny_gguf import write_gguf
from tests.tiny_vision import PIXTRAL, write_vision_model


def test_models_of_other_apps_can_be_named(own_home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_folder(own_home / ".omlx/models/org/model", model_files())
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path))
    with Engine() as engine:
        found = EngineHost(engine).installed()
    assert [model.id for model in found if model.source != "starter"] == ["org/model"]


def test_a_model_with_an_adapter_is_named_after_both_and_answers_with_the_draft(
    question: dict[str, Any], tmp_path: Path
) -> None:
    main, draft = Path(shutil.copytree(starter_pair()[0], tmp_path / "models" / "story")), str(starter_pair()[1])
    write_adapter(main, main / "style")
    with Engine() as engine:
        served = Served(engine, str(main), draft)
        served.host.folders = (main.parent,)
        served.host.keep("story")
        plain, adapted = (served.chat(question | {"model": name}) for name in ("story", "story:style"))
        served.close()
    assert (plain["model"], adapted["model"]) == ("story", "story:style")
    assert adapted["usage"]["speculation"]["draft"] == plain["usage"]["speculation"]["draft"] == "starter/draft"
    assert adapted["choices"][0]["message"]["content"] != plain["choices"][0]["message"]["content"]


@pytest.fixture
def hub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A Hub cache with a model, a copy of the starter's draft, in its place of download."""
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path))
    home = tmp_path / "models--org--small"
    shutil.copytree(starter_pair()[1], home / "snapshots/0a")
    (home / "refs").mkdir()
    (home / "refs/main").write_text("0a")
    return home


def test_a_model_of_a_client_is_unloaded_and_deleted_by_its_name(hub: Path, question: dict[str, Any]) -> None:
    with Engine() as engine:
        served = Served(engine, *map(str, starter_pair()))
        assert served.chat(question | {"model": "org/small:latest"})["model"] == "org/small"
        assert len(served.host.pairs) == 2
        unloaded = served.post("/api/generate", {"model": "org/small", "keep_alive": 0}).json()
        assert (unloaded["done_reason"], len(served.host.pairs)) == ("unload", 1)
        asked = {"model": "org/small", "prompt": "Hi", "options": {"num_predict": 2}, "keep_alive": 0}
        for stream in (False, True):
            assert '"done":true' in served.post("/api/generate", {**asked, "stream": stream}).text
            wait_until(lambda: len(served.host.pairs) == 1)
        served.chat(question | {"model": "org/small"})
        names = ("org/small:latest", "org/small", "starter/main")
        deleted = [served.client.request("DELETE", "/api/delete", json={"model": name}).status_code for name in names]
        assert deleted == [200, 404, 409]
        assert not hub.exists()
        assert served.chat(question | {"model": "starter/main"})["choices"]
        served.close()


@pytest.mark.parametrize("keep_alive", ["5m", -1, 300.5, "0.5s", None])
def test_a_model_stays_for_any_other_time(told: Served, keep_alive: Any) -> None:
    loaded = told.post("/api/chat", {"model": "main", "messages": [], "keep_alive": keep_alive}).json()
    assert loaded["done_reason"] == "load"


def test_a_model_for_embeddings_alone_is_refused_with_what_to_load(
    tmp_path: Path, serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Its own server, since each call scans on a thread, and a shared pool may keep a further one.
    served = serve()
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path))
    bert = b'{"model_type": "bert", "architectures": ["BertModel"]}'
    write_folder(tmp_path / "own/finder", model_files() | {"config.json": bert})
    monkeypatch.setattr(served.host, "folders", (tmp_path / "own",))
    monkeypatch.setattr("app.api.models._LIST_S", 0.0)
    served.get("/v1/models")
    for path, body in {"/v1/embeddings": {"input": "x"}, "/api/embed": {"input": "x"}}.items():
        response = served.post(path, body | {"model": "finder:latest"})
        assert response.status_code == 404
        assert "is for embeddings alone" in response.text


def test_programs_are_told_which_models_see(tmp_path: Path, serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    served = serve()
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path))
    write_vision_model(tmp_path / "own/seeing", PIXTRAL)
    monkeypatch.setattr(served.host, "folders", (tmp_path / "own",))
    monkeypatch.setattr("app.api.models._LIST_S", 0.0)
    assert "vision" in served.post("/api/show", {"model": "seeing:latest"}).json()["capabilities"]
    assert "vision" not in served.post("/api/show", {"model": "starter/main"}).json()["capabilities"]


@pytest.mark.full
def test_clients_may_name_a_gguf_file_of_the_list_before_and_after_it_is_converted(
    tmp_path: Path, question: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr("app.api.models._LIST_S", 0.0)
    file = write_gguf(tmp_path / "own/tiny.gguf")
    with Engine() as engine:
        served = Served(engine, *map(str, starter_pair()))
        monkeypatch.setattr(served.host, "folders", (file.parent,))
        for name in (str(file), "tiny", str(file)):
            assert served.chat(question | {"model": name})["model"] == "tiny"
        served.close()
