"""Sentences for the codes of the engine's and the store's errors, in the language of the window."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from pathlib import Path

from PySide6.QtCore import QLocale

from app.conversations.database.errors import StoreError, StoreInUse, StoreTooNew, refusal_of
from app.wording.cluster import CLUSTER_REASONS
from app.wording.hub import HUB_REASONS, space_words
from app.wording.pictures import PICTURE_REASONS, no_vision_sentence, not_installed_sentence
from app.wording.sentences import Sentences, translate
from app.wording.sources import recorded_name
from app.wording.teaching import TEACHING_REASONS
from engine.errors import EngineError, NotEnoughMemory
from engine.model_files.names import name_of_snapshot
from engine.stats import PlainSpan


def error_sentence(error: EngineError) -> str:
    """Return words that say what went wrong and what to do about it."""
    try:
        return _sentence_of(error)
    except (KeyError, TypeError, ValueError):
        # A stored or imported answer of another version may lack arguments of its error.
        return ERRORS[EngineError.code]


def _sentence_of(error: EngineError) -> str:
    """Return the sentence for an error. Raises KeyError, TypeError or ValueError if it lacks arguments."""
    arguments = _Lenient({name: str(value) for name, value in error.arguments.items()})
    if error.code in _WORDED:
        return _WORDED[error.code](arguments)
    if error.code in _BY_REASON:
        sentence = _BY_REASON[error.code][arguments["reason"]]
        host = arguments["host"] or translate("Cluster", "One of the computers")
        return sentence.format_map(_Lenient(arguments | space_words(error.arguments) | {"host": host}))
    # A stored or imported answer may have a code of another version.
    return ERRORS.get(error.code, ERRORS[EngineError.code]).format_map(arguments)


class _Lenient(dict[str, str]):
    """Formats a missing argument as an empty string instead of failing."""

    def __missing__(self, key: str) -> str:
        return ""


ERRORS = Sentences(
    "Errors",
    {
        "engine": "Something went wrong in the engine. Try again.",
        "bad-request": "“{actual}” isn't a valid value for {name}. Change it and try again.",
        "load-cancelled": "Loading was cancelled.",
        "no-model": "No main model is loaded. Choose one at the top of the window.",
        "queue-full": "{limit} questions are already queued. Try again when one of them has been answered.",
        "engine-closed": "The engine has stopped. Restart Tandem.",
        "internal": "The engine hit an unexpected error: {detail}. Try again; if it happens again, restart Tandem.",
    },
)
"""One sentence for each code without a function."""


FILE_REASONS = Sentences(
    "FileReasons",
    {
        "forbidden": "{path} cannot be read or written to. Check its permissions and those of its folder, then try "
        "again.",
        "read-only": "{path} cannot be written to, because its disk is read-only. Make the disk writable, then try "
        "again.",
        "full": "{path} cannot be written to, because the disk is full. Free up space, then try again.",
    },
)


def _device_failed(arguments: Mapping[str, str]) -> str:
    """Return words that say what to do after the GPU failed, and whether a model was unloaded."""
    if not arguments["unloaded"]:
        return translate(
            "Errors",
            "The GPU failed, so all answers were stopped. Try again; if it happens again, choose a smaller model, "
            "ask fewer questions at once or start a new chat.",
        )
    return translate(
        "Errors",
        "The GPU failed twice in a row, so {name} was unloaded. Choose a smaller model, ask fewer questions at once or "
        "start a new chat; the next question loads the model again.",
    ).format(name=recorded_name(arguments["unloaded"]))


def _prompt_too_long(arguments: Mapping[str, str]) -> str:
    """Return words that say how long the chat is, and how long it may be."""
    return translate(
        "Errors",
        "This chat is {tokens} tokens long; the model's context is {limit}. Start a new chat, "
        "shorten your message or choose a model with a longer context.",
    ).format(tokens=_number(int(arguments["tokens"])), limit=_number(int(arguments["limit"])))


TEMPLATE_REASONS = Sentences(
    "Errors",
    {
        "": "The model's chat template rejected this chat: {detail}. Start a new chat or choose another model.",
        "empty": (
            "The model's chat template produced an empty prompt for this chat. Start a new chat or choose another "
            "model."
        ),
        "too-slow": (
            "The model's chat template was stopped after {detail} seconds with this chat. Shorten your message, start "
            "a new chat or choose another model."
        ),
        "too-large": (
            "The model's chat template was stopped because it took too much memory with this chat. Shorten your "
            "message, start a new chat or choose another model."
        ),
        "crashed": (
            "Preparing this chat for the model failed several times. Close other apps to free up memory, then try "
            "again. If that doesn't help, choose another model."
        ),
        "pictures": "The model's chat template leaves pictures of this chat out. Choose another model.",
    },
)


GRAMMAR_REASONS = Sentences(
    "Errors",
    {
        "not-json": "The schema isn't valid JSON: {detail}.",
        "invalid": "The answer format can't be used: {detail}.",
        "unchecked": (
            "These parts of the schema can't be checked while an answer is being written, so an answer may differ "
            "from them: {detail}."
        ),
        "not-a-schema": "The schema has to be a JSON object in braces.",
        "too-large": "The answer format is too large. Shorten it.",
        "too-slow": "The answer format is too complex: checking it was stopped after {detail} seconds. Simplify it.",
        "too-complex": "The answer format is too complex: checking it took too much memory. Simplify it.",
        "continued": (
            "The answer so far doesn't follow the answer format, so it can't be continued. Regenerate it, or choose "
            "text as the answer format."
        ),
        "lost": "The answer format became too complex while the answer was being written. Simplify it and try again.",
    },
)


def _not_enough_memory(arguments: Mapping[str, str]) -> str:
    """Return words that say how much memory is missing, and what would fit."""
    names = ("needed", "available", "context", "largest_context", "kv_bits", "draft_bytes")
    figures = {name: int(arguments[name]) for name in names}
    if figures["largest_context"]:
        sentence = translate(
            "Errors",
            "{name} needs {needed} GB of memory for a context of {context} tokens, and models can use {available} GB. "
            "It fits with {largest} tokens: shorten the context or choose a smaller draft model.",
        )
    else:
        sentence = translate(
            "Errors",
            "{name} needs {needed} GB of memory for a context of {context} tokens, and models can use {available} GB. "
            "Choose a smaller model.",
        )
    sentences = [sentence]
    if figures["kv_bits"]:
        sentences.append(translate("Errors", "It fits with a {bits}-bit KV cache (Settings > Generation)."))
    if figures["draft_bytes"]:
        sentences.append(translate("Errors", "A draft model of up to {draft} GB would fit."))
    return joined(*sentences).format(
        name=recorded_name(arguments["name"]),
        needed=_number(figures["needed"] / 1e9, 1),
        available=_number(figures["available"] / 1e9, 1),
        context=_number(figures["context"]),
        largest=_number(figures["largest_context"]),
        bits=figures["kv_bits"],
        draft=_number(figures["draft_bytes"] / 1e9, 1),
    )


MODEL_REASONS = Sentences(
    "ModelReasons",
    {
        "missing": "Its folder is missing ({detail}).",
        "not-a-model": "Its folder contains no model.",
        "incomplete": "One of its files is missing ({detail}).",
        "damaged": "One of its files is damaged ({detail}).",
        "wrong-tensors": "Its weights don't match its configuration ({detail}).",
        "unknown-architecture": "Its architecture is not supported yet ({detail}).",
        "is-diffusion": "It writes text by diffusion, not token by token.",
        "is-embedding": "It makes embeddings or sorts texts.",
        "is-ocr": "It only reads the text in pictures.",
        "is-decision": "It makes decisions.",
        "is-media": "It makes pictures, films or sounds.",
        "is-part": "It is only a part of a model ({detail}).",
        "vlm-adapter": "It is an adapter for a family that runs through mlx-vlm ({detail}).",
        "no-mlx-vlm": "It runs through mlx-vlm, which is not installed.",
        "is-head": "It is a head, not a model.",
        "unknown-head": "Its kind of head is not supported yet ({detail}).",
        "no-taps": "The layers of the main model cannot be read ({detail}).",
        "wrong-main": "It was made for another main model ({detail}).",
        "no-base": "Its main model was not found ({detail}).",
        "wrong-base": "It is an adapter for another main model ({detail}).",
        "unknown-adapter": "Tandem cannot apply adapters of its kind ({detail}).",
        "no-tokenizer": "Its tokenizer cannot be read ({detail}).",
        "unsafe": "It requires running its own code or reading files outside its folder ({detail}).",
        "vocabulary": "Its vocabulary differs from the main model's ({detail}).",
        "not-finite": "Its weights produce invalid values ({detail}).",
        "all-zero": "Its weights are all zero.",
        "no-room": "There is not enough memory for it ({detail}).",
        "disk-full": "Converting it needs more free space on the disk ({detail}).",
        "not-written": "The disk or the folder does not allow writing it ({detail}).",
        "beyond-limits": "Reading it took too much time or memory.",
    },
)
"""One sentence for each reason of ModelNotUsable (engine/errors.py), also of a draft; {detail} has its parentheses."""

MODEL_REMEDIES = Sentences(
    "ModelReasons",
    dict.fromkeys(("missing", "not-a-model"), "Choose a folder that contains a model.")
    | dict.fromkeys(("incomplete", "damaged", "no-tokenizer"), "Download or copy it again.")
    | dict.fromkeys(("wrong-tensors", "not-finite", "all-zero"), "Choose another copy of this model.")
    | dict.fromkeys(("is-diffusion", "unsafe"), "Choose another model.")
    | dict.fromkeys(("is-embedding", "is-ocr", "is-decision", "is-media"), "Choose a model for chats.")
    | dict.fromkeys(("unknown-head", "wrong-main"), "Choose a head made for this main model.")
    | dict.fromkeys(("no-taps", "vocabulary"), "Choose another draft model.")
    | dict.fromkeys(("no-base", "wrong-base"), "Put the adapter into the folder of its main model.")
    | dict.fromkeys(("vlm-adapter", "unknown-adapter"), "Choose its main model without an adapter.")
    | dict.fromkeys(("no-room", "beyond-limits"), "Choose a smaller model, or close other apps and try again.")
    | {
        "unknown-architecture": "Choose another model or update Tandem.",
        "is-part": "Choose the file with the whole model.",
        "is-head": "Choose it as the draft.",
        "disk-full": "Free up space, then try again.",
        "no-mlx-vlm": "Install Tandem with the command in its README.",
    },
)
"""What to do about each reason, if that is known."""

_DETAIL = re.compile(r" ?[(（]\{detail\}[)）]")


def reason_sentence(reason: str, detail: str = "") -> str:
    """Return words that say why a model cannot be used, with the detail in parentheses if there is one."""
    sentence = MODEL_REASONS[reason]
    return sentence.format(detail=detail) if detail.strip() else _DETAIL.sub("", sentence)


def unusable_sentence(reason: str, detail: str = "", name: str = "") -> str:
    """Return words that say that a model cannot be used, why, and what to do about it."""
    named = translate("ModelReasons", "{name} cannot be used.")
    refused = translate("ModelReasons", "Cannot be used.")
    refused = named.format(name=name) if name else refused
    return joined(refused, reason_sentence(reason, detail), MODEL_REMEDIES.get(reason, ""))


def _model_not_usable(arguments: Mapping[str, str]) -> str:
    reason = arguments["reason"]
    path = arguments["path"]
    detail = path if reason == "missing" else arguments["detail"]
    return unusable_sentence(reason, detail, recorded_name(name_of_snapshot(Path(path))))


_BY_REASON = {
    "template-failed": TEMPLATE_REASONS,
    "grammar-not-usable": GRAMMAR_REASONS,
    "picture-not-usable": PICTURE_REASONS,
    "cannot-teach": TEACHING_REASONS,
    "hub": HUB_REASONS,
    "file-refused": FILE_REASONS,
    "cluster": CLUSTER_REASONS,
}
_WORDED: dict[str, Callable[[Mapping[str, str]], str]] = {
    "model-not-usable": _model_not_usable,
    "prompt-too-long": _prompt_too_long,
    "not-enough-memory": _not_enough_memory,
    "device-failed": _device_failed,
    "model-cannot-see": lambda arguments: no_vision_sentence(
        arguments["name"], cluster=arguments["reason"] == "cluster"
    ),
    "pictures-not-installed": lambda _: not_installed_sentence(),
}


def plain_sentence(span: PlainSpan) -> str:
    """Return words that say why tokens were decoded without speculation; "" for the code of another version."""
    arguments = {name: _number(value, 1) if isinstance(value, float) else str(value) for name, value in span.arguments}
    if span.reason == "draft-not-usable":
        # The engine has the code of an error that names no reason.
        reason = "no-room" if arguments.get("reason") == NotEnoughMemory.code else arguments.get("reason", "")
        arguments["reason"] = reason_sentence(reason) if reason in MODEL_REASONS else ""
    return PLAIN_REASONS.get(span.reason, "").format_map(_Lenient(arguments)).rstrip()


PLAIN_REASONS = Sentences(
    "PlainReasons",
    {
        "off": "Without speculation: it was turned off.",
        "no-draft": "Without speculation: no draft model was loaded.",
        "draft-loading": "Without speculation: the draft model was still loading.",
        "draft-not-usable": "Without speculation: the draft model cannot be used with this main model. {reason}",
        "draft-failed": "Without speculation: drafting failed.",
        "draft-context-full": "Without speculation: the draft model's context was full.",
        "no-guess": "Without speculation: there was no usable proposal.",
        "carried-rows": "Without speculation: earlier tokens had to be reprocessed first.",
        "cache-kind": "Without speculation: this model's cache ({kind}) cannot be rolled back.",
        "no-match": "Without speculation: no matching text earlier in the chat.",
        "not-forced": "Without speculation: the answer format left a choice everywhere.",
        "costs-more": "Without speculation: plain decoding was faster.",
        "same-text": "Without speculation: it could have changed the text by rounding.",
        "measuring": "Without speculation: plain decoding was still being measured.",
        "batch": "Without speculation: another answer was about to start.",
        "catching-up": "Without speculation: the draft model was still processing the chat.",
        "turns": "Without speculation: answers ran one at a time because they cannot be batched ({kind}).",
        "first-token": "The first token always comes from the main model alone.",
        "length-limit": "Without speculation: the answer had almost reached its length limit.",
    },
)
"""One sentence for each `PlainSpan` code, also for an answer that is being written: it is about its latest tokens."""


def store_sentence(error: StoreError) -> str:
    """Return words that say why the chats could not be read or changed, and what to do."""
    arguments = {
        name: QLocale().createSeparatedList(value) if isinstance(value, list) else value
        for name, value in error.arguments.items()
    }
    other = translate("Store", "Your chats could not be saved or read: {detail}. Try again, or quit and reopen Tandem.")
    return STORE_REASONS.get(str(arguments.get("reason", error.code)), other).format(**{"detail": error, **arguments})


STORE_REASONS = Sentences(
    "Store",
    {
        "full": "The disk is full, so your chats can't be saved. Free up space.",
        "read-only": "The chats cannot be changed: the disk or the file does not allow writing.",
        "io": "The disk is not responding correctly, so this chat can't be saved.",
        "store-damaged": "The chat database is damaged. Quit and reopen Tandem to repair it.",
        "not-removed": "The deleted chats may still be in files that can't be read or changed: {files}.",
        "not-deleted": "Not deleted: {titles}. The chat database is damaged. Quit and reopen Tandem to repair it.",
    },
)


def closed_store_sentence(error: Exception) -> str:
    """Return words that say why the chats cannot be opened at all, and what helps."""
    if isinstance(error, StoreInUse):
        return translate("Store", "Tandem is already running.")
    if isinstance(error, StoreTooNew):
        return translate("Store", "Your chats were saved by a newer version of Tandem. Update Tandem.")
    refusal = refusal_of(error)
    if refusal == "full":
        return translate("Store", "Your chats cannot be opened because the disk is full. Free up space and try again.")
    if refusal == "read-only":
        return translate("Store", "Your chats cannot be opened because their disk or folder does not allow it.")
    return translate("Store", "Your chats cannot be opened: {detail}.").format(detail=str(error))


def damage_sentence(copy: Path) -> str:
    """Return words that say what was recovered from a damaged file of chats, and where that file is."""
    text = translate(
        "Store",
        "The chat database was damaged. What could be recovered is in the chat list; the damaged "
        "file was kept as {name}.",
    )
    return text.format(name=copy.name)


def joined(*sentences: str) -> str:
    """Join the sentences that are not empty as the language in use does."""
    both = translate("Sentences", "{first} {second}", "two sentences, one after the other")
    text = ""
    for sentence in filter(None, sentences):
        text = both.format(first=text, second=sentence) if text else sentence
    return text


def quoted(text: str) -> str:
    """Put the text into the quotation marks of the language in use."""
    return translate("Sentences", "“{text}”").replace("{text}", text)


def _number(value: float, decimals: int = 0) -> str:
    return QLocale().toString(float(value), "f", decimals)
