"""The local API of the window: when it serves, its keys, its figures, and the models that clients load."""

from __future__ import annotations

import json
import threading
from contextlib import closing
from dataclasses import replace
from http.client import HTTPConnection
from typing import Any

import pytest
from PySide6.QtCore import QObject
from pytestqt.qtbot import QtBot

from app.conversations.request_history import ProgramRequest, RequestRow
from app.session.api_service import ApiChoice, ApiService
from app.session.session import Session
from app.system.background import Background
from tests.app.free_port import free_port
from tests.app.hub_library import KeychainInMemory
from tests.app.session.conftest import OpenSession


class ThreadedClient:
    """Sends requests from another thread, because the answers may need the Qt thread."""

    def __init__(self, port: int, qtbot: QtBot, owner: QObject) -> None:
        self.port, self._qtbot = port, qtbot
        self._background = Background("client", parent=owner)

    def get(self, path: str, **headers: str) -> tuple[int, Any]:
        return self._ask("GET", path, None, headers)

    def delete(self, path: str) -> tuple[int, Any]:
        return self._ask("DELETE", path)

    def post(self, path: str, body: dict[str, Any]) -> tuple[int, Any]:
        return self._ask("POST", path, json.dumps(body), {"Content-Type": "application/json"})

    def _ask(self, *request: Any) -> tuple[int, Any]:
        def ask() -> tuple[int, Any]:
            with closing(HTTPConnection("127.0.0.1", self.port, timeout=30)) as connection:
                connection.request(*request)
                response = connection.getresponse()
                return response.status, json.loads(response.read())

        # `result` raises it: a test may expect a refused connection.
        answered = self._background.run(ask, failed=lambda _: None)
        self._qtbot.waitUntil(answered.done)
        return answered.result()


@pytest.fixture
def session(open_session: OpenSession) -> Session:
    return open_session()


def serving(
    session: Session, qtbot: QtBot, secrets: KeychainInMemory | None = None, **chosen: Any
) -> tuple[ApiService, ThreadedClient]:
    choice = replace(ApiChoice(serve=True, port=free_port()), **chosen)
    if secrets is not None:
        session.api.close()
        session.api = ApiService(session.models, session, lambda: secrets)
    session.api.configure(choice)
    qtbot.waitUntil(lambda: session.api.status is not None or session.api.problem is not None)
    return session.api, ThreadedClient(choice.port, qtbot, session)


def test_it_serves_only_where_that_was_chosen(session: Session, qtbot: QtBot) -> None:
    assert session.api.status is None
    api, client = serving(session, qtbot)
    assert client.get("/health")[0] == 200
    assert api.status is not None
    assert api.status.address == f"http://127.0.0.1:{client.port}"
    api.configure(ApiChoice())
    qtbot.waitUntil(lambda: api.status is None)
    with pytest.raises(ConnectionRefusedError):
        client.get("/health")


def test_it_waits_for_an_engine(open_session: OpenSession, qtbot: QtBot) -> None:
    session = open_session(load=False)
    session.api.configure(ApiChoice(serve=True, port=free_port()))
    assert session.api.status is None
    session.models.load_starter()
    qtbot.waitUntil(lambda: session.api.status is not None)


def test_others_with_accounts_need_a_key_which_is_kept_and_renewed(
    session: Session, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.session.api_service.others_have_accounts", lambda: True)
    secrets = KeychainInMemory()
    api, client = serving(session, qtbot, secrets)
    first = api.key
    assert first in secrets.kept.values()
    assert client.get("/v1/models")[0] == 401
    assert client.get("/v1/models", Authorization=f"Bearer {first}")[0] == 200
    api.renew_key()
    qtbot.waitUntil(lambda: api.key != first)
    qtbot.waitUntil(lambda: api.status is not None)
    assert client.get("/v1/models", Authorization=f"Bearer {first}")[0] == 401
    assert client.get("/v1/models", Authorization=f"Bearer {api.key}")[0] == 200


def test_other_computers_need_a_key(session: Session, qtbot: QtBot) -> None:
    api, client = serving(session, qtbot, KeychainInMemory(), network=True)
    assert api.key
    assert client.get("/v1/models")[0] == 401


def test_a_clients_question_is_answered_counted_and_recorded_at_the_end(session: Session, qtbot: QtBot) -> None:
    api, client = serving(session, qtbot)
    status, answer = client.post("/v1/chat/completions", {"messages": [{"role": "user", "content": "Hello"}]})
    assert (status, answer["object"]) == (200, "chat.completion")
    assert [call.state for call in api.ended] == ["finished"]
    assert api.ended[0].figures.generated_tokens == answer["usage"]["completion_tokens"] > 0
    # Another model answers beside the window's own, which stays.
    own = session.models.pair
    asked = {"model": "starter/draft", "messages": [{"role": "user", "content": "Hello"}]}
    assert client.post("/v1/chat/completions", asked)[1]["model"] == "starter/draft"
    assert session.models.pair == own
    # The window shows the draft model that a client changed.
    assert client.delete("/v1/speculation")[0] == 200
    qtbot.waitUntil(lambda: not session.models.pair.loading)
    qtbot.waitUntil(lambda: session.models.pair.draft is None)
    ended: list[ProgramRequest] = []
    api.calls_ended.connect(ended.extend)
    client.post("/v1/completions", {"prompt": "Hello"})
    session.close()
    assert [one.endpoint for one in ended][-1] == "/v1/completions"
    assert api.status is None
    with pytest.raises(ConnectionRefusedError):
        HTTPConnection("127.0.0.1", client.port, timeout=5).request("GET", "/health")


def test_what_programs_asked_is_in_the_history_without_a_word_of_it(session: Session, qtbot: QtBot) -> None:
    _, client = serving(session, qtbot)
    asked = {"messages": [{"role": "user", "content": "A secret"}], "n": 2, "speculation": "draft"}
    client.post("/v1/chat/completions", asked)
    rows: list[RequestRow] = []

    def look() -> bool:
        session.history.read("finished_at", True, None, 10, lambda found: rows.__setitem__(slice(None), found.rows))
        return len(rows) == 2

    qtbot.waitUntil(look)
    assert {(row.endpoint, row.method, row.finish_reason) for row in rows} == {
        ("/v1/chat/completions", "draft", "stop")
    }
    assert {(row.main_model, row.draft_model) for row in rows} == {session.models.pair.names}
    assert "secret" not in repr(rows)
    session.history.delete_programs()
    qtbot.waitUntil(lambda: not look() and not rows)


@pytest.mark.expects_log
def test_a_server_that_ends_on_an_error_is_noticed(
    session: Session, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    ends = threading.Event()

    def run(*_: object) -> None:
        ends.wait()
        raise RuntimeError

    monkeypatch.setattr("uvicorn.Server.run", run)
    api, _ = serving(session, qtbot)
    ends.set()
    qtbot.waitUntil(lambda: api.status is None)
