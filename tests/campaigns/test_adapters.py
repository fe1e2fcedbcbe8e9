"""LoRA adapters that anyone may have changed: refused, or applied as their configuration and numbers say."""

from __future__ import annotations

import json
import os
import random
import shutil
from collections import Counter
from pathlib import Path
from typing import Any

import mlx.core as mx
import pytest
from mlx_lm.utils import load_adapters, load_model

from engine.cpu_backend import backend
from engine.errors import ModelNotUsable
from engine.finding.discovery import installed_models
from engine.main_model.loading import load
from engine.model_files.adapters import base_of
from tests.campaigns.changed_safetensors import changed, is_another_model
from tests.tiny_adapters import as_peft, write_adapter
from tests.tiny_models import write_model

# mlx-lm's reading of the same adapter may overflow.
pytestmark = [pytest.mark.campaign, pytest.mark.expects_log, pytest.mark.filterwarnings("ignore::RuntimeWarning")]
SIZE = float(os.environ.get("TANDEM_CAMPAIGN", "1"))
IDS = mx.array([[3, 17, 5, 90, 41, 8]])
NUMBERS: tuple[Any, ...] = (
    0, -1, 1, 2, 3, 5, 64, 4096, 4097, 10**9, 2**63, 10**400, 1.0, 0.5, 1e6, -3.0, 1e7, 1e308, float("nan"),
    float("inf"), -float("inf"), True, "4", None, [], {},
)  # fmt: skip
NAMES: tuple[Any, ...] = (
    "../decoy", "..", ".", "/etc", "~", "decoy", "main/..", "main/../../decoy", "org/decoy", "", "a\0b", "x" * 5_000, 5,
    None, ["main"], {"main": 1}, "main", "elsewhere/main", "https://example.org/main", "org/main/main", "\udcff",
)  # fmt: skip
SWITCHES: dict[str, tuple[Any, ...]] = {
    "fine_tune_type": ("full", "dora", "lora", None, 1, ["lora"]),
    "num_layers": (0, -1, 1, 10**9, "2"),
    "use_dora": (True, 0, "x"),
    "use_rslora": (True, 1),
    "bias": ("all", "none", None),
    "rank_pattern": ({"q_proj": 8}, {}),
    "modules_to_save": (["lm_head"], []),
    "layer_replication": ([[0, 9]],),
    "target_modules": (["../x"], "all-linear", None),
    "auto_mapping": ({"base_model_class": "evil.Model", "parent_library": "os"},),
    "peft_type": ("IA3", "LORA", None, 5, ["LORA"]),
    "base_model_class": ("evil",),
}


def change_configuration(path: Path, source: random.Random) -> str:
    content = path.read_bytes()
    config, kind = json.loads(content), source.randrange(8)
    if kind < 3:
        part = config.get("lora_parameters", config)
        name = source.choice([name for name in ("rank", "scale", "dropout", "r", "lora_alpha") if name in part])
        part[name] = source.choice(NUMBERS)
    elif kind == 3:
        name = "lora_parameters" if "lora_parameters" in config else source.choice(list(config))
        config[name] = source.choice((*NUMBERS, {"rank": 4}, {"keys": 5, **config.get("lora_parameters", {})}))
    elif kind == 4:
        name = source.choice(list(SWITCHES))
        config[name] = source.choice(SWITCHES[name])
    elif kind == 5:
        del config[name := source.choice(list(config))]
    else:
        broken = (b"", b"[]", b"null", content[:-9], b"[" * 10**5, b"\xff" + content, content.replace(b":", b": 0"))
        path.write_bytes(source.choice(broken))
        return "broken"
    path.write_text(json.dumps(config))
    return name


def by_mlx_lm(base: Path, adapter: Path) -> mx.array | None:
    """Return what mlx-lm computes with the adapter, None if it cannot use it."""
    try:
        found: mx.array = load_adapters(load_model(base)[0], str(adapter))(IDS)
        mx.eval(found)
    # It raises all kinds of exceptions.
    except Exception:
        return None
    return found


@pytest.mark.parametrize("form", ["lora", "dora", "peft"])
def test_a_changed_adapter_is_refused_or_computes_what_it_says(
    tmp_path: Path, form: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    # As mlx-lm, which keeps weights as they are stored.
    monkeypatch.setenv(backend.VARIABLE, backend.GPU.name)
    base = write_model(tmp_path / "models/main")
    sound = write_adapter(base, tmp_path / "sound", "dora" if form == "dora" else "lora")
    sound = as_peft(sound, tmp_path / "peft") if form == "peft" else sound
    adapter, source, outcomes, wrong = base / "style", random.Random(104), Counter[str](), list[Any]()
    shutil.copytree(sound, adapter)
    [weights] = adapter.glob("*.safetensors")
    content, want, plain = weights.read_bytes(), load(adapter).model(IDS), load(base).model(IDS)
    for _ in range(int(300 * SIZE)):
        shutil.copytree(sound, adapter, dirs_exist_ok=True)
        if source.random() < 0.5:
            kind, made = changed(content, source)
            weights.write_bytes(made)
        else:
            kind, made = change_configuration(adapter / "adapter_config.json", source), b""
        installed_models(tmp_path / "none", [tmp_path / "models"])
        try:
            found = load(adapter).model(IDS)
        except ModelNotUsable as error:
            outcomes[f"{kind}: {error.reason}"] += 1
            continue
        text = (adapter / "adapter_config.json").read_text()
        if bool(mx.array_equal(found, want)):
            outcomes[f"{kind}: the same"] += 1
        elif made and is_another_model(made, content) and not mx.array_equal(found, plain):
            outcomes[f"{kind}: other numbers"] += 1
        elif form == "peft" and kind in ("r", "lora_alpha", "use_rslora"):
            outcomes[f"{kind}: another scale"] += 1
        elif (theirs := by_mlx_lm(base, adapter)) is not None and mx.allclose(found, theirs, rtol=1e-2, atol=1e-2):
            outcomes[f"{kind}: as mlx-lm"] += 1
        else:
            wrong.append((kind, made[:3_000] or text))
    print(dict(sorted(outcomes.items())))
    assert not wrong, wrong


def test_an_adapter_names_no_other_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    base, decoy = write_model(tmp_path / "models/main"), write_model(tmp_path / "decoy", seed=7)
    write_model(tmp_path / "models/elsewhere/main", seed=7)
    adapter = write_adapter(base, tmp_path / "models/style")
    monkeypatch.chdir(decoy.parent)
    config = json.loads((adapter / "adapter_config.json").read_text())
    outcomes = Counter[str]()
    for key in ("model", "base_model_name_or_path"):
        for name in (*NAMES, str(decoy), str(base), f"{decoy}/../decoy"):
            (adapter / "adapter_config.json").write_text(json.dumps({**config, "model": None, key: name}))
            installed_models(tmp_path / "none", [tmp_path / "models"])
            try:
                assert base_of(adapter) == base, name
                outcomes[load(adapter).info.name] += 1
            except ModelNotUsable as error:
                outcomes[error.reason] += 1
    print(dict(outcomes))
    assert outcomes.keys() <= {"main:style", "no-base", "damaged"}
