"""The start imports of transformers what the starter's tokenizer needs, and whoever needs more gets all of it."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

# All that is imported from elsewhere when the starter's first token is there, with what it brings along.
PACKAGES = frozenset(
    (
        *(
            "mlx",
            "mlx_lm",
            "tokenizers",
            "transformers",
            "huggingface_hub",
            "numpy",
            "jinja2",
            "markupsafe",
            "llguidance",
        ),
        *(
            "psutil",
            "yaml",
            "tqdm",
            "regex",
            "packaging",
            "filelock",
            "typing_extensions",
            "sentencepiece",
            "safetensors",
        ),
        *("httpx2", "httpcore2", "h11", "anyio", "sniffio", "idna", "certifi", "truststore", "click", "rich"),
        *("backports", "cython_runtime"),
    )
)
# Of transformers' models, the registries of tokenizers and configurations, and the main model's own family.
MODELS = ("auto", "encoder_decoder", "qwen3")
NAMES_OF_TOKENIZERS = """
import json, sys
if sys.argv[1] == "deferred":
    import engine
from mlx_lm.tokenizer_utils import AutoTokenizer
from transformers import PreTrainedTokenizer, PreTrainedTokenizerFast
from transformers.models.auto.tokenization_auto import TOKENIZER_MAPPING_NAMES, tokenizer_class_from_name
names = sorted({name for name in TOKENIZER_MAPPING_NAMES.values() if name})[:: int(sys.argv[2])]
found = [str(kind) for kind in (AutoTokenizer, PreTrainedTokenizer, PreTrainedTokenizerFast)]
found += [str(tokenizer_class_from_name(name)) for name in names]
import transformers
found += [str(transformers.Qwen3Config), str(transformers.__version__), str(hasattr(transformers, "Nonsense"))]
found += [str(transformers.models.gemma3.Gemma3Config)]
print(json.dumps(found))
"""


def printed(*command: str) -> list[str]:
    run = subprocess.run([sys.executable, *command], capture_output=True, text=True, check=True)
    names: list[str] = json.loads(run.stdout)
    return names


def test_the_first_token_needs_no_more_than_these_packages_and_no_search_of_all_models() -> None:
    modules = printed("-m", "tests.engine.first_token")
    foreign = {name.partition(".")[0] for name in modules} - sys.stdlib_module_names - {"engine", "tests", "__main__"}
    assert {name for name in foreign if not name.startswith("_")} <= PACKAGES
    prefix = "transformers.models."
    assert {name.split(".")[2] for name in modules if name.startswith(prefix)} <= set(MODELS)
    # What the package's own `__init__` imports first.
    assert "transformers.dependency_versions_check" not in modules


@pytest.mark.parametrize("every", [8, pytest.param(1, marks=pytest.mark.campaign)])
def test_every_name_is_the_one_that_transformers_itself_gives(every: int) -> None:
    ours = printed("-c", NAMES_OF_TOKENIZERS, "deferred", str(every))
    assert ours == printed("-c", NAMES_OF_TOKENIZERS, "whole", str(every))
    assert len(ours) > 50 / every
