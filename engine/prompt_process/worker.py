"""The prompt process: builds tokenizers, makes prompts, tries grammars, within limits that the system enforces.

It imports neither Qt nor MLX, knows no secrets and holds no files of the user. When it exceeds a limit it dies, and the
engine starts another.
"""

from __future__ import annotations

import importlib
import importlib.util
import os
import resource
import sys
import types
from collections.abc import Sequence
from dataclasses import asdict
from functools import cache, lru_cache, partial
from pathlib import Path
from typing import Any

from engine.errors import PromptTooLong, TemplateFailed
from engine.prompt_process.protocol import WITHOUT_TRANSFORMERS, frame, read_frame
from engine.prompts import PromptJob, local_encoder, make_prompt
from engine.recorded_tokenizer import record_of, recorded
from engine.thinking_choice import thinking_of

MEMORY_BYTES = 2 * 2**30
_GRACE_S = 2


def main(options: Sequence[str] = ()) -> None:
    """Serve requests on standard input until it ends."""
    requests, replies = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
    # Libraries that print must not write into the replies.
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    if WITHOUT_TRANSFORMERS not in options:
        _tokenizer_loader()
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if sys.platform == "linux":
        import psutil

        most = psutil.Process().memory_info().vms + MEMORY_BYTES
        resource.setrlimit(resource.RLIMIT_AS, (most, most))
    tokenizers: dict[str, Any] = {}
    replies.write(frame({}))
    replies.flush()
    while (request := read_frame(requests)) is not None:
        _limit_time(request["seconds"])
        replies.write(frame(_answer(request, tokenizers)))
        replies.flush()
        if "keep" in request:
            # A prompt follows, while the model is loaded until then.
            importlib.import_module("engine.chat_template")


@cache
def _tokenizer_loader() -> Any:
    """mlx-lm's function for tokenizers, without the rest of its package, which imports MLX."""
    spec = importlib.util.find_spec("mlx_lm")
    assert spec is not None
    package = types.ModuleType("mlx_lm")
    package.__path__ = list(spec.submodule_search_locations or ())
    sys.modules["mlx_lm"] = package
    from mlx_lm.tokenizer_utils import load

    return load


def _limit_time(seconds: int) -> None:
    """Let the system end this process after so many more seconds of computing, whatever holds the interpreter."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    most = int(used.ru_utime + used.ru_stime) + seconds + _GRACE_S
    resource.setrlimit(resource.RLIMIT_CPU, (most, resource.getrlimit(resource.RLIMIT_CPU)[1]))


def _answer(request: dict[str, Any], tokenizers: dict[str, Any]) -> dict[str, Any]:
    try:
        if "grammar" in request:
            return {"problem": _trial(request["grammar"])}
        if "file" in request:
            return _measured(request["file"], request["text"], request["tokens"])
        folder = request["source"]["folder"]
        if "keep" in request:
            for other in tokenizers.keys() - set(request["keep"]):
                del tokenizers[other]
            tokenizers[folder] = _build(request["source"])
            return {}
        if "recorded" in request:
            return {"record": _record(tokenizers[folder])}
        if "thinking" in request:
            return asdict(thinking_of(tokenizers[folder]))
        if "text" in request:
            return {"ids": local_encoder(tokenizers[folder])(request["text"])}
        prompt = make_prompt(tokenizers[folder], PromptJob(**request["job"]), with_boundaries=True)
    except PromptTooLong as error:
        return {"too_long": [error.arguments["tokens"], error.arguments["limit"]]}
    except TemplateFailed as error:
        too_large = isinstance(error.__cause__, MemoryError)
        return {"failed": [error.arguments["detail"], "too-large" if too_large else error.reason]}
    except MemoryError:
        return {"failed": ["", "too-large"]}
    # Whatever a tokenizer of a stranger raises, panics included.
    except BaseException as error:
        return {"failed": [" ".join(str(error).split())[:200] or type(error).__name__, ""]}
    return {"ids": prompt.ids, "dropped": prompt.dropped, "boundaries": prompt.boundaries}


def _trial(lark: str) -> str:
    from engine.grammars.compiling import trial

    return trial(lark)


def _measured(file: str, text: str, tokens: int | None) -> dict[str, Any]:
    """The number of tokens of a text, and up to which character the first `tokens` of them reach."""
    offsets = _bare_tokenizer(file, os.stat(file).st_mtime_ns).encode(text, add_special_tokens=False).offsets
    kept = offsets[:tokens]
    return {"tokens": len(offsets), "end": kept[-1][1] if kept else 0}


@lru_cache(maxsize=1)
def _bare_tokenizer(file: str, modified_ns: int) -> Any:
    """A tokenizer.json without what a folder has beside it; built again once the file changes."""
    from tokenizers import Tokenizer

    del modified_ns
    return Tokenizer.from_file(file)


def _build(source: dict[str, Any]) -> Any:
    make_whole = partial(_make_whole, source)
    tokenizer = recorded(Path(source["record"]), make_whole) if source["record"] else make_whole()
    # What the engine will ask of it at once.
    tokenizer.get_vocab()
    tokenizer.detokenizer.finalize()
    return tokenizer


def _make_whole(source: dict[str, Any]) -> Any:
    return _tokenizer_loader()(
        Path(source["folder"]),
        {"trust_remote_code": False},
        eos_token_ids=source["ends"],
        defaults=source["defaults"],
    )


def _record(tokenizer: Any) -> tuple[dict[str, Any], str] | None:
    found = record_of(tokenizer)
    return None if found is None else (asdict(found[0]), found[1])
