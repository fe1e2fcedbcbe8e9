"""Each program's file: written as its own reader wants it, kept beside it, and taken back as it was."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml

from app.agents.connecting import NotConnected, connected, file_of, plan, take_back, write
from app.agents.endpoint import Endpoint
from app.agents.table import APPS, App

OPEN = Endpoint("http://127.0.0.1:8642", 4096)
LOCKED = Endpoint("http://127.0.0.1:8642", 4096, needs_key=True, key="tandem-7x")
WITH_FILES = [app for app in APPS.values() if app.file]
MERGED = [APPS["opencode"], APPS["zed"]]
OWN = [app for app in WITH_FILES if app not in MERGED]
OTHERS = '// mine\n{\n    "theme": "dark", // at night\n}\n'

apps = pytest.mark.parametrize("app", WITH_FILES, ids=lambda app: app.id)
merged = pytest.mark.parametrize("app", MERGED, ids=lambda app: app.id)
own = pytest.mark.parametrize("app", OWN, ids=lambda app: app.id)


def place(app: App) -> Path:
    file = file_of(app)
    assert file is not None
    file.parent.mkdir(parents=True, exist_ok=True)
    return file


def read(file: Path) -> Any:
    text = file.read_text()
    if file.suffix == ".toml":
        return tomllib.loads(text)
    if file.suffix == ".yaml":
        return yaml.safe_load(text)
    if file.suffix == ".env":
        return dict(line.split("=", 1) for line in text.splitlines())
    return json.loads(text)


def texts(value: Any) -> list[str]:
    """Every text and number in a value."""
    if isinstance(value, dict | list):
        return [text for one in (value.values() if isinstance(value, dict) else value) for text in texts(one)]
    return [str(value)]


@apps
def test_a_new_file_names_the_api_and_the_loaded_model_and_is_taken_back(app: App) -> None:
    planned = plan(app, OPEN)
    assert not place(app).exists()
    assert write(planned) is None
    assert planned.changes == place(app).read_text()
    found = texts(read(place(app)))
    assert OPEN.address in " ".join(found)
    assert {"tandem", "openai/tandem"} & {*found, *json.dumps(read(place(app))).split('"')}
    assert connected(app)
    assert plan(app, OPEN).changes == ""
    assert take_back(app) == place(app)
    assert not place(app).exists()
    assert not connected(app)


@apps
def test_the_key_is_never_written(app: App) -> None:
    planned = plan(app, LOCKED)
    assert planned.key_variable
    assert planned.key_variable == app.key_variable
    assert "tandem-7x" not in planned.after.decode()
    assert "none" not in texts(read(write(planned) or place(app)))


@merged
def test_what_else_is_in_the_file_stays_with_its_comments_and_rights(app: App) -> None:
    place(app).write_text(OTHERS)
    place(app).chmod(0o640)
    planned = plan(app, OPEN)
    assert " // mine" in planned.changes
    copy = write(planned)
    after = place(app).read_text()
    assert '"theme": "dark", // at night' in after
    assert OPEN.openai in after
    assert place(app).stat().st_mode & 0o777 == 0o640
    assert copy is not None
    assert copy.read_text() == OTHERS
    take_back(app)
    assert place(app).read_text() == OTHERS
    assert not copy.exists()


@merged
def test_written_twice_it_goes_back_to_the_file_before_the_first(app: App) -> None:
    place(app).write_text(OTHERS)
    first = write(plan(app, OPEN))
    second = write(plan(app, Endpoint("http://127.0.0.1:9000", 4096)))
    assert first == second
    assert "9000" in place(app).read_text()
    take_back(app)
    assert place(app).read_text() == OTHERS


@merged
@pytest.mark.parametrize("content", [b'{"a" 1}', b"\xff\xfe{}", b'{"provider": [], "language_models": 3}'])
def test_a_file_that_cannot_be_understood_is_left_alone_with_what_to_add(app: App, content: bytes) -> None:
    place(app).write_bytes(content)
    with pytest.raises(NotConnected) as refused:
        plan(app, OPEN)
    assert refused.value.arguments["reason"] == "broken"
    assert OPEN.openai in str(refused.value.arguments["text"])
    assert place(app).read_bytes() == content


@own
def test_a_file_of_that_name_that_is_not_ours_is_left_alone(app: App) -> None:
    place(app).write_text("# mine\n")
    with pytest.raises(NotConnected) as refused:
        plan(app, OPEN)
    assert refused.value.arguments["reason"] == "others"
    assert place(app).read_text() == "# mine\n"


@apps
def test_a_file_that_was_changed_since_is_not_taken_back(app: App) -> None:
    write(plan(app, OPEN))
    changed = place(app).read_text() + "\n"
    place(app).write_text(changed)
    with pytest.raises(NotConnected, match="changed"):
        take_back(app)
    assert place(app).read_text() == changed


@merged
def test_a_file_that_changes_after_it_was_shown_is_not_written(app: App) -> None:
    planned = plan(app, OPEN)
    place(app).write_text(OTHERS)
    with pytest.raises(NotConnected, match="changed"):
        write(planned)
    assert place(app).read_text() == OTHERS


@merged
def test_a_link_stays_a_link(app: App, tmp_path: Path) -> None:
    file = place(app)
    (tmp_path / "dotfile").write_text(OTHERS)
    file.symlink_to(tmp_path / "dotfile")
    write(plan(app, OPEN))
    assert file.is_symlink()
    assert OPEN.openai in (tmp_path / "dotfile").read_text()


@merged
def test_a_folder_or_a_missing_copy_is_said(app: App) -> None:
    place(app).write_text(OTHERS)
    copy = write(plan(app, OPEN))
    assert copy is not None
    copy.unlink()
    with pytest.raises(NotConnected, match="copy"):
        take_back(app)
    place(app).unlink()
    place(app).mkdir()
    with pytest.raises(NotConnected, match="cannot be read"):
        plan(app, OPEN)


def test_a_program_without_a_file_is_told_by_variables() -> None:
    planned = plan(APPS["open-webui"], OPEN)
    assert planned.file is None
    assert planned.variables["OPENAI_API_BASE_URL"] == OPEN.openai
    with pytest.raises(NotConnected, match="has not written"):
        take_back(APPS["open-webui"])
