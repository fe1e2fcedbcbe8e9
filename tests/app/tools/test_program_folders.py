"""Programs of package managers, as they are found by a program that no terminal started."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from msgspec.structs import replace

from app.tools.program_folders import manager_folders
from app.tools.servers import Server
from app.tools.transports import process_of
from app.tools.variables import program_of, search_path

NVM = ".nvm/versions/node"


@pytest.fixture(autouse=True)
def finder(own_home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The environment that the Finder gives to an app, on a computer without Homebrew."""
    folder = own_home / "system"
    folder.mkdir()
    monkeypatch.setenv("PATH", str(folder))
    monkeypatch.setattr("app.tools.variables.USUAL_FOLDERS", ("~/.local/bin",))


def put(folder: Path, *names: str) -> str:
    """Put programs that say their own folder into a new one, as npx and node are; returns the path of the first."""
    folder.mkdir(parents=True)
    for name in names or ("npx", "node"):
        says = f"#!/bin/sh\necho {folder}\n"
        (folder / name).write_text("#!/usr/bin/env node\n" if name == "npx" else says)
        (folder / name).chmod(0o755)
    return str(folder / (names or ("npx",))[0])


@pytest.mark.parametrize(
    "folder",
    [
        f"{NVM}/v24.12.0/bin", ".config/nvm/versions/node/v24.12.0/bin",
        ".volta/bin", ".local/share/mise/shims", ".asdf/shims", ".bun/bin", ".deno/bin",
        "Library/pnpm", "n/bin", ".proto/shims", ".nodenv/shims", ".local/bin", ".cargo/bin", ".pyenv/shims",
        "Library/Application Support/fnm/aliases/default/bin", ".local/share/fnm/aliases/default/bin",
        "Library/Application Support/fnm/node-versions/v22.1.0/installation/bin", ".local/share/pnpm/bin",
        ".local/share/mise/installs/node/22.1.0/bin", ".asdf/installs/nodejs/22.1.0/bin", ".nix-profile/bin",
    ],
)  # fmt: skip
def test_the_programs_of_each_manager_are_found(folder: str, own_home: Path) -> None:
    assert program_of("npx", {}) is None
    program = put(own_home / folder)
    assert program_of("npx", {}) == program
    # A person who names PATH means it.
    assert program_of("npx", {"PATH": "/nowhere"}) is None


def test_what_is_in_the_path_of_the_environment_comes_first(own_home: Path) -> None:
    put(own_home / ".volta/bin")
    system = own_home / "system/npx"
    system.touch(0o755)
    assert program_of("npx", {}) == str(system)


@pytest.mark.parametrize(
    ("aliases", "version"),
    [
        ({}, "v22.9.0"),
        ({"default": "node"}, "v22.9.0"),
        ({"default": "system"}, "v22.9.0"),
        ({"default": "20"}, "v20.10.1"),
        ({"default": "v20.9.0\n"}, "v20.9.0"),
        ({"default": "lts/*", "lts/*": "lts/iron", "lts/iron": "v20.10.1"}, "v20.10.1"),
        # It is not installed.
        ({"default": "18"}, "v22.9.0"),
        ({"default": "default"}, "v22.9.0"),
        ({"default": "\0"}, "v22.9.0"),
    ],
)
def test_of_nvm_s_versions_it_is_the_default_or_else_the_newest(
    aliases: dict[str, str], version: str, own_home: Path
) -> None:
    for one in ("v9.11.2", "v20.9.0", "v20.10.1", "v22.9.0"):
        put(own_home / NVM / one / "bin")
    # A version that is not whole, and what is none.
    for one in ("v24.0.0", "v25.x", ".cache"):
        (own_home / NVM / one).mkdir()
    for name, content in aliases.items():
        file = own_home / ".nvm/alias" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(content)
    assert program_of("npx", {}) == str(own_home / NVM / version / "bin/npx")


def test_versions_that_homebrew_links_nowhere_are_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = put(tmp_path / "opt/node@22/bin")
    put(tmp_path / "opt/node@20/bin")
    put(tmp_path / "opt/python@3.14/bin", "npx")
    monkeypatch.setattr("app.tools.program_folders._VERSIONS", ((str(tmp_path / "opt"), "bin"),))
    assert program_of("npx", {}) == program


def test_folders_that_are_not_there_are_not_in_the_path(own_home: Path) -> None:
    before = manager_folders()
    (own_home / ".volta").mkdir()
    (own_home / ".volta/bin").touch()
    assert manager_folders() == before


@pytest.mark.parametrize("command", ["npx", "{}/opt/node-20/bin/npx", "opt/node-20/bin/npx"])
def test_a_program_runs_with_what_is_beside_it(command: str, own_home: Path) -> None:
    """The first line of npx asks for node."""
    if command == "npx":
        folder = own_home / NVM / "v24.12.0/bin"
        put(folder)
    else:
        folder = own_home / "opt/node-20/bin"
        put(folder)
        put(own_home / NVM / "v24.12.0/bin")
    server = Server(name="one", command=command.format(own_home))
    process = process_of(server)
    assert process.env is not None
    path = process.env["PATH"] + ":/usr/bin:/bin"
    shown = subprocess.run(process.args[-1:], env={"PATH": path}, capture_output=True, text=True, check=True)
    assert shown.stdout == f"{folder}\n"
    # After the folders that a person names, and the variables that they see are theirs.
    named = process_of(replace(server, command=str(folder / "npx"), values={"PATH": "/first"})).env
    assert named is not None
    assert named["PATH"] == os.pathsep.join(("/first", str(folder)))


def test_a_program_of_the_environment_s_path_changes_no_order(own_home: Path) -> None:
    system = own_home / "system"
    assert search_path({}, str(system / "python3")) == search_path({})
    assert search_path({}, "/elsewhere/python3").startswith(f"/elsewhere{os.pathsep}{system}{os.pathsep}")
