"""`tandem serve`: where it serves, for whom, and how it ends."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest

from app.__main__ import main
from app.agents.table import Endpoint, serving_endpoint
from app.api.guard import ApiSettings
from app.cli.serve import serving
from app.settings.declarations import SettingsValues
from tests.patience import PATIENCE_S
from tests.tiny_models import QWEN3, write_disturbed_copy, write_model


def test_other_machines_are_not_served_without_a_key_and_the_risk_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["serve", "--host", "0.0.0.0"]) == 2
    err = capsys.readouterr().err
    assert "other computers can reach 0.0.0.0" in err
    assert "unencrypted" in err


@pytest.mark.parametrize("port", ["-1", "65536", "http"])
def test_a_port_is_a_number(port: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stop:
        main(["serve", "--port", port])
    assert stop.value.code == 2
    assert "65535" in capsys.readouterr().err


def ask(address: str, path: str, body: dict[str, Any] | None = None) -> urllib.request.Request:
    """A call with the key, of a program that is called agent."""
    headers = {"Authorization": "Bearer secret", "Content-Type": "application/json", "User-Agent": "agent/1.0"}
    return urllib.request.Request(f"{address}{path}", None if body is None else json.dumps(body).encode(), headers)


def served(port: int = 0) -> tuple[subprocess.Popen[str], str]:
    """A server with a key, and its address."""
    command = [sys.executable, "-m", "app", "serve", "--port", str(port), "--key"]
    environment = {**os.environ, "TANDEM_API_KEY": "secret", "MLX_DISABLE_COMPILE": "1"}
    process = subprocess.Popen(command, stderr=subprocess.PIPE, env=environment, text=True)
    assert process.stderr is not None
    address = process.stderr.readline().split(" at ")[1].split("/v1")[0]
    assert "Bearer $TANDEM_API_KEY" in process.stderr.readline()
    return process, address


def test_it_serves_with_a_key_until_it_is_told_to_end() -> None:
    process, address = served()
    with process:
        assert process.stderr is not None
        with urllib.request.urlopen(ask(address, "/v1/models"), timeout=PATIENCE_S) as response:
            loaded = {model["id"] for model in json.load(response)["data"] if model["loaded"]}
        assert loaded == {"starter/main", "starter/draft"}
        body = {"messages": [{"role": "user", "content": "A secret"}], "max_tokens": 2}
        with urllib.request.urlopen(ask(address, "/v1/chat/completions", body), timeout=PATIENCE_S) as response:
            assert json.load(response)["usage"]["completion_tokens"] == 2
        process.send_signal(signal.SIGTERM)
        assert process.wait(PATIENCE_S) == 0
        assert process.stderr.read() == ""


@pytest.mark.campaign
def test_a_server_that_was_killed_while_it_answered_starts_again_at_the_same_port() -> None:
    body = {"messages": [{"role": "user", "content": "What is a draft model?"}]}
    process, address = served()
    for _ in range(3):
        asked = ask(address, "/v1/chat/completions", body | {"stream": True})
        with process, urllib.request.urlopen(asked, timeout=PATIENCE_S) as response:
            assert response.readline().startswith(b"data: ")
            process.kill()
        process, address = served(int(address.rpartition(":")[2]))
    with process:
        with urllib.request.urlopen(ask(address, "/v1/chat/completions", body), timeout=PATIENCE_S) as response:
            assert json.load(response)["choices"][0]["message"]["content"]
        process.kill()


@pytest.fixture
def folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Path, Path]:
    """A main and a draft model in folders of the same name, where nobody looks for models."""
    # Their template needs no process of its own, which takes seconds to start.
    monkeypatch.setattr("engine.tokenizers.loading.is_known_good", lambda _: True)
    main_model = write_model(tmp_path / "mine/4bit", config=QWEN3 | {"max_position_embeddings": 65_536})
    return main_model, write_disturbed_copy(main_model, tmp_path / "drafts/4bit", amount=0.05)


@pytest.fixture
def client(folders: tuple[Path, Path]) -> Iterator[httpx2.Client]:
    """A client of what `tandem serve --main FOLDER --draft FOLDER` serves."""
    pair = str(folders[0]), str(folders[1])
    with (
        serving(SettingsValues(), pair, ApiSettings(port=0)) as api,
        httpx2.Client(base_url=api.status.address, timeout=PATIENCE_S, trust_env=False) as client,
    ):
        yield client


def answering(client: httpx2.Client, model: str) -> tuple[str, str]:
    """The main and the draft model that answer a call for `model`."""
    question = {"model": model, "messages": [{"role": "user", "content": "Hello"}], "max_tokens": 2}
    answer = client.post("/v1/chat/completions", json=question).json()
    return answer["model"], answer["usage"]["speculation"]["draft"]


def test_a_folder_that_is_served_is_listed_first_and_can_be_named_after_another_model(
    client: httpx2.Client, folders: tuple[Path, Path]
) -> None:
    for name in ("4bit", str(folders[0]), "default"):
        listed = client.get("/v1/models").json()["data"]
        assert (listed[0]["id"], listed[0]["context_length"], listed[0]["loaded"]) == ("4bit", 65_536, True)
        assert answering(client, "starter/main") == ("starter/main", "starter/draft")
        listed = client.get("/v1/models").json()["data"]
        assert {"4bit", "starter/main"} <= {model["id"] for model in listed if model["loaded"]}
        assert answering(client, "tandem") == ("4bit", "4bit")
        assert answering(client, name) == ("4bit", "4bit"), name


def test_programs_are_told_of_the_served_model_while_others_are_used(client: httpx2.Client) -> None:
    def context() -> int:
        endpoint = serving_endpoint(Endpoint(str(client.base_url).rstrip("/")), "")
        assert endpoint is not None
        return endpoint.context

    assert context() == 65_536
    answering(client, "starter/main")
    assert context() == 65_536


KEYCHAIN_KEY = "tandem-of-the-keychain"


@pytest.mark.parametrize("origin", ["keychain", "variable"])
def test_the_key_is_not_printed_but_where_it_is(
    origin: str, folders: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """What a service writes is kept in a log."""
    monkeypatch.setattr("app.settings.keychain.Keychain.read", lambda *_: KEYCHAIN_KEY)
    monkeypatch.setattr("app.cli.serve._until_interrupted", lambda: None)
    if origin == "variable":
        monkeypatch.setenv("TANDEM_API_KEY", "tandem-of-the-variable")
    monkeypatch.setattr("app.session.api_service.network_address", lambda: "192.0.2.7")
    # The address that stands for all of a computer's is none that a program can be given.
    host = "0.0.0.0" if origin == "keychain" else "127.0.0.1"
    assert main(["serve", "--key", "--host", host, "--port", "0", "--main", str(folders[0])]) == 0
    printed = "".join(capsys.readouterr())
    assert "http://0.0.0.0" not in printed
    assert "curl http://127.0.0.1:" in printed
    assert ("http://192.0.2.7:" in printed) == (origin == "keychain")
    assert "tandem-of" not in printed
    assert "Bearer $TANDEM_API_KEY" in printed
    assert ("in the keychain: export TANDEM_API_KEY=$(" in printed) == (origin == "keychain")


def test_without_a_keychain_a_key_is_asked_for(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("app.settings.keychain.Keychain.read", lambda *_: None)
    monkeypatch.setattr("app.settings.keychain.Keychain.write", lambda *_: False)
    assert main(["serve", "--key"]) == 2
    err = capsys.readouterr().err
    assert "there is no keychain" in err
    assert "set TANDEM_API_KEY" in err
