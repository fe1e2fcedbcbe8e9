"""JSON files of an exported pair, and the checksums of all its files. Without torch."""

from __future__ import annotations

import json
from hashlib import sha256
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

_FOLDERS = ("main", "draft", "head")


def write_json(path: Path, value: object) -> None:
    """Write a value as a readable JSON file."""
    path.write_text(json.dumps(value, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


def write_checksums(target: Path) -> None:
    """Write the checksums of target/main, target/draft and target/head to target/SHA256SUMS, in sha256sum's format."""
    folders = [target / name for name in _FOLDERS if (target / name).is_dir()]
    files = sorted(path for folder in folders for path in folder.iterdir())
    lines = [f"{sha256(path.read_bytes()).hexdigest()}  {path.relative_to(target).as_posix()}" for path in files]
    (target / "SHA256SUMS").write_text("\n".join(lines) + "\n", encoding="utf-8")
