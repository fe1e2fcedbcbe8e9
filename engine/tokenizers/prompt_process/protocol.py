"""The tasks that the engine sends to the prompt process, and its replies."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar

import msgspec

from engine.documents.document import DocumentText
from engine.files.picture_file import DecodedPicture
from engine.gguf.plan import GgufPlan
from engine.model_files.cache_counting import CacheShape
from engine.tokenizers.prompts import Prompt, PromptJob
from engine.tokenizers.thinking import ThinkingChoice
from engine.wire.messages import Codec, WireMessage

# A context of ten million tokens fits.
LARGEST_REPLY = 2**27
# The most tokenizers that a process keeps. `Build` names those that stay, so both ends agree.
MOST_TOKENIZERS = 4
# The option of a process that builds no tokenizers.
WITHOUT_TRANSFORMERS = "--without-transformers"


@dataclass(frozen=True, slots=True)
class TokenizerSource:
    """The arguments for building a tokenizer: its folder, the ids that end a turn, mlx-lm's defaults for it, and
    options for transformers.
    """

    folder: str
    ends: Any = None
    defaults: dict[str, Any] | None = None
    options: dict[str, bool] = field(default_factory=dict)


class Build(WireMessage, frozen=True):
    """Build a tokenizer, and keep those of the folders `keep` beside it."""

    result: ClassVar[Any] = None
    source: TokenizerSource
    keep: list[str]


class FindThinking(WireMessage, frozen=True):
    """Find the choice of thinking that the chat template offers."""

    result: ClassVar[Any] = ThinkingChoice
    folder: str


class FindTurnEnd(WireMessage, frozen=True):
    """Find the token that the chat template writes after a turn of the assistant."""

    result: ClassVar[Any] = int | None
    folder: str


class MakePrompt(WireMessage, frozen=True):
    """Make the prompt of a conversation."""

    result: ClassVar[Any] = Prompt
    folder: str
    job: PromptJob


class CountTokens(WireMessage, frozen=True):
    """Count the tokens of a text in a tokenizer.json, and the characters that the first `tokens` of them cover."""

    result: ClassVar[Any] = tuple[int, int]
    file: str
    text: str
    tokens: int | None


class CountCaches(WireMessage, frozen=True):
    """Count what the caches of a model with this configuration hold."""

    result: ClassVar[Any] = CacheShape
    config: dict[str, Any]


class TryGrammar(WireMessage, frozen=True):
    """Compile a grammar, and return its error, or ""."""

    result: ClassVar[Any] = str
    lark: str


class CheckAnswer(WireMessage, frozen=True):
    """Check a JSON text against a schema, and return what is wrong with it."""

    result: ClassVar[Any] = list[str]
    schema: str
    text: str


class DecodePicture(WireMessage, frozen=True):
    """Decode a picture's file, and scale it to each of `sizes` (width, height)."""

    result: ClassVar[Any] = DecodedPicture
    data: bytes
    sizes: list[tuple[int, int]]
    resample: int


class ReadDocument(WireMessage, frozen=True):
    """Read the text of a file as `document_text` does."""

    result: ClassVar[Any] = DocumentText
    name: str
    data: bytes
    most: int
    language: str


class PrepareGguf(WireMessage, frozen=True):
    """Check a GGUF file, and write the files of a folder for it, but for its weights."""

    result: ClassVar[Any] = GgufPlan
    source: str
    folder: str


class WriteGgufShard(WireMessage, frozen=True):
    """Write the file of weights with this number into a folder that was prepared."""

    result: ClassVar[Any] = GgufPlan
    source: str
    folder: str
    number: int


_OfFiles = DecodePicture | ReadDocument | PrepareGguf | WriteGgufShard
_OfTokenizers = Build | FindThinking | FindTurnEnd | MakePrompt | CountTokens
Task = _OfTokenizers | CountCaches | TryGrammar | CheckAnswer | _OfFiles


class TaskRequest(WireMessage, frozen=True):
    """A task, and the seconds of computing that it may take."""

    seconds: int
    task: Task


class Done(WireMessage, frozen=True):
    """The result of the task, of the type that its class names."""

    result: msgspec.Raw


class TemplateFailure(WireMessage, frozen=True):
    """The arguments of a `TemplateFailed`."""

    detail: str
    reason: str


class TooLong(WireMessage, frozen=True):
    """The arguments of a `PromptTooLong`."""

    tokens: int
    limit: int


Reply = Done | TemplateFailure | TooLong
REQUESTS: Codec[TaskRequest] = Codec(TaskRequest)
REPLIES: Codec[Reply] = Codec(Reply, largest=LARGEST_REPLY)
