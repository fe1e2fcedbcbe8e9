"""What a caller passes to the engine: a chat request and its settings, validated when they are created."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any

from msgspec import Meta

from engine.errors import BadRequest, require, require_between, require_one_of
from engine.grammars.grammar import Grammar
from engine.methods import methods

ACCEPTANCE_RULES = ("match", "rejection")
MOST_ALTERNATIVES = 20
OVERFLOW_RULES = ("refuse", "shorten")
# Far above any useful value; the OpenAI API ends at 2.
MAX_TEMPERATURE = 5.0
ROLES = ("system", "developer", "user", "assistant", "tool")
ROLES_WITH_PICTURES = ("user", "tool")
# The most draft tokens of a round. Only lookup proposes as many.
MAX_DEPTH = 32
# The most draft tokens of a drafter in a round: more are rarely right, and each costs time.
MAX_DRAFTED = 16
# The most tokens of an answer that is only given to teach a draft model: many short answers show more than a few long.
DRAWN_TOKENS = 256


@dataclass(frozen=True)
class SamplingSettings:
    """How the main model's next token is drawn.

    `temperature` 0 is greedy. `top_k` 0, `top_p` 1, `min_p` 0, `repetition_penalty` 1 and the two other penalties
    at 0 switch that rule off. The penalties cover the last `penalty_window` tokens. `logit_bias` maps token ids to
    numbers that are added to their logits. With `seed` None every request draws a seed, which its stats report. After
    `thinking_budget` tokens of thoughts, if not None, the mark that ends thoughts follows, with 0 at once.

    Every range is checked here. The annotated ones are also checked where settings are read from JSON.
    """

    temperature: Annotated[float, Meta(ge=0, le=MAX_TEMPERATURE)] = 0.0
    top_k: int = 0
    top_p: float = 1.0
    min_p: Annotated[float, Meta(ge=0, le=1)] = 0.0
    repetition_penalty: float = 1.0
    presence_penalty: float = 0.0
    frequency_penalty: float = 0.0
    penalty_window: int = 20
    logit_bias: Mapping[int, float] = field(default_factory=dict)
    seed: int | None = None
    thinking_budget: int | None = None

    def __post_init__(self) -> None:
        require_between("temperature", self.temperature, 0, MAX_TEMPERATURE)
        require(self.top_k >= 0, "top_k", "0 or more", self.top_k)
        require(0.0 < self.top_p <= 1.0, "top_p", "above 0 and at most 1", self.top_p)
        require_between("min_p", self.min_p, 0, 1)
        require(self.repetition_penalty > 0.0, "repetition_penalty", "above 0", self.repetition_penalty)
        require(self.penalty_window >= 0, "penalty_window", "0 or more", self.penalty_window)
        if self.seed is not None:
            require(0 <= self.seed < 2**64, "seed", "between 0 and 2^64 - 1", self.seed)
        if self.thinking_budget is not None:
            require(self.thinking_budget >= 0, "thinking_budget", "0 or more", self.thinking_budget)


@dataclass(frozen=True)
class SpeculationSettings:
    """Which proposers draft, and how many tokens a round.

    `method` is "auto" (whatever is fastest here), "draft" (the draft model or head), another registered proposer
    ("ngram": lookup in the text so far) or "off". `depth` fixes the draft tokens of a round (0 is "off"); None lets the
    controller choose up to MAX_DEPTH. `acceptance` is "match" (same text for a seed whatever the method) or
    "rejection"; a request with a draft runner uses "match". With `same_text`, rounds keep to widths that this machine
    rounds like a single row (`engine.tuning.Rounding`), whatever that costs, so that the text is bit for bit the same
    as with plain decoding; such a request shares no pass with others. Without `proposes_forced`, the text that a
    grammar forces is left to the other proposers: proposing it costs no drafting, but shows nothing of them. Plain
    rounds that measure the speed-up, at a fixed depth too, cost at most `sample_share` of an answer's time; with 0
    there are none, and the speed-up is unknown.
    """

    method: str = "auto"
    depth: int | None = None
    acceptance: str = "match"
    sample_share: float = 0.02
    same_text: bool = False
    proposes_forced: bool = True

    def __post_init__(self) -> None:
        require_one_of(methods(), "method", self.method)
        require_one_of(ACCEPTANCE_RULES, "acceptance", self.acceptance)
        if self.depth is not None:
            require_between("depth", self.depth, 0, MAX_DEPTH)

    @property
    def redraws(self) -> bool:
        """Whether tokens are accepted by rejection sampling where a proposal allows it."""
        return self.acceptance == "rejection" and not self.same_text

    @property
    def depth_limit(self) -> int:
        """The most draft tokens that a round may have, at least 1."""
        return self.depth or MAX_DEPTH


@dataclass(frozen=True, slots=True)
class OwnAnswer:
    """A finished answer of the loaded main model, to teach a draft model with: `ids` are its tokens.

    `messages` are the turns before it, as in `ChatRequest`, and `chat` is any name of its chat that does not change.
    Without `ids`, it is a question that the main model is to answer with at most DRAWN_TOKENS, while it teaches.
    """

    chat: str
    messages: Sequence[Mapping[str, Any]]
    ids: tuple[int, ...] = ()

    @property
    def tokens(self) -> int:
        """Its tokens, or the most that it can get."""
        return len(self.ids) or DRAWN_TOKENS


@dataclass(frozen=True)
class ChatRequest:
    """One request for an answer.

    What is asked: `messages` are chat turns ({"role", "content"}, oldest first) with roles of ROLES. The content is a
    text or, in turns of users and tools, a list of parts: {"type": "text", "text"}, and {"type": "image", "digest"},
    where the digest is the SHA-256 in hexadecimal digits of a file in `pictures`. Without a main model that sees, the
    request fails with `ModelCannotSee`, and with `PictureNotUsable` for a file that cannot be read. A turn of the
    assistant may have "tool_calls" ({"id", "type", "function": {"name", "arguments"}}) and, as "reasoning_content", the
    thoughts before them, which the template renders or not; a turn of a tool has the "tool_call_id" that it answers.
    `tools` are the functions that the model may call, as JSON schemas in the form of the OpenAI API; the chat template
    renders them. `template_options` are variables of the model's chat template, such as "enable_thinking". Instead of
    messages, `prompt` is a text, or token ids, that the model continues without a template. Marks of control tokens in
    the texts of messages and tools, such as "<|im_end|>", are ordinary text. In a `prompt` they are control tokens.

    Who answers: `main` is the folder of the main model, one of the resident ones (`EngineClient.load_additional`); None
    is the main model that was loaded with `EngineClient.load`.

    How long: `stop` strings end the answer and are cut from it. `max_tokens` None means up to the end of the context, 0
    that the prompt is only read. A conversation that is longer than the context is refused (`overflow` "refuse"), or
    loses its oldest turns ("shorten"): the system message and the newest turns stay, and a quarter of the context (or
    `max_tokens`, if that is less) remains for the answer; None uses the engine's setting. It is shortened as if the
    context had `kept_context` tokens, if that is less. A `prompt` that is longer is refused, or loses its end ("cut").

    What is remembered: `conversation` is the caller's name of the chat that `messages` belong to. With one, the caches
    may be kept on disk (`EngineSettings.prefix_cache_folder`) until `EngineClient.forget_conversations`, and so may the
    answer's tokens, so that answers in other named chats can be drafted from them
    (`EngineSettings.answer_index_folder`); with "" or without one, never. Caches of requests with a name serve requests
    with a name only. Caches of requests without a name serve requests of the same `caller`, a name for whoever asks.
    They serve another caller only with the system message, if both have the same: otherwise a caller could learn from
    `RequestStats.cached_tokens`, word by word, what others asked. A `shared` conversation is the beginning of others:
    while it is on disk, conversations that have little else are not kept there.

    What it has to match: with a `grammar`, the answer after any thinking matches it; one that ends at its length limit
    or at a stop string matches its beginning. A grammar that cannot be used fails the request with `GrammarNotUsable`.
    One "in text" holds only for the calls in the answer, and not at all if it cannot be used.

    What is reported: each token comes with `alternatives` others that could have been drawn, at most MOST_ALTERNATIVES,
    and with `top2_margins` with its margin over the next best one. With `prompt_logprobs`, `events.PrefillProgress`
    reports the tokens of a `prompt`, too: its whole text is read, neither taken from earlier turns nor kept for later
    ones.
    With `token_bytes`, tokens of split characters come with their bytes (`Token.part`). With `embedding`, a `prompt` is
    only read, and `Finished.embedding` is the mean of the last hidden states over it; on several machines, such a
    request fails.

    Raises `BadRequest` when a message has no role or content, or the last one has nothing to answer.
    """

    messages: Sequence[Mapping[str, Any]] = ()
    sampling: SamplingSettings = field(default_factory=SamplingSettings)
    speculation: SpeculationSettings = field(default_factory=SpeculationSettings)
    max_tokens: int | None = 1024
    stop: Sequence[str] = ()
    overflow: str | None = None
    kept_context: int | None = None
    conversation: str | None = None
    shared: bool = False
    caller: str = ""
    template_options: Mapping[str, str | bool | int] = field(default_factory=dict)
    tools: Sequence[Mapping[str, Any]] = ()
    prompt: str | Sequence[int] | None = None
    main: str | None = None
    grammar: Grammar | None = None
    alternatives: int = 0
    top2_margins: bool = False
    pictures: Mapping[str, bytes] = field(default_factory=dict)
    prompt_logprobs: bool = False
    embedding: bool = False
    token_bytes: bool = False

    def __post_init__(self) -> None:
        if self.prompt is None:
            _check_messages(self.messages, self.pictures)
            require(not self.prompt_logprobs, "prompt_logprobs", "given with a prompt only", self.prompt_logprobs)
        else:
            require(not self.messages and not self.tools, "prompt", "alone, without messages and tools", self.messages)
            require(len(self.prompt) > 0, "prompt", "a text or token ids", self.prompt)
            possible = isinstance(self.prompt, str) or all(token >= 0 for token in self.prompt)
            require(possible, "prompt", "token ids of 0 or more", self.prompt)
        if self.max_tokens is not None:
            require(self.max_tokens >= 0, "max_tokens", "0 or more", self.max_tokens)
        if self.overflow is not None:
            rules = OVERFLOW_RULES if self.prompt is None else (*OVERFLOW_RULES, "cut")
            require_one_of(rules, "overflow", self.overflow)
        require_between("alternatives", self.alternatives, 0, MOST_ALTERNATIVES)
        require(all(self.stop), "stop", "non-empty strings", list(self.stop))

    @property
    def thinking_budget(self) -> int | None:
        """The most tokens of thoughts; None for no limit."""
        return self.sampling.thinking_budget

    @property
    def continues(self) -> bool:
        """Whether the answer continues a given text: a raw prompt, or a last message of the assistant."""
        return self.prompt is not None or self.messages[-1]["role"] == "assistant"


def text_of(content: str | Sequence[Mapping[str, Any]]) -> str:
    """Return the text in a message's content, without its pictures."""
    return content if isinstance(content, str) else "".join(part.get("text", "") for part in content)


def digests_in(messages: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return the digests of the pictures in messages, in their order."""
    contents = [message["content"] for message in messages if not isinstance(message["content"], str)]
    return [part["digest"] for content in contents for part in content if part["type"] == "image"]


def _check_messages(messages: Sequence[Mapping[str, Any]], pictures: Mapping[str, bytes]) -> None:
    if not messages:
        raise BadRequest("messages", "at least one message", 0)
    for message in messages:
        if message.get("role") not in ROLES or not _is_content(message.get("content"), message["role"], pictures):
            raise BadRequest("messages", "a role and a text in each message", dict(message))
    last = messages[-1]
    if last["role"] == "assistant" and not text_of(last["content"]).strip():
        raise BadRequest("messages", "a last message with text in it", last["content"])


def _is_content(content: object, role: str, pictures: Mapping[str, bytes]) -> bool:
    if isinstance(content, str):
        return True
    return (
        role in ROLES_WITH_PICTURES
        and isinstance(content, list | tuple)
        and all(isinstance(part, Mapping) and _is_part(part, pictures) for part in content)
    )


def _is_part(part: Mapping[str, Any], pictures: Mapping[str, bytes]) -> bool:
    if part.get("type") == "text":
        return isinstance(part.get("text"), str)
    return part.get("type") == "image" and isinstance(part.get("digest"), str) and part["digest"] in pictures


@dataclass(frozen=True)
class EmbeddingRequest:
    """Texts, at least one, for an embedding model that is an encoder, in the folder `model`.

    Each is embedded as it stands, behind the words that the model wants before a text
    (`engine.model_files.sentence_files`). A text that is longer than the model's context is cut if `cuts`; otherwise it
    fails the request. Raises `BadRequest` without a text.
    """

    model: str
    texts: Sequence[str]
    cuts: bool = False

    def __post_init__(self) -> None:
        require(len(self.texts) > 0, "texts", "at least one text", 0)
