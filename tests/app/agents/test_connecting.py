"""Each program's file: written as its own reader wants it, and taken back without what a person changed."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from app.agents.connecting import (
    NotConnected,
    connected,
    file_of,
    installed,
    members_of,
    plan,
    take_back,
    with_members,
    write,
)
from app.agents.table import APPS, App, Endpoint
from app.system.paths import data_folder
from app.wording.agents import next_sentence, plan_sentence, room_sentence

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
    assert write(planned) is None
    written = place(app).read_text()
    assert planned.text.strip("{}\n") in written
    values = json.dumps(READERS.get(place(app).suffix, str)(written))
    assert OPEN.address in values
    assert "tandem" in values
    assert "tandem-7x" not in values
    # A key that stands for none would be sent instead of the one in the variable.
    assert planned.needs_key == endpoint.needs_key
    assert not endpoint.needs_key or "none" not in values
    assert connected(app)
    assert not plan(app, endpoint).writes
    assert take_back(app) == place(app)
    assert not place(app).exists()
    assert not connected(app)


@pytest.mark.parametrize(
    ("name", "context", "lacks"),
    [("claude-code", 22_905, True), ("claude-code", 32_768, False), ("codex", 2048, True), ("codex", 8192, False),
     ("opencode", 4096, True), ("aider", 2048, False), ("zed", 2048, False)],
)  # fmt: skip
def test_a_context_that_cannot_hold_the_first_request_is_said_with_models_that_can(
    name: str, context: int, lacks: bool
) -> None:
    endpoint = Endpoint("http://127.0.0.1:8642", context, contexts={"long": 131_072, "longer": 262_144, "short": 512})
    said = room_sentence(APPS[name], endpoint)
    assert bool(said) == lacks
    assert said.endswith("Choose one of these first: long, longer.") or not lacks
    alone = room_sentence(APPS[name], Endpoint("http://127.0.0.1:8642", context))
    assert alone.endswith("Download one with a longer context first.") or not lacks


@pytest.mark.first
def test_codex_gets_the_description_of_the_model_that_it_would_miss() -> None:
    values = tomllib.loads(APPS["codex"].content(OPEN))
    [model] = json.loads(Path(values["model_catalog_json"]).read_text())["models"]
    assert model["slug"] == values["model"]
    assert model["base_instructions"]
    write(plan(APPS["codex"], OPEN))
    take_back(APPS["codex"])
    assert not Path(values["model_catalog_json"]).exists()
    # As long as nothing can be kept, Codex guesses.
    Path(values["model_catalog_json"]).mkdir()
    assert "model_catalog_json" not in tomllib.loads(APPS["codex"].content(OPEN))


@pytest.mark.parametrize(("context", "window"), [(65_536, None), (131_072, "131072")])
def test_claude_code_is_told_the_context_and_sums_up_before_its_end_where_there_is_room(
    context: int, window: str | None
) -> None:
    variables = json.loads(APPS["claude-code"].content(Endpoint("http://127.0.0.1:8642", context)))["env"]
    assert variables["CLAUDE_CODE_MAX_CONTEXT_TOKENS"] == str(context)
    assert variables.get("CLAUDE_CODE_AUTO_COMPACT_WINDOW") == window


def test_agents_wait_for_a_model_that_reads_a_long_prompt() -> None:
    variables = json.loads(APPS["claude-code"].content(OPEN))["env"]
    assert variables["CLAUDE_STREAM_IDLE_TIMEOUT_MS"] == "900000"
    provider = tomllib.loads(APPS["codex"].content(OPEN))["model_providers"]["tandem"]
    assert provider["stream_idle_timeout_ms"] == 900_000
    assert json.loads(APPS["opencode"].content(OPEN))["provider"]["tandem"]["options"]["timeout"] is False
    for name in ("claude-code", "codex", "opencode"):
        app = APPS[name]
        assert app.run is not None
        # One run is told the same.
        assert "timeout" in str(app.run(app.content(OPEN))).lower()
        assert plan_sentence(plan(app, OPEN)).splitlines()[1].startswith(f"{app.name} is told to wait longer")
    place(app).write_text("mine")
    assert plan_sentence(plan(app, OPEN)).endswith("Add this by hand:")
    assert "wait longer" not in plan_sentence(plan(ZED, OPEN))


def test_a_key_is_either_of_no_matter_or_required() -> None:
    assert "enter anything" in next_sentence(plan(ZED, OPEN))
    said = next_sentence(plan(ZED, LOCKED))
    assert "The API requires a key: set TANDEM_API_KEY to it" in said
    assert "enter anything" not in said


@pytest.mark.parametrize("app", [app for app in APPS.values() if app.typed_into], ids=lambda app: app.id)
def test_what_only_a_person_can_enter_is_said_with_the_address_and_without_the_key(app: App) -> None:
    for endpoint in (OPEN, LOCKED):
        planned = plan(app, endpoint)
        assert (planned.file, planned.writes) == (None, False)
        assert "8642" in planned.text
        assert "tandem-7x" not in planned.text
        assert plan_sentence(planned) == f"Tandem can't write the settings of {app.name}. Enter this there:"
        said = next_sentence(planned)
        assert f"{app.name} then uses the model that Tandem has loaded." in said
        assert ("The API requires a key: enter it in" in said) == endpoint.needs_key


def test_lines_for_the_codex_app_are_toml_and_read_no_variable() -> None:
    for endpoint in (OPEN, LOCKED):
        _, lines = APPS["codex-app"].content(endpoint).split("\n\n", 1)
        provider = tomllib.loads(lines)["model_providers"]["tandem"]
        assert (provider["base_url"], provider["wire_api"]) == (OPEN.openai, "responses")
        assert "env_key" not in provider
        assert ("experimental_bearer_token" in provider) == endpoint.needs_key


def test_vs_code_gets_a_list_of_its_own_and_keeps_the_key_itself() -> None:
    app = APPS["vs-code"]
    [provider] = json.loads(app.content(OPEN))
    [model] = provider["models"]
    assert model["url"] == "http://127.0.0.1:8642/v1/chat/completions"
    assert model["maxInputTokens"] + model["maxOutputTokens"] == OPEN.context
    assert "enter it in VS Code" in next_sentence(plan(app, LOCKED))
    place(app).write_text("[]")
    assert plan_sentence(plan(app, OPEN)).endswith("Add this by hand:")


def test_a_program_is_installed_where_its_place_is(own_home: Path) -> None:
    assert not installed(APPS["jetbrains"])
    (own_home / "Library/Application Support/JetBrains").mkdir(parents=True)
    assert installed(APPS["jetbrains"])


def test_continue_is_told_that_models_of_names_unknown_to_it_use_tools() -> None:
    [model] = yaml.safe_load(APPS["continue"].content(OPEN))["models"]
    assert (model["capabilities"], model["defaultCompletionOptions"]) == (["tool_use"], {"contextLength": 4096})


def test_other_settings_stay_with_their_comments_and_rights_also_those_of_a_later_day(tmp_path: Path) -> None:
    # The file is kept elsewhere and linked to, as people do who synchronize their settings.
    file = tmp_path / "dotfile"
    file.write_text(OTHERS)
    file.chmod(0o640)
    link = place(ZED)
    link.symlink_to(file)
    copy = write(plan(ZED, OPEN))
    assert copy is not None
    assert copy.read_text() == OTHERS
    # A second time, it replaces what it wrote, and keeps the first copy.
    assert write(plan(ZED, Endpoint("http://127.0.0.1:9000", 4096))) == copy
    assert copy.read_text() == OTHERS
    written = file.read_text()
    assert written.count("api_url") == written.count("9000") == 1
    assert '"theme": "dark", // at night' in written
    assert link.is_symlink()
    assert file.stat().st_mode & 0o777 == 0o640
    file.write_text(written.replace("dark", "light"))
    take_back(ZED)
    assert file.read_text() == OTHERS.replace("dark", "light")
    assert not copy.exists()


@pytest.mark.parametrize(
    ("app", "content"),
    [
        (ZED, b'{"a" 1}'),
        (ZED, b"\xff\xfe{}"),
        (ZED, b'{"language_models": {}}'),
        (APPS["claude-code"], b"# mine"),
        (APPS["codex"], None),
    ],
    ids=["broken", "not UTF-8", "has the member", "not ours", "a folder"],
)
def test_a_file_that_cannot_be_changed_safely_is_left_alone_with_what_to_add(app: App, content: bytes | None) -> None:
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
    write(plan(ZED, OPEN))
    place(ZED).write_text(OTHERS)
    assert not connected(ZED)
    with pytest.raises(NotConnected, match="changed"):
        take_back(ZED)
    assert place(ZED).read_text() == OTHERS


NOTES = [
    5, None, "x", [], {}, {"file": "/tmp/x"}, {"text": "x"}, {"file": 5, "text": "x"}, {"file": "/tmp/x", "text": None},
    {"file": "/tmp/x", "text": ""}, {"file": "/tmp/x", "text": " \n"}, {"file": "\0", "text": "x"},
    {"file": "/tmp/x", "text": "x", "copy": 5}, {"file": "", "text": "x"},
]  # fmt: skip


@pytest.mark.parametrize("note", NOTES, ids=json.dumps)
def test_a_damaged_note_is_none(note: Any) -> None:
    place(ZED).write_text(OTHERS)
    notes = data_folder() / "connected.json"
    notes.parent.mkdir(parents=True)
    notes.write_text(json.dumps({"format": 2, "values": {"zed": note}}))
    assert not connected(ZED)
    with pytest.raises(NotConnected):
        take_back(ZED)
    write(plan(ZED, OPEN))
    assert connected(ZED)
    take_back(ZED)
    assert place(ZED).read_text() == OTHERS


@pytest.mark.parametrize(
    "content", ["", "{", "[]", "5", '{"format": 1, "values": {"zed": {}}}', '{"format": 2, "values": []}']
)
def test_damaged_notes_are_none(content: str, caplog: pytest.LogCaptureFixture) -> None:
    notes = data_folder() / "connected.json"
    notes.parent.mkdir(parents=True)
    notes.write_text(content)
    assert not connected(ZED)
    assert plan(ZED, OPEN).writes
    caplog.clear()


@pytest.mark.parametrize("looped", ["settings.json", ""], ids=["the file", "its folder"])
def test_a_link_that_leads_to_itself_is_left_alone(looped: str, own_home: Path) -> None:
    link = own_home / ".config/zed" / looped
    link.parent.mkdir(parents=True, exist_ok=True)
    link.symlink_to(link)
    assert not connected(ZED)
    planned = plan(ZED, OPEN)
    if planned.writes:
        with pytest.raises(NotConnected):
            write(planned)
    else:
        assert planned.after is None
    assert link.is_symlink()


def test_a_person_s_own_copies_are_neither_overwritten_nor_deleted() -> None:
    file = place(ZED)
    mine = [file.with_name(f"{file.name}.before-tandem"), file.with_name(f"{file.name}.before-tandem2")]
    mine[0].write_text("mine")
    mine[1].symlink_to("nowhere")
    file.write_text(OTHERS)
    copy = write(plan(ZED, OPEN))
    assert copy is not None
    assert copy not in mine
    assert copy.read_text() == OTHERS
    take_back(ZED)
    assert sorted(file.parent.iterdir()) == sorted([file, *mine])
    assert (mine[0].read_text(), mine[1].is_symlink()) == ("mine", True)
    # The file that is made for it goes, although there is a copy of another day.
    file.unlink()
    assert write(plan(ZED, OPEN)) is None
    take_back(ZED)
    assert sorted(file.parent.iterdir()) == sorted(mine)


def test_a_copy_that_a_person_has_changed_stays() -> None:
    place(ZED).write_text(OTHERS)
    copy = write(plan(ZED, OPEN))
    assert copy is not None
    copy.write_text("mine")
    take_back(ZED)
    assert place(ZED).read_text() == OTHERS
    assert copy.read_text() == "mine"


@pytest.mark.parametrize("app", [ZED, APPS["claude-code"], APPS["codex"], APPS["aider"]], ids=lambda app: app.id)
@pytest.mark.parametrize("content", ["", "\n", " \n\n", "{}", "{\n}\n", "{ }", "// nothing\n", '{"a": 1}', '{"a": 1,}'])
def test_what_was_taken_back_is_as_it_was(app: App, content: str) -> None:
    place(app).write_text(content)
    planned = plan(app, OPEN)
    if not planned.writes:
        assert content.strip()
        return
    for _ in range(2):
        write(plan(app, OPEN))
    take_back(app)
    assert place(app).read_text() == content
    assert list(place(app).parent.glob("*.before-tandem*")) == []


def test_a_program_without_a_file_is_told_by_variables() -> None:
    planned = plan(APPS["open-webui"], OPEN)
    assert not planned.writes
    assert f"OPENAI_API_BASE_URL={OPEN.openai}\n" in planned.text


VALUE = {"models": {"url": "http://127.0.0.1:8642/v1"}}
ADDED = json.dumps(VALUE, indent=2) + "\n"
NAMES = st.sampled_from(["a", "b", "//", '"', "\\", "/*", "ü,}"])
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | NAMES,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(NAMES, inner, max_size=2),
    max_leaves=4,
)


@pytest.mark.full
@given(st.dictionaries(NAMES, JSON, max_size=3), st.sampled_from([None, 1, "\t"]))
def test_the_members_are_added_and_no_other_is_changed(before: dict[str, Any], indent: Any) -> None:
    assert json.loads(with_members(json.dumps(before, indent=indent), ADDED)) == VALUE | before


COMMENTED = '/* { */ {"b": "// no", /* "c": 1, */ "d": [1, ],\n}'


@pytest.mark.parametrize("text", ["", "\n", "// nothing\n", "{}", "{\n}\n", "{ // mine\n}", COMMENTED])
def test_comments_and_last_commas_stay(text: str) -> None:
    after = with_members(text, ADDED)
    assert after.replace(members_of(ADDED), "").replace("{,", "{") == (text if "{" in text else text + "{\n}\n")
    # A second time, they are in the way of themselves.
    with pytest.raises(ValueError, match="no place"):
        with_members(after, ADDED)


@pytest.mark.parametrize("text", ['{"a" 1}', "[]", "{", "{" * 40 + "}" * 40, '{"a": 1} x', "/*", '{"models": 1}'])
def test_what_cannot_be_understood_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"no place|not JSON|cut off|deep"):
        with_members(text, ADDED)
