"""The folders in which managers of versions put programs, so that npx and uvx are found. No Qt.

The engine's module of the same name has the folders that are alike on most computers, and why they are asked for.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

# Folders with one version of each program, or with programs that choose it.
_MANAGERS = (
    *("~/.volta/bin", "~/.local/share/mise/shims", "~/.asdf/shims", "~/.asdf/bin", "~/.proto/shims", "~/.proto/bin"),
    *("~/Library/Application Support/fnm/aliases/default/bin", "~/.local/share/fnm/aliases/default/bin"),
    *("~/.fnm/aliases/default/bin", "~/.nodenv/shims", "~/.nodebrew/current/bin", "~/n/bin", "~/.n/bin"),
    *("~/.bun/bin", "~/.deno/bin", "~/Library/pnpm", "~/Library/pnpm/bin", "~/.local/share/pnpm"),
    *("~/.local/share/pnpm/bin", "~/.yarn/bin", "~/.npm-global/bin", "~/.npm-packages/bin"),
    *("~/.pyenv/shims", "~/.cargo/bin", "~/go/bin", "~/.nix-profile/bin", "/nix/var/nix/profiles/default/bin"),
    *("~/.orbstack/bin", "~/.docker/bin", "/opt/local/bin", "/home/linuxbrew/.linuxbrew/bin"),
)
# Folders of all versions, and where the programs are in the folder of one. Homebrew links older versions nowhere.
_VERSIONS = (
    ("~/.nvm/versions/node", "bin"),
    ("~/.config/nvm/versions/node", "bin"),
    ("~/Library/Application Support/fnm/node-versions", "installation/bin"),
    ("~/.local/share/fnm/node-versions", "installation/bin"),
    ("~/.fnm/node-versions", "installation/bin"),
    ("~/.local/share/mise/installs/node", "bin"),
    ("~/.asdf/installs/nodejs", "bin"),
    ("/opt/homebrew/opt", "bin"),
    ("/usr/local/opt", "bin"),
)
# Where nvm keeps its aliases, from the folder of its versions.
_NVM_ALIASES = Path("../../alias")
# A whole version, after the name that Homebrew gives to its folder.
_VERSION = re.compile(r"(?:v|node@)?(\d+(?:\.\d+)*)", re.ASCII)
# Names of nvm's may lead to others: default, lts/*, lts/krypton, v24.12.0.
_MOST_ALIASES = 8
_LONGEST_VERSION_NAME = 100

_Version = tuple[int, ...]


def manager_folders() -> list[str]:
    """Return the folders of package managers that are on this computer, the likelier ones first."""
    chosen = (_chosen(Path(os.path.expanduser(folder)), inner) for folder, inner in _VERSIONS)
    folders = [*map(os.path.expanduser, _MANAGERS), *(str(folder) for folder in chosen if folder is not None)]
    return [folder for folder in folders if os.path.isdir(folder)]


def _chosen(folder: Path, inner: str) -> Path | None:
    """Return the folder of the programs of nvm's default version or else of the newest; None if there is no version."""
    programs = {version: place / inner for version, place in _versions(folder) if os.path.isdir(place / inner)}
    if not programs:
        return None
    wanted = _nvm_default(folder / _NVM_ALIASES)
    fitting = [version for version in programs if version[: len(wanted)] == wanted]
    return programs[max(fitting or programs)]


def _versions(folder: Path) -> Iterator[tuple[_Version, Path]]:
    with suppress(OSError):
        for place in folder.iterdir():
            if (version := _version_of(place.name)) is not None:
                yield version, place


def _version_of(name: str) -> _Version | None:
    """Return the numbers of a version; None for a name that is none."""
    written = _VERSION.fullmatch(name)
    return tuple(map(int, written[1].split("."))) if written is not None else None


def _nvm_default(aliases: Path) -> _Version:
    """Return the beginning of the version that nvm's aliases name as the default, () for the newest."""
    name = "default"
    for _ in range(_MOST_ALIASES):
        try:
            with (aliases / name).open(encoding="utf-8") as file:
                name = file.read(_LONGEST_VERSION_NAME).strip()
        except (OSError, ValueError):
            return ()
        if (version := _version_of(name)) is not None:
            return version
    return ()
