"""Each program's file: written as its own reader wants it, and taken back without what a person changed."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from app.agents.connecting import NotConnected, connected, file_of, plan, take_back, write
from app.agents.endpoint import Endpoint
from app.agents.table import APPS, App

OPEN = Endpoint("http://127.0.0.1:8642", 4096)
LOCKED = Endpoint("http://127.0.0.1:8642", 4096, needs_key=True, key="tandem-7x")
ZED = APPS["zed"]
OTHERS = '// mine\n{\n    "theme": "dark", // at night\n}\n'
READERS: dict[str, Callable[[str], Any]] = {".toml": tomllib.loads, ".yaml": yaml.safe_load, ".json": json.loads}


def place(app: App) -> Path:
    file = file_of(app)
    assert file is not None
    file.parent.mkdir(parents=True, exist_ok=True)
    return file


@pytest.mark.parametrize("endpoint", [OPEN, LOCKED], ids=["open", "with a key"])
@pytest.mark.parametrize("app", [app for app in APPS.values() if app.file], ids=lambda app: app.id)
def test_a_new_file_names_the_api_and_the_model_but_no_key_and_is_taken_back(app: App, endpoint: Endpoint) -> None:
    planned = plan(app, endpoint)
    assert not place(app).exists()
    write(planned)
    written = place(app).read_text()
    assert planned.text == written
    values = json.dumps(READERS.get(place(app).suffix, str)(written))
    assert OPEN.address in values
    assert "tandem" in values
    assert "tandem-7x" not in values
    # A key that stands for none would be sent instead of the one in the variable.
    assert bool(planned.key_variable) == endpoint.needs_key
    assert not endpoint.needs_key or "none" not in values
    assert connected(app)
    assert not plan(app, endpoint).writes
    assert take_back(app) == place(app)
    assert not place(app).exists()
    assert not connected(app)


@pytest.mark.parametrize(("context", "window"), [(65_536, None), (131_072, "131072")])
def test_claude_code_is_told_the_context_and_sums_up_before_its_end_where_there_is_room(
    context: int, window: str | None
) -> None:
    variables = json.loads(APPS["claude-code"].content(Endpoint("http://127.0.0.1:8642", context)))["env"]
    assert variables["CLAUDE_CODE_MAX_CONTEXT_TOKENS"] == str(context)
    assert variables.get("CLAUDE_CODE_AUTO_COMPACT_WINDOW") == window


def test_what_tandem_wrote_is_written_anew_for_another_address() -> None:
    app = APPS["codex"]
    write(plan(app, OPEN))
    write(plan(app, Endpoint("http://127.0.0.1:9000", 4096)))
    assert "9000" in place(app).read_text()
    take_back(app)
    assert not place(app).exists()


@pytest.mark.parametrize(
    ("app", "content"),
    [
        (ZED, b"\xff\xfe{}"),
        (ZED, OTHERS.encode()),
        (APPS["claude-code"], b"# mine"),
        (APPS["codex"], None),
    ],
    ids=["not UTF-8", "other settings", "not ours", "a folder"],
)
def test_a_file_with_anything_else_is_left_alone_with_what_to_add(app: App, content: bytes | None) -> None:
    if content is None:
        place(app).mkdir()
    else:
        place(app).write_bytes(content)
    planned = plan(app, OPEN)
    assert not planned.writes
    assert planned.after is None
    assert OPEN.address in planned.text
    assert content is None or place(app).read_bytes() == content


def test_a_file_that_changes_after_it_was_shown_is_neither_written_nor_taken_back() -> None:
    planned = plan(ZED, OPEN)
    place(ZED).write_text(OTHERS)
    with pytest.raises(NotConnected, match="changed"):
        write(planned)
    assert place(ZED).read_text() == OTHERS
    place(ZED).unlink()
    write(planned)
    place(ZED).write_text(OTHERS)
    assert not connected(ZED)
    with pytest.raises(NotConnected, match="changed"):
        take_back(ZED)
    assert place(ZED).read_text() == OTHERS


def test_a_program_without_a_file_is_told_by_variables() -> None:
    planned = plan(APPS["open-webui"], OPEN)
    assert not planned.writes
    assert f"OPENAI_API_BASE_URL={OPEN.openai}\n" in planned.text
