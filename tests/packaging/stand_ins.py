"""Stand-ins for the tools that only the build's environment has."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

_PACKAGING = Path(__file__).resolve().parents[2] / "packaging"
_TOOLS = (
    "cyclonedx.model.bom",
    "cyclonedx.model.component",
    "cyclonedx.output.json",
    "macholib.MachO",
    "macholib.mach_o",
    "macholib.util",
    "packageurl",
    "PyInstaller.archive.readers",
)


class _Anything(type(sys)):  # type: ignore[misc]
    """A module in which every name is there."""

    def __getattr__(self, name: str) -> Any:
        return name


def replace_tools_of_the_build(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the scripts of packaging/ be imported without those tools, as if they were run from their folder."""
    for tool in _TOOLS:
        monkeypatch.setitem(sys.modules, tool, _Anything(tool))
    monkeypatch.syspath_prepend(str(_PACKAGING))
