"""Fetches what other projects test against, by package name: chat templates, and what their models wrote.

Nothing of it belongs to this project: `fetch` keeps it in a folder of the caller's, and no test of the suite uses it.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

from mlx_lm.utils import load_tokenizer

from tests.tiny_models import train_tokenizer

# The package, and what a file in its source distribution has to match.
LLAMA, VLLM = "llama-cpp-python", "vllm"
_TEMPLATES = {LLAMA: "vendor/llama.cpp/models/templates/*.jinja", VLLM: "examples/**/*template*.jinja"}
CASES = "vendor/llama.cpp/tests/test-chat.cpp"
# Texts of templates that are control tokens of their models.
_MARK = re.compile(r"<\|[^|<>\s]+\|>|<｜[^｜]+｜>|</?think>|<\|\w+>|<\w+\|>|\[/?[A-Z_]+\]")


def fetch(package: str, folder: Path) -> Path:
    """Return the unpacked source distribution of a package, fetched into `folder` unless it is there already.

    pip unpacks it before it asks the package for its dependencies, which needs compilers or other packages and may
    fail: `--no-clean` keeps what was unpacked.
    """
    place = folder / package
    if not any(place.glob("pip-*/*/PKG-INFO")):
        place.mkdir(parents=True, exist_ok=True)
        command = [sys.executable, "-m", "pip", "download", "--no-clean", "--no-deps", "--no-binary", ":all:"]
        options = ["--no-build-isolation", "--disable-pip-version-check", "--quiet", "--dest", str(place), package]
        environment = {**os.environ, "TMPDIR": str(place)}
        result = subprocess.run([*command, *options], env=environment, capture_output=True, text=True, check=False)
        if not any(place.glob("pip-*/*/PKG-INFO")):
            sys.exit(f"{package} could not be fetched:\n{result.stderr}")
    [found] = {path.parent for path in place.glob("pip-*/*/PKG-INFO")}
    return found


def templates(folder: Path) -> dict[str, str]:
    """Return the chat templates of both packages by name."""
    found = {}
    for package, pattern in _TEMPLATES.items():
        for path in sorted(fetch(package, folder).glob(pattern)):
            if "pooling" not in path.parts:
                found[f"{'vllm ' if package == VLLM else ''}{path.stem}"] = path.read_text(encoding="utf-8")
    return found


def load_with(template: str, folder: Path, written: str = "") -> Any:
    """Return mlx-lm's tokenizer with a chat template; `folder` is new.

    The marks that the template mentions are tokens, and those in what its model has `written`.
    """
    tokenizer = train_tokenizer(384)
    tokenizer.add_special_tokens(sorted(set(_MARK.findall(template + written))))
    folder.mkdir()
    tokenizer.save(str(folder / "tokenizer.json"))
    settings = {"tokenizer_class": "PreTrainedTokenizerFast", "eos_token": "<|im_end|>", "bos_token": "<|im_start|>"}
    (folder / "tokenizer_config.json").write_text(json.dumps({**settings, "chat_template": template}))
    return load_tokenizer(folder, {"trust_remote_code": False})
