"""The prompt process: it builds tokenizers, makes prompts, tries grammars, decodes pictures, reads documents and
converts GGUF files, within limits that the system enforces.

It imports no Qt, and MLX only to count what caches hold. It knows no secrets, and the only files of the user that it
opens are GGUF files. When it exceeds a limit, the system ends it, and the engine starts another.
"""

from __future__ import annotations

import importlib.util
import os
import resource
import socket
import sys
import types
from collections.abc import Sequence
from contextlib import suppress
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

from engine.documents.document import document_text
from engine.errors import PromptTooLong, TemplateFailed
from engine.files.picture_file import decode_picture
from engine.tokenizers.prompt_process import protocol
from engine.tokenizers.prompts import make_prompt, turn_end_of
from engine.tokenizers.thinking import thinking_of
from engine.wire.channel import Channel
from engine.wire.messages import ChannelClosed, pack

MEMORY_BYTES = 2 * 2**30
_GRACE_S = 2


def main(options: Sequence[str]) -> None:
    """Serve the engine until it is gone, or idle for the seconds of the second option.

    The first option is the number of the inherited socket.
    """
    channel = Channel(socket.socket(fileno=int(options[0])), protocol.REQUESTS)
    if protocol.WITHOUT_TRANSFORMERS not in options:
        _tokenizer_loader()
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if sys.platform == "linux":
        import psutil

        most = psutil.Process().memory_info().vms + MEMORY_BYTES
        resource.setrlimit(resource.RLIMIT_AS, (most, most))
    tokenizers: dict[str, Any] = {}
    with suppress(ChannelClosed):
        channel.send(protocol.Done(pack(None)))
        while (request := channel.receive(float(options[1]))) is not None:
            _limit_time(request.seconds)
            channel.send(_answer(request.task, tokenizers))


@cache
def _tokenizer_loader() -> Any:
    """Import mlx-lm's function for tokenizers without the rest of its package, which imports MLX."""
    _import_bare_package("mlx_lm")
    from mlx_lm.tokenizer_utils import load

    return load


@cache
def _cache_counter() -> Any:
    """Import what counts caches without the rest of the packages of models, which import transformers."""
    _import_bare_package("mlx_lm")
    _import_bare_package("mlx_vlm")
    import mlx.core as mx

    from engine.model_files.cache_counting import count_caches

    # Nothing is computed, so the GPU need not be woken.
    mx.set_default_device(mx.Device(mx.cpu))
    return count_caches


@cache
def _import_bare_package(name: str) -> None:
    """Make a package's modules importable without its `__init__`, which imports all of them, if it is installed."""
    spec = importlib.util.find_spec(name)
    if spec is not None:
        package = types.ModuleType(name)
        package.__path__ = list(spec.submodule_search_locations or ())
        sys.modules[name] = package


def _limit_time(seconds: int) -> None:
    """Let the system end this process after `seconds` more of computing, even in a call that holds Python's lock."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    most = int(used.ru_utime + used.ru_stime) + seconds + _GRACE_S
    resource.setrlimit(resource.RLIMIT_CPU, (most, resource.getrlimit(resource.RLIMIT_CPU)[1]))


def _answer(task: protocol.Task, tokenizers: dict[str, Any]) -> protocol.Reply:
    try:
        return protocol.Done(pack(_result(task, tokenizers)))
    except PromptTooLong as error:
        return protocol.TooLong(error.arguments["tokens"], error.arguments["limit"])  # type: ignore[arg-type]
    except TemplateFailed as error:
        too_large = isinstance(error.__cause__, MemoryError)
        return protocol.TemplateFailure(
            _sendable(str(error.arguments["detail"])), "too-large" if too_large else error.reason
        )
    except MemoryError:
        return protocol.TemplateFailure("", "too-large")
    # A foreign tokenizer can raise anything, also a panic of Rust code.
    except BaseException as error:
        return protocol.TemplateFailure(_sendable(" ".join(str(error).split())[:200] or type(error).__name__), "")


def _result(task: protocol.Task, tokenizers: dict[str, Any]) -> Any:
    if isinstance(task, protocol.TryGrammar):
        from engine.grammars.compiling import trial

        return _sendable(trial(task.lark))
    if isinstance(task, protocol.CheckAnswer):
        from engine.grammars.checking import problems_of

        return [_sendable(problem) for problem in problems_of(task.schema, task.text)]
    if isinstance(task, protocol.DecodePicture):
        return decode_picture(task.data, task.sizes, task.resample)
    if isinstance(task, protocol.ReadDocument):
        return document_text(task.name, task.data, task.most, task.language)
    if isinstance(task, protocol.PrepareGguf | protocol.WriteGgufShard):
        return _gguf_plan(task)
    if isinstance(task, protocol.CountCaches):
        return _cache_counter()(task.config)
    if isinstance(task, protocol.CountTokens):
        return _measured(task.file, task.text, task.tokens)
    if isinstance(task, protocol.Build):
        for other in tokenizers.keys() - set(task.keep):
            del tokenizers[other]
        tokenizers[task.source.folder] = _build(task.source)
        return None
    tokenizer = tokenizers[task.folder]
    if isinstance(task, protocol.FindThinking):
        return thinking_of(tokenizer)
    if isinstance(task, protocol.FindTurnEnd):
        return turn_end_of(tokenizer)
    return make_prompt(tokenizer, task.job, with_boundaries=True)


def _gguf_plan(task: protocol.PrepareGguf | protocol.WriteGgufShard) -> Any:
    from engine.tokenizers.prompt_process.gguf_writing import prepare, write_shard

    source, folder = Path(task.source), Path(task.folder)
    if isinstance(task, protocol.PrepareGguf):
        return prepare(source, folder)
    return write_shard(source, folder, task.number)


def _sendable(text: str) -> str:
    """Replace halves of surrogate pairs, which foreign templates and errors may contain."""
    return text.encode("utf-8", "replace").decode()


def _measured(file: str, text: str, tokens: int | None) -> tuple[int, int]:
    """Return the number of tokens of a text, and the character at which the first `tokens` of them end."""
    offsets = _bare_tokenizer(file, os.stat(file).st_mtime_ns).encode(text, add_special_tokens=False).offsets
    kept = offsets[:tokens]
    return len(offsets), kept[-1][1] if kept else 0


@lru_cache(maxsize=1)
def _bare_tokenizer(file: str, modified_ns: int) -> Any:
    """Build a tokenizer from a tokenizer.json alone; built again when the file has changed."""
    from tokenizers import Tokenizer

    del modified_ns
    return Tokenizer.from_file(file)


def _build(source: protocol.TokenizerSource) -> Any:
    tokenizer = _tokenizer_loader()(
        Path(source.folder),
        source.options,
        eos_token_ids=source.ends,
        defaults=source.defaults,
    )
    # Compute now what the first prompt needs.
    tokenizer.get_vocab()
    tokenizer.detokenizer.finalize()
    return tokenizer
