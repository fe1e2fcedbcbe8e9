"""A request as it begins: the prompt, the grammar, the pictures and the sampler of its answer, made and checked.

All that can be refused before anything is computed is refused here. A `generation.Generation` gets the finished parts.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from engine.errors import BadRequest
from engine.grammars.calls import opening_of
from engine.grammars.calls_in_text import CallsInText
from engine.grammars.constraint import CompiledGrammar, Constraint, Thinking
from engine.main_model.loaded_model import LoadedModel
from engine.main_model.sampling import Sampler
from engine.main_model.thought_limit import ThoughtLimit
from engine.model_files.thought_marks import continued_thought, opened_thought
from engine.pictures.placed import PlacedPicture
from engine.pictures.reading import PictureFiles
from engine.pictures.vision_tower import RequestPictures
from engine.requests import ChatRequest, text_of
from engine.speculation.rounds.sequence import CachedSequence
from engine.tokenizers.prompts import Prompt, PromptJob, local_decoder, make_prompt

log = logging.getLogger(__name__)

# Upper bound on the tokens of a thinking-start marker.
_MARK_TOKENS = 16
# A template starts or ends the thinking within these last tokens of a prompt; earlier markers may be a user's text.
_OPENING_TOKENS = 4


@dataclass(frozen=True, slots=True)
class PreparedRequest:
    """A request for `main` and the parts of its answer. The record is fixed; sampler, grammar and limit have state.

    `prompt` has at least one token, and only ids that the model has an embedding for. `pictures` are their places in
    it, and `reader` reads them; () and None without pictures. `constraint` is the grammar that the answer follows, and
    `thoughts` the limit of its thinking; None if the request has none. `opening` is the mark with which the template
    has opened the thinking already, or "".
    """

    request: ChatRequest
    main: LoadedModel
    prompt: Prompt
    pictures: tuple[PlacedPicture, ...]
    reader: RequestPictures | None
    constraint: Constraint | CallsInText | None
    sampler: Sampler
    thoughts: ThoughtLimit | None
    opening: str

    @property
    def budget(self) -> int:
        """The most tokens that the answer may have: as many as the request allows and the context has room for."""
        limit = self.main.info.context_length
        most = limit if self.request.max_tokens is None else self.request.max_tokens
        return min(most, limit - len(self.prompt.ids))


def prepare(
    request: ChatRequest,
    main: LoadedModel,
    prompt: Prompt | None = None,
    grammar: CompiledGrammar | None = None,
    files: PictureFiles | None = None,
) -> PreparedRequest:
    """Make and check the parts of the answer of `main` to `request`.

    Some parts may have been made on other threads: `prompt`, `files` (the request's pictures, as far as they were
    read), and `grammar`. None for a part makes it here; but a `request.grammar` that only calls in the answer have to
    follow may still be compiling, and is left to do so.

    Raises `PromptTooLong`, `TemplateFailed` (also if the template leaves a picture out), `PictureNotUsable`,
    `GrammarNotUsable`, or `BadRequest` for a token that the model has no embedding for.
    """
    files = files or PictureFiles(request.pictures)
    if prompt is None:
        prompt = _make_prompt(request, main, files)
    if prompt.merged:
        log.info("%d system messages were merged into users' messages: the template refuses them", prompt.merged)
    _check_ids(prompt.ids, main, "messages" if request.prompt is None else "prompt")
    constraint = None if request.grammar is None else _constraint(request, grammar, main, prompt.ids)
    reader = main.reader(files) if request.pictures else None
    opening = opened_thought(local_decoder(main.tokenizer)(prompt.ids[-_MARK_TOKENS:]))
    if not opening and request.prompt is None and request.continues:
        opening = continued_thought(text_of(request.messages[-1]["content"]))
    return PreparedRequest(
        request,
        main,
        prompt,
        pictures=() if reader is None else reader.places(prompt.ids, prompt.pictures),
        reader=reader,
        constraint=constraint,
        sampler=Sampler(request.sampling, main.vocabulary, constraint, request.alternatives),
        thoughts=_thought_limit(request, main, prompt.ids, opening),
        opening=opening,
    )


def prompt_job(request: ChatRequest, main: LoadedModel, files: PictureFiles) -> PromptJob:
    """Return the job that makes a request's prompt.

    Thread-safe. With pictures it waits until their sizes are known, and raises as `RequestPictures.texts` does.
    """
    return PromptJob(
        request.messages,
        main.info.context_length,
        request.max_tokens,
        request.overflow,
        dict(request.template_options),
        request.tools,
        request.prompt,
        main.reader(files).texts() if request.pictures else {},
        request.kept_context,
    )


def _make_prompt(request: ChatRequest, main: LoadedModel, files: PictureFiles) -> Prompt:
    needs_boundaries = CachedSequence(main.model, main.new_caches()).needs_boundaries
    # Callers share the system message, whose end is a boundary.
    with_boundaries = needs_boundaries or request.conversation is None
    return make_prompt(main.tokenizer, prompt_job(request, main, files), with_boundaries=with_boundaries)


def _check_ids(prompt: Sequence[int], main: LoadedModel, given: str) -> None:
    """Raise `BadRequest` about `given` for an id past the embedding, behind whose last row lies foreign memory."""
    largest = max(prompt, default=0)
    if main.rows is not None and largest >= main.rows:
        raise BadRequest(given, "text that the model has tokens for", main.tokenizer.decode([largest]))


def _constraint(
    request: ChatRequest, grammar: CompiledGrammar | None, main: LoadedModel, prompt: Sequence[int]
) -> Constraint | CallsInText:
    """Return the grammar of an answer that follows `prompt`, or continues its last message.

    Without a compiled `grammar`, only the calls in the answer follow it: it is compiled when the first one begins.
    """
    begun, thinking = _begun(request, main, prompt)
    if grammar is not None:
        return Constraint(grammar, len(prompt), begun, thinking)
    assert request.grammar is not None
    opening = opening_of(request.grammar.source)
    start = partial(main.grammars.start, request.grammar)
    mark = main.token_of(opening.mark)
    return CallsInText(start, main.grammars.bytes_of, opening, mark, len(prompt), thinking, begun=bool(begun))


def _begun(request: ChatRequest, main: LoadedModel, prompt: Sequence[int]) -> tuple[str, Thinking | None]:
    """Return the text that an answer continues, without thoughts, and the thinking that may precede it."""
    marks = main.thought_marks
    begun = request.messages[-1]["content"] if request.prompt is None and request.continues else ""
    if marks is None:
        return begun, None
    (opening, start), (closing, end) = marks
    if opening in begun:
        _, closed, begun = begun.rpartition(closing)
        if not closed:
            return "", Thinking(end)
    if begun:
        return begun.lstrip(), None
    return "", _thinking(start, end, prompt)


def _thinking(start: int, end: int, prompt: Sequence[int]) -> Thinking | None:
    """Return the thinking that may precede the answer; None if the template has already ended it."""
    newest = next((token for token in reversed(prompt[-_OPENING_TOKENS:]) if token in (start, end)), None)
    if newest == end:
        return None
    return Thinking(end, None if newest == start else start)


def _thought_limit(request: ChatRequest, main: LoadedModel, prompt: Sequence[int], opening: str) -> ThoughtLimit | None:
    """Return the limit of the answer's thinking, None if the request has no budget for it."""
    if request.thinking_budget is None:
        return None
    continues = bool(request.messages) and request.continues
    begun = request.messages[-1]["content"] if continues else opening
    calls = bool(request.tools)
    return ThoughtLimit(request.thinking_budget, len(prompt), begun, main.tokenizer, calls=calls)
