"""The list of loadable models matches the installed mlx-lm and transformers."""

from __future__ import annotations

import json
import runpy
from pathlib import Path

import pytest

from engine.files.paths import resources
from engine.model_files.architecture import (
    can_load,
    mlx_lm_module,
    plugin_exists,
    purpose_of,
    transformers_has_tokenizer,
)

SCRIPT = Path(__file__).resolve().parents[3] / "packaging" / "list_loadable.py"


def test_the_list_is_that_of_the_installed_packages() -> None:
    written = json.loads((resources() / "loadable.json").read_text(encoding="utf-8"))
    assert written == runpy.run_path(str(SCRIPT))["loadable"](), "run python packaging/list_loadable.py"


def test_the_published_table_is_that_of_the_installed_packages_and_the_tried_families() -> None:
    script = runpy.run_path(str(SCRIPT))
    written = script["PAGE"].read_text(encoding="utf-8")
    assert written == script["with_table"](written), "run python packaging/list_loadable.py"


@pytest.mark.parametrize(
    ("config", "module"),
    [
        ({"model_type": "llama"}, "llama"),
        ({"model_type": "mistral"}, "llama"),
        ({"model_type": "bailing_hybrid"}, "bailing_hybrid"),
        ({"model_type": "bailing_hybrid", "architectures": ["BailingMoeV3ForCausalLM"]}, "bailing_moe_v3"),
        ({"model_type": "bailing_hybrid", "architectures": "BailingMoeV3ForCausalLM"}, "bailing_moe_v3"),
        ({"model_type": "bailing_hybrid", "architectures": [["no", "name"], "Other"]}, "bailing_hybrid"),
        ({"model_type": "bailing_hybrid", "architectures": 7}, "bailing_hybrid"),
        ({"model_type": "cache"}, None),
        ({"model_type": "olmo"}, None),
        ({"model_type": ["llama"]}, None),
        ({}, None),
    ],
)
def test_a_configuration_leads_to_the_module_that_builds_it(config: dict[str, object], module: str | None) -> None:
    assert mlx_lm_module(config) == module


@pytest.mark.parametrize(
    ("auto_map", "purpose"),
    [
        ({"AutoModel": "modeling_d1.D1Model"}, "decision"),
        ({"AutoModel": "modeling_lfm2_vl.Lfm2VlModel"}, None),
        (7, None),
    ],
)
def test_a_decision_model_of_the_type_of_a_language_model_is_told_by_its_class(
    auto_map: object, purpose: str | None
) -> None:
    config = {"model_type": "lfm2-vl", "auto_map": auto_map}
    assert purpose_of(config) == purpose_of({**config, "model_type": "lfm2_vl"}) == purpose
    assert can_load(config) == (purpose is None)


def test_plugins_are_modules_of_mlx_lm() -> None:
    assert plugin_exists("tool_parsers", "json_tools")
    assert not plugin_exists("tool_parsers", "os")
    assert not plugin_exists("tool_parsers", ["json_tools"])
    assert not plugin_exists("chat_templates", "json_tools")


KNOWN = ("LlamaTokenizer", "LlamaTokenizerFast", "PreTrainedTokenizerFast")


@pytest.mark.parametrize("name", [*KNOWN, "", "T", "EvilTokenizer", "PreTrainedTokenizer"])
def test_tokenizers_of_transformers_are_known_by_both_names_and_no_others(name: str) -> None:
    assert transformers_has_tokenizer(name) == (name in KNOWN)
