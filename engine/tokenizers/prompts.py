"""Renders messages as token ids, and finds the shared prefixes of prompts."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from types import MappingProxyType
from typing import Any, NamedTuple

from engine.errors import PromptTooLong, TemplateFailed
from engine.files.foreign_code import panics_as_errors
from engine.mlx_lm_private import transformers_tokenizer
from engine.tokenizers.control_marks import CUT, has_cut
from engine.tokenizers.picture_signs import NO_PICTURES, PictureTexts, as_texts, signs_in, with_pictures
from engine.tokenizers.prompt_texts import prompt_texts, system_merged

# gpt-oss's template reads the thoughts of a turn so.
_READS_THINKING = re.compile(r"message(?:\.thinking\b|\[['\"]thinking['\"]\])")
# Mistral's templates refuse calls whose ids are not so long.
_WANTS_SHORT_IDS = re.compile(r"id\s*\|\s*length\s*[!=]=\s*9\b")
_SHORT_ID = re.compile("[a-zA-Z0-9]{9}")

# A text of a turn whose end is looked for, and what marks of control tokens look like.
_SAID = "tandem"
_MARK = re.compile(r"<[^<>\s]+>|\[[^\[\]\s]+\]")

# The value of a template's variable.
OptionValue = str | bool | int
Options = Mapping[str, OptionValue]


def render(
    tokenizer: Any,
    messages: Sequence[Mapping[str, Any]],
    options: Options = MappingProxyType({}),
    tools: Sequence[Mapping[str, Any]] = (),
    pictures: PictureTexts = NO_PICTURES,
) -> list[int]:
    """Return the token ids of the conversation, up to where the assistant's text begins or continues.

    `options` are variables of the template, `tools` the functions that it offers to the model, and `pictures` the texts
    for signs in the messages. A last message of the assistant is continued instead of answered. Models without a chat
    template get the bare texts, one a line. Raises `TemplateFailed` if the template refuses the conversation.
    """
    conversation = [dict(message) for message in messages]
    continues = conversation[-1]["role"] == "assistant"
    if not tokenizer.has_chat_template:
        text = "\n".join(message["content"] for message in conversation)
        first, *others = with_pictures(text, pictures).split(CUT)
        return encode_raw(tokenizer, first) + _parts(tokenizer, others)
    return _ids(
        lambda: apply_template(
            tokenizer,
            conversation,
            pictures,
            add_generation_prompt=not continues,
            continue_final_message=continues,
            **_with_tools(options, tools),
        )
    )


def apply_template(
    tokenizer: Any, conversation: Sequence[Mapping[str, Any]], pictures: PictureTexts = NO_PICTURES, **options: Any
) -> Sequence[int]:
    """Call the tokenizer's `apply_chat_template`, without mlx-lm's default of switching thinking on.

    A template that gets no `enable_thinking` uses its own default. Text on both sides of a CUT is encoded apart, and
    signs of `pictures` become their texts.
    """
    template = getattr(tokenizer, "chat_template", "")
    conversation = _with_short_ids(template, _with_thoughts(template, conversation))
    apply = tokenizer.apply_chat_template
    if "enable_thinking" not in options and (wrapped := transformers_tokenizer(tokenizer)) is not None:
        apply = partial(wrapped.apply_chat_template, return_dict=False)
    if not pictures and not has_cut([conversation, options]):
        ids: Sequence[int] = apply(conversation, **options)
        return ids
    return _parts(tokenizer, with_pictures(apply(conversation, tokenize=False, **options), pictures).split(CUT))


def _parts(tokenizer: Any, texts: Sequence[str]) -> list[int]:
    return [token for text in texts if text for token in tokenizer.encode(text, add_special_tokens=False)]


def _with_thoughts(template: Any, conversation: Sequence[Mapping[str, Any]]) -> Sequence[Mapping[str, Any]]:
    """Give the thoughts of earlier turns the name that the template has for them; most read `reasoning_content`.

    A template with the other name refuses text next to the thoughts of a turn with calls, so that text joins them.
    """
    if not _READS_THINKING.search(str(template)):
        return conversation
    renamed = []
    for turn in conversation:
        thoughts = [turn["reasoning_content"]] if turn.get("reasoning_content") else []
        if thoughts and turn.get("tool_calls"):
            thoughts = [*thoughts, *filter(None, [turn["content"].strip()])]
            turn = {**turn, "content": ""}
        renamed.append({**turn, "thinking": "\n\n".join(thoughts)} if thoughts else turn)
    return renamed


def _with_short_ids(template: Any, conversation: Sequence[Mapping[str, Any]]) -> Sequence[Mapping[str, Any]]:
    """Give calls and their results ids of nine letters and digits for a template that refuses others."""
    if not _WANTS_SHORT_IDS.search(str(template)):
        return conversation
    turns_so_far = []
    for turn in conversation:
        if turn["role"] == "tool":
            turn = {**turn, "tool_call_id": _short_id(turn.get("tool_call_id"))}
        elif calls := turn.get("tool_calls"):
            turn = {**turn, "tool_calls": [{**call, "id": _short_id(call.get("id"))} for call in calls]}
        turns_so_far.append(turn)
    return turns_so_far


def _short_id(given: Any) -> str:
    text = str(given or "")
    return text if _SHORT_ID.fullmatch(text) else hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:9]


def encode_raw(tokenizer: Any, text: str) -> list[int]:
    """Return the token ids of a text without a template, with the tokens that the tokenizer begins every text with.

    Raises `TemplateFailed`.
    """
    return _ids(lambda: tokenizer.encode(text))


def _with_tools(options: Options, tools: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    # Omit `tools` when there are none: some templates only test whether it is defined.
    return {**options, "tools": [dict(tool) for tool in tools]} if tools else dict(options)


def _ids(make: Callable[[], Sequence[int]]) -> list[int]:
    """Return the token ids that `make` returns.

    Raises `TemplateFailed` for whatever it raises, and for no ids ("empty").
    """
    try:
        with panics_as_errors():
            ids = [int(token) for token in make()]
    # Templates are programs from model folders, and can raise any exception.
    except Exception as error:
        raise TemplateFailed(" ".join(str(error).split())[:200] or type(error).__name__) from error
    if not ids:
        raise TemplateFailed("", "empty")
    return ids


@dataclass(frozen=True, slots=True)
class PromptJob:
    """A conversation, or a raw `prompt`, for a context of `limit` tokens; the rest as in `requests.ChatRequest`.

    `pictures` are the texts that replace these, by digest.
    """

    messages: Sequence[Mapping[str, Any]]
    limit: int
    max_tokens: int | None = None
    overflow: str | None = None
    options: Options = field(default_factory=dict)
    tools: Sequence[Mapping[str, Any]] = ()
    prompt: str | Sequence[int] | None = None
    pictures: PictureTexts = field(default_factory=dict)
    kept_context: int | None = None

    @property
    def characters(self) -> int:
        """The length of its texts."""
        texts = [message.get("content") for message in as_texts(self.messages, self.pictures)]
        return sum(len(text) for text in (*texts, self.prompt, *self.pictures.values()) if isinstance(text, str))


@dataclass(frozen=True, slots=True)
class Prompt:
    """Token ids, the number of oldest messages `dropped` from them, and their `turn_boundaries` if known.

    The first `opening` ids are those of the system message, with the tools; 0 if that is not known, or there is none.
    `merged` system messages, which the template refuses, became a part of users' messages. `pictures` are the digests
    of those in it, in their order.
    """

    ids: list[int]
    dropped: int = 0
    boundaries: tuple[int, ...] | None = None
    merged: int = 0
    pictures: tuple[str, ...] = ()
    opening: int = 0


def make_prompt(tokenizer: Any, job: PromptJob, *, with_boundaries: bool = False) -> Prompt:
    """Make the prompt of a conversation, shortened if it is too long and the job allows it.

    Raises `PromptTooLong` and `TemplateFailed`.
    """
    if job.prompt is not None:
        return _raw_prompt(tokenizer, job.prompt, job)
    messages, tools, options = prompt_texts(tokenizer, job.messages, job.tools, job.options, job.pictures)
    count = len(messages)
    messages, prompt = _rendered(tokenizer, messages, options, tools, job.pictures)
    whole = prompt
    merged = count - len(messages)
    if job.overflow == "shorten":
        limit = min(job.kept_context or job.limit, job.limit)
        longest = limit - min(job.max_tokens or limit, limit // 4)
        shorter = newest_turns(messages)
        while len(prompt) > longest and (left := next(shorter, None)) is not None:
            messages = left
            prompt = render(tokenizer, left, options, tools, job.pictures)
    if len(prompt) >= job.limit:
        raise PromptTooLong(len(whole), job.limit)
    dropped = count - merged - len(messages)
    pictures = tuple(signs_in(messages)) if job.pictures else ()
    if not with_boundaries:
        return Prompt(prompt, dropped, None, merged, pictures)
    boundaries = turn_boundaries(tokenizer, messages, prompt, options, tools, job.pictures)
    return Prompt(prompt, dropped, boundaries.places, merged, pictures, boundaries.opening)


def _raw_prompt(tokenizer: Any, prompt: str | Sequence[int], job: PromptJob) -> Prompt:
    """Return the ids of a prompt without messages, cut if it is too long and the job allows it.

    The mark that the tokenizer puts behind a text stays: models that embed by their last token read it there. A prompt
    of ids 5, 9, 2, 7 and the mark 1 becomes 5, 9, 1 for a limit of 4.
    """
    ids = encode_raw(tokenizer, prompt) if isinstance(prompt, str) else list(prompt)
    longest = job.limit - 1
    if len(ids) > longest and job.overflow == "cut" and longest > 1:
        plain = _ids(lambda: tokenizer.encode(prompt, add_special_tokens=False)) if isinstance(prompt, str) else ids
        mark = ids[-1:] if ids[-1] != plain[-1] else []
        ids = ids[: longest - len(mark)] + mark
    if len(ids) > longest:
        raise PromptTooLong(len(ids), job.limit)
    return Prompt(ids, boundaries=last_boundary(ids))


def _rendered(
    tokenizer: Any,
    messages: Sequence[Mapping[str, Any]],
    options: Options,
    tools: Sequence[Mapping[str, Any]],
    pictures: PictureTexts,
) -> tuple[Sequence[Mapping[str, Any]], list[int]]:
    """Return the messages and their prompt, with system messages in users' messages if the template refuses them.

    Raises the `TemplateFailed` of the messages as they are.
    """
    try:
        return messages, render(tokenizer, messages, options, tools, pictures)
    except TemplateFailed:
        # Some templates know a system message at the beginning only.
        for first in (1, 0):
            merged = system_merged(messages, first)
            if len(merged) < len(messages):
                with suppress(TemplateFailed):
                    return merged, render(tokenizer, merged, options, tools, pictures)
        raise


def turn_end_of(tokenizer: Any) -> int | None:
    """Return the token that the chat template writes after a turn of the assistant; None if that is not one mark.

    In templates of answers of several messages, that mark ends each of these. This runs the template, which is foreign
    code.
    """
    if not tokenizer.has_chat_template:
        return None
    turns = ({"role": "user", "content": _SAID}, {"role": "assistant", "content": _SAID})
    try:
        with panics_as_errors():
            text = str(apply_template(tokenizer, turns, tokenize=False))
            _, said, after = text.rpartition(_SAID)
            first = tokenizer.encode(after.lstrip(), add_special_tokens=False)[:1]
            mark = local_decoder(tokenizer)(first).strip()
    # A template may raise anything.
    except Exception:
        return None
    whole = said and first and "<|message|>" not in text and after.lstrip().startswith(mark)
    return int(first[0]) if whole and _MARK.fullmatch(mark) else None


def last_boundary(prompt: Sequence[int]) -> tuple[int, ...]:
    """Return the boundary before the last token, for a prompt without other boundaries."""
    return (len(prompt) - 1,) if len(prompt) > 1 else ()


def newest_turns(messages: Sequence[Mapping[str, Any]]) -> Iterator[Sequence[Mapping[str, Any]]]:
    """Yield the conversation without its oldest turn, without the two oldest, and so on.

    A system message stays, and the messages after it begin with a user message.
    """
    head = [message for message in messages[:1] if message["role"] == "system"]
    for start in range(len(head) + 1, len(messages)):
        if messages[start]["role"] == "user":
            yield [*head, *messages[start:]]


def shared_prefix(first: Sequence[object], second: Sequence[object]) -> int:
    """Return how many leading items two sequences share: tokens, with digests of pictures among them, or others.

    [5, 9, 2] and [5, 9, 7, 1] share 2.
    """
    low = 0
    high = min(len(first), len(second))
    # Comparing slices is much faster than a loop over tens of thousands of tokens.
    while low < high:
        middle = (low + high + 1) // 2
        if first[low:middle] == second[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


class TurnBoundaries(NamedTuple):
    """Places in a prompt up to which another conversation may share it.

    places: after the first message, before the last message, and before the last token, in rising order
    opening: the place after a first message of the system; 0 if there is none, or the template refuses it alone
    """

    places: tuple[int, ...]
    opening: int = 0


def turn_boundaries(
    tokenizer: Any,
    messages: Sequence[Mapping[str, Any]],
    prompt: Sequence[int],
    options: Options = MappingProxyType({}),
    tools: Sequence[Mapping[str, Any]] = (),
    pictures: PictureTexts = NO_PICTURES,
) -> TurnBoundaries:
    """Return the boundaries of the turns `messages` in their `prompt`."""
    if not tokenizer.has_chat_template:
        return TurnBoundaries(last_boundary(prompt))
    places = {len(prompt) - 1}
    opening = 0
    for count in (1, len(messages) - 1):
        if not 0 < count < len(messages):
            continue
        head = [dict(message) for message in messages[:count]]
        try:
            with panics_as_errors():
                rendered = apply_template(tokenizer, head, pictures, **_with_tools(options, tools))
        # A template may refuse incomplete conversations; then there is no boundary here.
        except Exception:
            continue
        place = shared_prefix([int(token) for token in rendered], prompt[:-1])
        places.add(place)
        if count == 1 and messages[0]["role"] == "system":
            opening = place
    return TurnBoundaries(tuple(sorted(place for place in places if place > 0)), opening)


def local_decoder(tokenizer: Any) -> Callable[[Sequence[int]], str]:
    """Return a function from ids to their text, with control tokens; a fast tokenizer's backend is used directly."""
    fast = getattr(tokenizer, "backend_tokenizer", None)

    def decode(ids: Sequence[int]) -> str:
        with panics_as_errors():
            if fast is not None:
                return str(fast.decode(list(ids), skip_special_tokens=False))
            return str(tokenizer.decode(list(ids)))

    return decode
