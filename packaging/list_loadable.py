"""Write the families that the installed mlx-lm, mlx-vlm and transformers can load.

It goes to resources/loadable.json and into the table of docs/models.md.

    python packaging/list_loadable.py

The app uses the list to decide whether a model can be loaded, because it imports no package before a model is needed,
and a frozen app has no source files. Tests compare the list and the table with the installed packages.
"""

from __future__ import annotations

import ast
import importlib.util
import json
import re
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
FILE = ROOT / "resources" / "loadable.json"
PAGE = ROOT / "docs" / "models.md"
BEGIN = "<!-- families: packaging/list_loadable.py -->\n"
END = "<!-- end of families -->\n"
# The rules of the page's table: what happens to the rows of rejected draft tokens.
RULES = {
    "trim": "full attention, quantized, chunked and latent caches: rejected rows are cut off",
    "trim + window": "sliding windows: the window keeps the rows a rejection needs",
    "restore + trim": "hybrids of attention and recurrent layers: state goes back and the kept tokens ride along in "
    "the next pass",
    "restore": "recurrent models, likewise",
}
_DEFINES_MODEL = re.compile(r"^class Model\b|^from .* import .*\bModel\b", re.MULTILINE)
_SPLITS_HEADS = re.compile(r"^    def shard\(", re.MULTILINE)
_SPLITS_LAYERS = re.compile(r"\bPipelineMixin\b|^    def pipeline\(", re.MULTILINE)
# The families that only mlx-vlm has and that were tried as tiny models (`tests/engine/speculation/vlm_configs.py`). Not
# hy_v4: its indexer keeps the first length's `kth` in a shapeless compiled function, and selects wrong keys.
VLM_FAMILIES = (
    "cohere2_moe", "deepseek_v4", "flint", "glm5_next", "k2_horizon", "kolibri1", "mimo_v2", "qwen4_exp",
    "step3p7", "xing4_0",
)  # fmt: skip
# What mlx-vlm's models are for that write no text token by token.
PURPOSES = {
    "diffusion": ("diffusion_gemma", "llada2_moe", "nemotron_labs_diffusion"),
    "embedding": (
        "bert", "colidefics3", "colqwen2_5", "dinov2", "embedding_gemma2", "gemma3_embedding", "gliner2_5",
        "lfm2_colbert", "lfm2_embedding", "lfm2_encoder", "llama_bidirec", "llama_nemotron_vl_embedding",
        "ministral3_embedding", "modernbert", "openai_privacy_filter", "qwen3_embedding", "qwen3_vl_embedding",
        "siglip", "xlm_roberta",
    ),
    "ocr": (
        "deepseekocr", "deepseekocr_2", "dots_ocr", "falcon_ocr", "glm_ocr", "got", "indic_ocr", "nemotron_parse",
        "paddleocr_vl", "pp_doclayout_v3", "unlimited_ocr",
    ),
    "decision": ("d1", "d1_omni", "decider2"),
    "media": (
        "ernie_image", "flux2", "flux3", "ideogram4", "llada_image", "mage_flow", "minimax_h3", "ming_image",
        "moss_image", "qwen_image", "z_image",
    ),
}  # fmt: skip
_TOKENIZER_NAME = re.compile(r'"([A-Z]\w*(?:Tokenizer|Backend))"')


def loadable() -> dict[str, Any]:
    """Return the content of the file, from the sources of the installed packages.

    `models`, `chat_templates` and `tool_parsers` are modules of mlx-lm; `renamed` maps a model type to the module that
    builds it, `renamed_by_architecture` one to the modules by the name of the class in `architectures`;
    `tensor_parallel` and `pipeline` are the modules that can split a model over machines by heads or by layers;
    `tokenizers` are classes that transformers has. `mlx_vlm` has the modules of mlx-vlm whose language models run,
    their other names, and by purpose the types of models that write no text token by token.
    """
    mlx_lm = _package_folder("mlx_lm")
    by_architecture: dict[str, dict[str, str]] = {}
    for (model_type, architecture), module in _table(mlx_lm, "MODEL_ARCHITECTURE_REMAPPING").items():
        by_architecture.setdefault(model_type, {})[architecture] = module
    registry = _package_folder("transformers") / "models" / "auto" / "tokenization_auto.py"
    mlx_vlm = _package_folder("mlx_vlm")
    loadable_vision = {folder.name for folder in (mlx_vlm / "models").iterdir() if folder.is_dir()}
    other_names = _table(mlx_vlm, "MODEL_REMAPPING")
    return {
        "mlx_vlm": {
            "models": [name for name in VLM_FAMILIES if name in loadable_vision],
            "renamed": {other: name for other, name in other_names.items() if name in VLM_FAMILIES},
            "purposes": {
                purpose: sorted(
                    {name for name in names if name in loadable_vision}
                    | {n for n, m in other_names.items() if m in names}
                )
                for purpose, names in PURPOSES.items()
            },
        },
        # The module of OLMo 1 ends the process that imports it, if a package of its makers is missing.
        "models": [
            name
            for name, source in _modules(mlx_lm / "models")
            if _DEFINES_MODEL.search(source) and "sys.exit(" not in source
        ],
        "tensor_parallel": _that_match(mlx_lm, _SPLITS_HEADS),
        "pipeline": _that_match(mlx_lm, _SPLITS_LAYERS),
        "renamed": _table(mlx_lm, "MODEL_REMAPPING"),
        "renamed_by_architecture": by_architecture,
        "chat_templates": [name for name, _ in _modules(mlx_lm / "chat_templates")],
        "tool_parsers": [name for name, _ in _modules(mlx_lm / "tool_parsers")],
        "tokenizers": sorted(set(_TOKENIZER_NAME.findall(registry.read_text(encoding="utf-8")))),
    }


def families_table() -> str:
    """Return the page's table of families: by rule, the families of mlx-lm, and in italics those only mlx-vlm has.

    The tests' tiny models have these families; MLX computes nothing for it.
    """
    sys.path.insert(0, str(ROOT))
    from tests.engine.speculation.families import REFUSED
    from tests.engine.speculation.family_configs import FAMILIES
    from tests.engine.speculation.vlm_configs import VLM_FAMILIES

    tried = sorted(name for name in FAMILIES | VLM_FAMILIES if ":" not in name)
    of_rule = {name: _rule_of(name, (FAMILIES | VLM_FAMILIES)[name]) for name in tried}
    rows = [(f"**{rule}**: {what}", [name for name in tried if of_rule[name] == rule]) for rule, what in RULES.items()]
    cells = [(what, ", ".join(f"*{n}*" if n in VLM_FAMILIES else n for n in names)) for what, names in rows]
    plain = (f"*{n}*" if n in VLM_FAMILIES else n for n in tried if of_rule[n] == "none")
    reasons = (f"{name} ({REFUSED[name.strip('*')]})" for name in plain)
    cells.append(("**none**, decodes plainly", "; ".join((*reasons, "any cache kind that no rule knows"))))
    untried = (name for name in loadable()["models"] if name not in FAMILIES)
    cells.append(("loads, not tried: the rule is that of its caches", ", ".join(sorted(untried, key=str.lower))))
    return "".join(f"| {rule} | {names} |\n" for rule, names in (("Rule", "Families"), ("---", "---"), *cells))


def _rule_of(name: str, config: dict[str, Any]) -> str:
    """Return the rule of a family's caches, a key of `RULES`, or "none"."""
    from mlx_lm.models.cache import make_prompt_cache

    from engine.speculation.caches.cache_kinds import check_widths, rules_for
    from engine.speculation.caches.cache_rules import UnknownCacheKind, WindowRule
    from tests.tiny_models import classes_of

    config = {"model_type": name, **config}
    model_class, arguments = classes_of(config)
    model = model_class(arguments.from_dict(config))
    caches = make_prompt_cache(model)
    try:
        check_widths(model, caches)
    except UnknownCacheKind:
        return "none"
    rules = rules_for(caches)
    restores = {rule.restores_only for rule in rules}
    if True in restores:
        return "restore + trim" if False in restores else "restore"
    return "trim + window" if any(isinstance(rule, WindowRule) for rule in rules) else "trim"


def with_table(page: str) -> str:
    """Return the text of `page` with today's table between its marks."""
    before, _, old = page.partition(BEGIN)
    after = old.partition(END)[2]
    return f"{before}{BEGIN}\n{families_table()}\n{END}{after}"


def _that_match(mlx_lm: Path, pattern: re.Pattern[str]) -> list[str]:
    """Return the modules of mlx-lm's models whose sources match a pattern."""
    models = [(name, source) for name, source in _modules(mlx_lm / "models") if _DEFINES_MODEL.search(source)]
    return [name for name, source in models if pattern.search(source)]


def _modules(folder: Path) -> list[tuple[str, str]]:
    """Return the name and source of every module in a folder, by name."""
    return [
        (file.stem, file.read_text(encoding="utf-8")) for file in sorted(folder.glob("*.py")) if file.stem != "__init__"
    ]


def _table(package: Path, name: str) -> dict[Any, Any]:
    """Return a dictionary that a package's utils.py defines with literals, without importing it, which loads MLX."""
    for node in ast.parse((package / "utils.py").read_text(encoding="utf-8")).body:
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name) and node.targets[0].id == name:
            table: dict[Any, Any] = ast.literal_eval(node.value)
            return table
    raise LookupError(f"{package.name}/utils.py has no {name}")


def _package_folder(package: str) -> Path:
    """Return the folder of an installed package, without importing it."""
    spec = importlib.util.find_spec(package)
    assert spec is not None
    assert spec.submodule_search_locations
    return Path(spec.submodule_search_locations[0])


if __name__ == "__main__":
    FILE.write_text(json.dumps(loadable(), indent=1) + "\n", encoding="utf-8")
    PAGE.write_text(with_table(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
