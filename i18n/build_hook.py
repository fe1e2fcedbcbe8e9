"""Compiles the translations when hatchling builds a wheel or an editable install."""

from __future__ import annotations

import runpy
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class TranslationsHook(BuildHookInterface):  # type: ignore[type-arg]
    """Compiles the .qm files in the tree, where an editable install reads them, and adds them to a wheel."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        folder = Path(self.root, "i18n")
        compiled = runpy.run_path(str(folder / "compile.py"))["compile_translations"](folder)
        if version != "editable":
            build_data["force_include"].update({str(file): f"i18n/{file.name}" for file in compiled})
