"""Homes of earlier versions, for tests of updates.

Each ZIP in `homes/` was written by the version it belongs to, with tests/tools/pack_home.py.
"""

from __future__ import annotations

import zipfile
from pathlib import Path

# From the oldest on.
HOMES = sorted((Path(__file__).resolve().parent / "homes").glob("home-*.zip"), key=lambda home: int(home.stem[5:]))
QUESTIONS = ("초안 모델이 뭐야?", "What is Tandem?")
CHOSEN = {
    "language": "ko",
    "theme": "dark",
    "text_size": 115,
    "temperature": 0.6,
    "kept_sampling": ("temperature",),
    "model_folders": ("/Volumes/Models",),
}
PAUSED = "mlx-community/Qwen3-8B-4bit"


def unpack(home: Path, data: Path, config: Path, cache: Path) -> str:
    """Unpack a home into the app's folders, and return the text of its exported chat."""
    targets = {"data": data, "config": config, "cache": cache}
    with zipfile.ZipFile(home) as packed:
        for name in packed.namelist():
            kind, _, rest = name.partition("/")
            if rest:
                target = targets[kind] / rest
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(packed.read(name))
        return packed.read("export.json").decode()
