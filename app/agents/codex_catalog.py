"""The description of the loaded model that Codex reads from a file, so that it does not guess.

It needs instructions of its own there. Those that Codex has for models that it does not know are 4,000 tokens long.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from app.system.paths import data_folder
from engine.files.atomic_file import write_atomically

_INSTRUCTIONS = """\
You are a coding agent in Codex, a program that runs in the user's terminal. You and the user share one folder of files.

- Work until the task is done. Find out what you need with your tools instead of guessing, and ask only what the user \
alone can know.
- Before you change a file, read the parts that matter. Keep to the style of the code around them, and change only \
what the task needs. Never undo changes that you did not make.
- Edit files with apply_patch if you have it, or else with shell commands. Search with rg where it is installed.
- Run the tests or the program that show whether a change works, if there are any, and say what you could not check.
- Some commands need the user's approval. Never run one that deletes data or history unless the user asked for it.
- Answer briefly, in the user's language: what you did, where, and what is left.
"""
# Codex refuses a description that lacks any of these; it takes the context from its own settings.
_MODEL: dict[str, Any] = {
    "display_name": "Tandem",
    "description": None,
    "supported_reasoning_levels": [],
    "shell_type": "default",
    "visibility": "list",
    "supported_in_api": True,
    "priority": 1,
    "availability_nux": None,
    "upgrade": None,
    "base_instructions": _INSTRUCTIONS,
    "supports_reasoning_summaries": False,
    "support_verbosity": False,
    "default_verbosity": None,
    "apply_patch_tool_type": "freeform",
    "truncation_policy": {"mode": "bytes", "limit": 10_000},
    "supports_parallel_tool_calls": True,
    "experimental_supported_tools": [],
    "input_modalities": ["text", "image"],
}


# The name of the file in Tandem's own folder.
CATALOG = "codex-models.json"


def kept_catalog(model: str) -> Path | None:
    """Return the file that describes `model`, written if it is not as it should be; None if it cannot be."""
    file = data_folder() / CATALOG
    content = json.dumps({"models": [{"slug": model, **_MODEL}]}, indent=1).encode()
    try:
        if not file.is_file() or file.read_bytes() != content:
            write_atomically(file, content, 0o600)
    except OSError:
        return None
    return file
