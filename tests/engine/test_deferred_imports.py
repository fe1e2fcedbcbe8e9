"""The start imports what the starter's first token needs, and whoever needs more of a library gets all of it."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from engine import starter_pair

# All that is imported from elsewhere when the starter's first token is there, with what it brings along.
PACKAGES = frozenset(
    (
        *("mlx", "mlx_lm", "tokenizers", "numpy", "psutil"),
        # Its `__init__` alone, which names the client and imports none of it.
        *("huggingface_hub", "safetensors", "typing_extensions", "backports", "cython_runtime"),
    )
)
# Of our own, what only some answers need.
LATE = (
    "engine.heads.loading", "engine.heads.folder", "engine.heads.config", "engine.grammars.compiling",
    "engine.hub.client", "mlx_lm.generate",
)  # fmt: skip
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


def test_the_first_token_needs_no_more_than_these_packages() -> None:
    modules = printed("-m", "tests.engine.first_token")
    foreign = {name.partition(".")[0] for name in modules} - sys.stdlib_module_names - {"engine", "tests", "__main__"}
    assert {name for name in foreign if not name.startswith("_")} <= PACKAGES
    assert "huggingface_hub.hf_api" not in modules
    assert not set(LATE) & set(modules)


def test_numpy_is_imported_while_a_model_loads() -> None:
    names = printed("-c", "import json, sys, mlx.core, engine.scheduler; print(json.dumps(sorted(sys.modules)))")
    assert "engine.scheduler" in names
    assert "numpy" not in names


WITHOUT_NUMPY = """
import json, sys
sys.modules["numpy"] = None
from engine import ChatRequest, Engine, SamplingSettings, SpeculationSettings, TokensCommitted, starter_pair
with Engine() as engine:
    engine.load(*starter_pair()).result()
    request = ChatRequest(
        [{"role": "user", "content": "hi"}],
        sampling=SamplingSettings(temperature=1.0), speculation=SpeculationSettings(depth=3), max_tokens=6,
    )
    rounds = [event.round for event in engine.submit(request) if isinstance(event, TokensCommitted)]
    print(json.dumps([str(round.drafted > 0) for round in rounds]))
"""


def test_answers_speculate_without_numpy_where_the_device_computes_log_probabilities() -> None:
    assert "True" in printed("-c", WITHOUT_NUMPY)


@pytest.mark.parametrize("every", [8, pytest.param(1, marks=pytest.mark.campaign)])
def test_every_name_is_the_one_that_transformers_itself_gives(every: int) -> None:
    ours = printed("-c", NAMES_OF_TOKENIZERS, "deferred", str(every))
    assert ours == printed("-c", NAMES_OF_TOKENIZERS, "whole", str(every))
    assert len(ours) > 50 / every


NAMES_OF_MLX_LM = """
import inspect, json, sys
from pathlib import Path
if sys.argv[1] == "deferred":
    import engine
folder = Path(sys.argv[2])
from mlx_lm.utils import load_tokenizer, _download
from mlx_lm.generate import BatchGenerator
made = load_tokenizer(folder)
from mlx_lm.tokenizer_utils import TokenizerWrapper, load, NewlineTokenizer
import mlx_lm, mlx_lm.tokenizer_utils, mlx_lm.generate as generating
from mlx_lm import batch_generate, convert, generate, stream_generate
from huggingface_hub import snapshot_download
from huggingface_hub import _snapshot_download
found = [isinstance(one, TokenizerWrapper) for one in (made, load(folder), 3)]
found += [type(made) is mlx_lm.tokenizer_utils.TokenizerWrapper, mlx_lm.__version__, hasattr(mlx_lm, "Nonsense")]
found += [hasattr(mlx_lm.tokenizer_utils, "Nonsense"), NewlineTokenizer.__mro__[1].__name__]
found += [f"{f.__module__}.{f.__qualname__}" for f in (batch_generate, convert, generate, stream_generate, generating)]
found += [f"{f.__module__}.{f.__qualname__}" for f in (mlx_lm.load, mlx_lm.utils.load, _snapshot_download.HfApi)]
found += [len(load_tokenizer(folder)), len(TokenizerWrapper(made._tokenizer))]
from transformers.utils import hub
from huggingface_hub import HfApi, repocard
client = hub.hf_api()
found += [isinstance(client, hub.HfApi), isinstance(client, HfApi), isinstance(3, hub.HfApi), type(client).__name__]
found += [client.endpoint, client.library_name, callable(repocard.upload_file), callable(HfApi().upload_file)]
try:
    snapshot_download("no/such-model", local_files_only=True)
except Exception as error:
    found.append(type(error).__name__)
print(json.dumps(found))
"""


def test_what_is_stood_for_does_what_the_libraries_do() -> None:
    folder = str(starter_pair()[1])
    ours = printed("-c", NAMES_OF_MLX_LM, "deferred", folder)
    assert ours == printed("-c", NAMES_OF_MLX_LM, "whole", folder)
    assert ours[-1] == "LocalEntryNotFoundError"


def test_the_tokenizer_of_any_folder_is_made_without_the_client_of_the_hub() -> None:
    made = "import json, sys, engine; from pathlib import Path; from mlx_lm.utils import load_tokenizer; "
    shown = f"load_tokenizer(Path({str(starter_pair()[1])!r})); print(json.dumps(sorted(sys.modules)))"
    names = printed("-c", made + shown)
    assert "transformers.tokenization_utils_tokenizers" in names
    assert "huggingface_hub._jobs_api" not in names


def test_threads_that_ask_at_once_get_the_same_class() -> None:
    script = """
import json, threading
import engine, mlx_lm.tokenizer_utils as module
found, begin = [], threading.Barrier(4)
def ask():
    begin.wait()
    found.append(id(module.NaiveStreamingDetokenizer))
threads = [threading.Thread(target=ask) for _ in range(4)]
[thread.start() for thread in threads]
[thread.join() for thread in threads]
print(json.dumps([str(len(found)), str(len(set(found)))]))
"""
    assert printed("-c", script) == ["4", "1"]
