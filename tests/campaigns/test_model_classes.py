"""Configurations of models that see, and of mlx-vlm's, that choose classes and files: none is imported or read."""

from __future__ import annotations

import contextlib
import json
import os
import random
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from engine.errors import ModelNotUsable
from engine.main_model.loading import load
from tests.engine.model_files.hostile_folders import EVIL
from tests.engine.model_files.opened_folders import open_all
from tests.engine.pictures.questions import embedded
from tests.engine.speculation.vlm_configs import VLM_FAMILIES
from tests.tiny_models import write_model
from tests.tiny_vision import MODELS, picture, write_vision_model

pytestmark = [pytest.mark.campaign, pytest.mark.expects_log]
SIZE = float(os.environ.get("TANDEM_CAMPAIGN", "1"))
MAKERS: dict[str, Callable[[Path], Path]] = {
    **{name: lambda folder, model=model: write_vision_model(folder, model) for name, model in MODELS.items()},
    **{
        name: lambda folder, name=name, config=config: write_model(folder, config={"model_type": name, **config})
        for name, config in VLM_FAMILIES.items()
    },
}  # fmt: skip
FILES = (
    "config.json",
    "processor_config.json",
    "preprocessor_config.json",
    "tokenizer_config.json",
    "chat_template.json",
)
KEYS = (
    "model_type", "architectures", "auto_map", "processor_class", "image_processor_type", "feature_extractor_type",
    "video_processor_type", "tokenizer_class", "name_or_path", "_name_or_path", "vision_tower", "mm_vision_tower",
    "vision_model", "text_model", "language_config", "llm_config", "vision_config", "audio_config", "text_config",
    "projector_type", "vision_feature_select_strategy", "hidden_act", "backbone", "model_file", "custom_pipelines",
    "ple_storage", "engram_path", "cache_dir", "weights", "checkpoint", "vocab_file", "image_processor", "adapter_path",
    "quantization_config", "chat_template", "chat_template_type", "tool_parser_type", "transformers_version",
)  # fmt: skip


def values(secret: Path) -> list[Any]:
    names = (
        "evil", "evil.Model", "..evil", "./evil", "../evil/evil.py", "os", "os.system", "mlx_vlm.models.sam3", "sam3",
        "mlx_lm.models.cache", "models.../x", "clip\0", "siglip_vision_model", str(secret), f"../{secret.name}",
        f"file://{secret}", "http://127.0.0.1:9/x", "org/evil",
    )  # fmt: skip
    inside: list[Any] = [
        {"model_type": "evil.Model"}, {"AutoModel": "evil.Model", "AutoProcessor": "evil.Processor"},
        {"manifest": str(secret)}, {"path": str(secret), "model_type": "../evil"}, {"type": "x", "quant_method": "x"},
        ["evil.Model", None], {"auto_map": {"AutoConfig": "evil.C"}, "model_type": "x"}, "{% include '/etc/passwd' %}",
    ]  # fmt: skip
    return [*names, *inside]


def parts(value: Any) -> Iterator[dict[str, Any]]:
    """Yield an object and those in it."""
    if isinstance(value, dict):
        yield value
        for inner in value.values():
            yield from parts(inner)


def change(folder: Path, secret: Path, source: random.Random) -> str:
    name = source.choice((FILES[0], *FILES))
    path = folder / name
    content = json.loads(path.read_text()) if path.exists() else {}
    part = source.choice(list(parts(content)))
    strings = [key for key, value in part.items() if isinstance(value, str)]
    key = source.choice(strings) if strings and source.random() < 0.3 else source.choice(KEYS)
    part[key] = source.choice(values(secret))
    path.write_text(json.dumps(content))
    return f"{name} {key}: {part[key]!r}"


@pytest.mark.parametrize("family", MAKERS)
def test_no_configuration_reads_or_imports_beside_its_folder(tmp_path: Path, family: str) -> None:
    source, root, secret, made = random.Random(106), tmp_path / "root", tmp_path / "secret", dict[str, str]()
    secret.write_text('{"model_type": "llama"}')
    os.utime(secret, (1, 1))
    for number in range(int(40 * SIZE)):
        folder = MAKERS[family](root / f"{number:03d}")
        for name in ("evil.py", "modeling_evil.py", "processing_evil.py", "__init__.py", "tokenization_evil.py"):
            (folder / name).write_text(EVIL)
        made[folder.name] = change(folder, secret, source) if number else "nothing"
    results = open_all(root, "load")
    for name, answer, _, _, events in results:
        assert events == [], (made.get(name), events)
        assert answer in ("opened", *ModelNotUsable.REASONS), (made.get(name), answer)
        if answer == "opened" and (vision := load(root / name).vision):
            with contextlib.suppress(ModelNotUsable):
                embedded(vision, picture(1))
        assert not (root / name / "ran").exists(), made.get(name)
    assert results[0][1] == "opened"
    # The prompt process, whose files nobody watches, has not read it either.
    assert secret.stat().st_atime == 1
    print(family, dict(Counter(answer for _, answer, *_ in results)))
