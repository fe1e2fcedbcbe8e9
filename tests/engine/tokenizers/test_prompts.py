"""Prompts of messages: templates that fail or are missing, boundaries, and conversations that are too long."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from mlx_lm.utils import load_tokenizer

from engine.errors import BadRequest, PromptTooLong, TemplateFailed
from engine.events import Failed
from engine.main_model.loading import load
from engine.requests import ChatRequest
from engine.serving.scheduler import Scheduler
from engine.tokenizers.prompts import Prompt, PromptJob, make_prompt, render, shared_prefix, turn_boundaries
from tests.engine.serving_requests import Client, alone, run


def long_chat(turns: int) -> list[dict[str, str]]:
    chat = [{"role": "system", "content": "lazy dog"}]
    for turn in range(turns):
        chat += [
            {"role": "user", "content": f"the quick brown fox {turn} " * 3},
            {"role": "assistant", "content": "over the lazy dog " * 3},
        ]
    return [*chat, {"role": "user", "content": "and now"}]


def assert_too_long(client: Client) -> None:
    assert isinstance(client.last, Failed)
    assert isinstance(client.last.error, PromptTooLong)


def test_a_conversation_that_is_too_long_loses_its_oldest_turns_when_it_may(
    scheduler: Scheduler, tiny_main: Path
) -> None:
    scheduler.changes.install(load(tiny_main), None)
    chat = long_chat(12)
    [refused] = run(scheduler, ChatRequest(chat, max_tokens=8))
    assert_too_long(refused)
    [shortened] = run(scheduler, ChatRequest(chat, max_tokens=8, overflow="shorten"))
    stats = shortened.finished.stats
    assert stats.dropped_messages > 0
    assert stats.dropped_messages % 2 == 0
    assert 256 < stats.prompt_tokens <= 512 - 8
    kept = [chat[0], *chat[1 + stats.dropped_messages :]]
    assert alone(scheduler, ChatRequest(kept, max_tokens=8)).ids == shortened.finished.ids
    [shorter] = run(scheduler, ChatRequest(chat, max_tokens=8, overflow="shorten", kept_context=300))
    assert 0 < shorter.finished.stats.prompt_tokens <= 300 - 8
    # The newest turn stays, and is no error where the model's context holds it.
    [least] = run(scheduler, ChatRequest(chat, max_tokens=8, overflow="shorten", kept_context=1))
    assert least.finished.stats.prompt_tokens < shorter.finished.stats.prompt_tokens
    # One message cannot be shortened.
    [refused] = run(scheduler, ChatRequest([{"role": "user", "content": "fox " * 600}], overflow="shorten"))
    assert_too_long(refused)


def only_user(conversation: list[dict[str, str]]) -> str:
    if any(message["role"] == "system" for message in conversation):
        raise ValueError("no system messages")
    return " ".join(f"{message['role']}: {message['content']}" for message in conversation)


def only_first(conversation: list[dict[str, str]]) -> str:
    return f"{conversation[0]['role']}. {only_user(conversation[1:])}"


def of(*roles: str) -> list[dict[str, str]]:
    return [{"role": role, "content": role[0] + str(number)} for number, role in enumerate(roles)]


@pytest.mark.parametrize(
    ("template", "roles", "rendered", "merged"),
    [
        (only_user, ("system", "user"), "user: s0 u1", 1),
        (only_user, ("user",), "user: u0", 0),
        (only_user, ("system", "system", "user"), "user: s0 s1 u2", 2),
        (only_user, ("user", "assistant", "system", "user"), "user: u0 assistant: a1 user: s2 u3", 1),
        (only_user, ("user", "assistant", "user", "system"), "user: u0 assistant: a1 user: u2 s3", 1),
        (only_user, ("user", "system", "assistant"), "user: u0 s1 assistant: a2", 1),
        (
            only_first,
            ("system", "user", "assistant", "system", "user"),
            "system. user: u1 assistant: a2 user: s3 u4",
            1,
        ),
    ],
)
def test_system_messages_that_a_template_refuses_are_merged_into_a_users(
    template: Callable[[list[dict[str, str]]], str], roles: tuple[str, ...], rendered: str, merged: int
) -> None:
    made = make_prompt(WordLengths(template), PromptJob(of(*roles), 100))
    assert (made.ids, made.merged, made.dropped) == ([len(word) for word in rendered.split()], merged, 0)


def test_a_template_that_refuses_more_than_system_messages_says_so() -> None:
    with pytest.raises(TemplateFailed, match="no system messages"):
        make_prompt(WordLengths(only_user), PromptJob(of("system", "assistant"), 100))


class WordLengths:
    """A tokenizer whose tokens are the lengths of words, with the given chat template."""

    def __init__(self, template: Callable[[list[dict[str, str]]], str] | None) -> None:
        self.has_chat_template = template is not None
        self._template = template

    def encode(self, text: str) -> list[int]:
        return [len(word) for word in text.split()]

    def apply_chat_template(self, messages: list[dict[str, str]], **_: bool) -> list[int]:
        assert self._template is not None
        return self.encode(self._template(messages))


def joined(messages: list[dict[str, str]]) -> str:
    return " ".join(message["content"] for message in messages)


def joined_from_two_on(messages: list[dict[str, str]]) -> str:
    if len(messages) < 2:
        raise ValueError("roles must alternate")
    return joined(messages)


TURNS = [
    {"role": "system", "content": "one two"},
    {"role": "user", "content": "three"},
    {"role": "assistant", "content": "four"},
    {"role": "user", "content": "five six seven"},
]


def test_without_a_template_the_bare_texts_are_the_prompt() -> None:
    assert render(WordLengths(None), TURNS) == [3, 3, 5, 4, 4, 3, 5]


def test_a_template_that_fails_ends_the_request_with_its_words() -> None:
    with pytest.raises(TemplateFailed, match="roles must alternate"):
        render(WordLengths(joined_from_two_on), TURNS[:1])


@pytest.mark.parametrize(
    ("template", "boundaries", "opening"),
    [(joined, (2, 4, 6), 2), (joined_from_two_on, (4, 6), 0), (None, (6,), 0)],
    ids=["whole", "refuses the system message alone", "without a template"],
)
def test_turns_end_where_another_conversation_may_branch_off(
    template: Callable[[list[dict[str, str]]], str] | None, boundaries: tuple[int, ...], opening: int
) -> None:
    tokenizer = WordLengths(template)
    assert turn_boundaries(tokenizer, TURNS, render(tokenizer, TURNS)) == (boundaries, opening)


def test_an_opening_is_a_system_message_only() -> None:
    tokenizer = WordLengths(joined)
    turns = TURNS[1:]
    assert turn_boundaries(tokenizer, turns, render(tokenizer, turns)).opening == 0


@pytest.mark.parametrize(("one", "other", "shared"), [([], [1], 0), ([1, 2], [1, 2, 3], 2), ([1, 2, 3], [1, 5, 3], 1)])
def test_the_shared_prefix_ends_at_the_first_difference(one: list[int], other: list[int], shared: int) -> None:
    assert shared_prefix(one, other) == shared


TOOL = {"type": "function", "function": {"name": "weather", "parameters": {"type": "object"}}}


def test_the_template_gets_the_tools_only_where_there_are_some() -> None:
    met: list[object] = []

    class Template(WordLengths):
        has_tool_calling = False
        chat_template = "<tool_call>"

        def apply_chat_template(self, messages: list[dict[str, str]], **variables: object) -> list[int]:
            met.append(variables.get("tools", "absent"))
            return super().apply_chat_template(messages)

    tokenizer = Template(joined)
    job = PromptJob(TURNS, 100, tools=[TOOL])
    # The renderings that find the boundaries get them too, or the system message would seem to end before them.
    make_prompt(tokenizer, job, with_boundaries=True)
    make_prompt(tokenizer, PromptJob(TURNS, 100))
    assert met == [[TOOL]] * 3 + ["absent"]


def test_an_option_that_changes_the_beginning_leaves_the_turns_where_they_are() -> None:
    class Template(WordLengths):
        def apply_chat_template(self, messages: list[dict[str, str]], *, thinks: bool = False, **_: bool) -> list[int]:
            return [9] * thinks + super().apply_chat_template(messages)

    job = PromptJob(TURNS, 100, options={"thinks": True})
    assert make_prompt(Template(joined), job, with_boundaries=True).boundaries == (3, 5, 7)


def test_a_raw_prompt_is_continued_without_the_template() -> None:
    tokenizer = WordLengths(joined)
    assert make_prompt(tokenizer, PromptJob((), 10, prompt="one three")) == Prompt([3, 5], boundaries=(1,))
    assert make_prompt(tokenizer, PromptJob((), 10, prompt=[7])) == Prompt([7], boundaries=())
    with pytest.raises(PromptTooLong):
        make_prompt(tokenizer, PromptJob((), 2, prompt="one three"))


class Marked(WordLengths):
    """Puts 1 before and 2 behind a text."""

    def encode(self, text: str, *, add_special_tokens: bool = True) -> list[int]:
        ids = super().encode(text)
        return [1, *ids, 2] if add_special_tokens else ids


@pytest.mark.parametrize(
    ("prompt", "limit", "expected"),
    [
        ("a bb ccc", 6, [1, 1, 2, 3, 2]),
        ("a bb ccc", 5, [1, 1, 2, 2]),
        ("a bb ccc", 4, [1, 1, 2]),
        ("a bb ccc", 3, [1, 2]),
        # It ends as the text does.
        ([9, 8, 7, 6], 4, [9, 8, 7]),
        ([9, 8, 7, 6], 5, [9, 8, 7, 6]),
    ],
)
def test_a_raw_prompt_that_may_be_cut_keeps_the_marks_around_it(
    prompt: str | list[int], limit: int, expected: list[int]
) -> None:
    assert make_prompt(Marked(joined), PromptJob((), limit, overflow="cut", prompt=prompt)).ids == expected


@pytest.mark.parametrize("overflow", ["refuse", "shorten", None])
def test_a_raw_prompt_is_not_cut_unasked(overflow: str | None) -> None:
    with pytest.raises(PromptTooLong) as error:
        make_prompt(Marked(joined), PromptJob((), 4, overflow=overflow, prompt="a bb ccc"))
    assert error.value.tokens == 5
    with pytest.raises(BadRequest, match="overflow"):
        ChatRequest([{"role": "user", "content": "Hi"}], overflow="cut")


def test_token_ids_are_answered_as_the_prompt_that_has_them(scheduler: Scheduler, tiny_main: Path) -> None:
    main = load(tiny_main)
    scheduler.changes.install(main, None)
    chat = [{"role": "user", "content": "the quick brown fox"}]
    ids = make_prompt(main.tokenizer, PromptJob(chat, 100)).ids
    answered, continued = (
        alone(scheduler, request)
        for request in (ChatRequest(chat, max_tokens=8), ChatRequest(prompt=ids, max_tokens=8))
    )
    assert continued.ids == answered.ids
    [beyond] = run(scheduler, ChatRequest(prompt=[10**6]))
    assert isinstance(beyond.last, Failed)
    assert isinstance(beyond.last.error, BadRequest)


# Shapes of published templates: gpt-oss's name for thoughts, and the other families'.
OWN_NAME = (
    "{% if message.tool_calls and message.content and message.thinking %}{{ raise_exception('both') }}{% endif %}"
    "[{{ message.thinking }}]{{ message.content }}"
)
USUAL_NAME = "[{{ message.reasoning_content }}]{{ message.content }}"


@pytest.mark.expects_log
@pytest.mark.parametrize(
    ("template", "rendered"),
    [(OWN_NAME, "[]fox[dogover][]the[lazy]fox[]"), (USUAL_NAME, "[]fox[dog]over[]the[lazy]fox[]")],
    ids=["its own name", "the usual name"],
)
def test_thoughts_of_earlier_turns_reach_the_template_by_its_name_for_them(
    tiny_main: Path, tmp_path: Path, template: str, rendered: str
) -> None:
    for name in ("config.json", "tokenizer.json", "tokenizer_config.json"):
        shutil.copy(tiny_main / name, tmp_path)
    (tmp_path / "chat_template.jinja").write_text("{% for message in messages %}" + template + "{% endfor %}")
    tokenizer = load_tokenizer(tmp_path, {"trust_remote_code": False})
    call = {"type": "function", "function": {"name": "weather", "arguments": {}}}
    turns = [
        {"role": "user", "content": "fox"},
        {"role": "assistant", "content": "over", "reasoning_content": "dog", "tool_calls": [call]},
        {"role": "tool", "content": "the"},
        {"role": "assistant", "content": "fox", "reasoning_content": "lazy"},
        {"role": "user", "content": ""},
    ]
    text = tokenizer.decode(render(tokenizer, turns))
    assert "".join(text.split()) == rendered
