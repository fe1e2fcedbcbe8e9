"""Renders a model folder's chat template as transformers does, by jinja alone.

What `render_jinja_template` of transformers does for messages, tools and options that are plain JSON; errors have other
words (`tests/engine/test_recorded_tokenizer.py`). Templates are programs from model folders: they run in the prompt
process.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Any

import jinja2
from jinja2.ext import Extension, loopcontrols
from jinja2.nodes import CallBlock, Node
from jinja2.parser import Parser
from jinja2.sandbox import ImmutableSandboxedEnvironment
from jinja2.utils import Namespace

# What a message's reasoning is called; templates read the first name, those of gpt-oss the second.
_REASONING = ("reasoning_content", "thinking", "reasoning")
# Behind the text that is to be continued, to find its end again.
_END_MARK = "CONTINUE_FINAL_MESSAGE_TAG "


class ChatTemplate:
    """A template with the `names` that it is always given, such as those of special tokens.

    Raises what jinja raises for a template that is none.
    """

    def __init__(self, source: str, names: Mapping[str, Any]) -> None:
        self._source, self._names = source, dict(names)
        self._template = _environment().from_string(source)

    def render(
        self,
        conversation: Sequence[Mapping[str, Any]],
        options: Mapping[str, Any],
        *,
        tools: Sequence[Mapping[str, Any]] | None,
        add_generation_prompt: bool,
        continue_final_message: bool,
    ) -> str:
        """The conversation as the model reads it. Raises `ValueError`, `TypeError`, and what the template raises."""
        if not conversation or (add_generation_prompt and continue_final_message):
            raise ValueError("the conversation is empty, or to be answered and continued at once")
        messages = [_with_reasoning({k: v for k, v in one.items() if v is not None}) for one in conversation]
        final = self._mark_end(messages) if continue_final_message else ""
        text = self._template.render(
            messages=messages,
            tools=tools,
            documents=None,
            add_generation_prompt=add_generation_prompt,
            **{**self._names, **options},
        )
        return _until_mark(text, final) if continue_final_message else text

    def _mark_end(self, messages: list[dict[str, Any]]) -> str:
        """Mark where the last message ends, and return its text."""
        content = messages[-1].get("content")
        if content is None or "content" not in self._source:
            raise ValueError("the last message has no text to be continued, or the template reads none")
        if isinstance(content, str):
            messages[-1]["content"] = content + _END_MARK
            return content
        blocks = [dict(block) for block in content]
        last = next((block for block in reversed(blocks) if "text" in block), None)
        if last is None:
            raise ValueError("the last message has no text to be continued")
        found = str(last["text"])
        last["text"] += _END_MARK
        messages[-1]["content"] = blocks
        return found


def _until_mark(text: str, final: str) -> str:
    mark = _END_MARK.strip()
    if final.strip() not in text or mark not in text:
        raise ValueError("the template leaves out the message that is to be continued")
    end = text.rindex(mark)
    kept = text[:end]
    # Where the template trims messages, what was trimmed before the mark stays away as well.
    return kept if text[end:].startswith(_END_MARK) else kept.rstrip()


def _with_reasoning(message: dict[str, Any]) -> dict[str, Any]:
    found = next((message[name] for name in _REASONING if name in message), None)
    return message if found is None else {"thinking": found, **message, "reasoning_content": found}


def _environment() -> ImmutableSandboxedEnvironment:
    environment = ImmutableSandboxedEnvironment(
        trim_blocks=True, lstrip_blocks=True, extensions=[_AnswerBlock, loopcontrols]
    )
    environment.filters["tojson"] = _as_json
    environment.globals |= {
        "raise_exception": _refuse,
        "strftime_now": lambda form: datetime.now().strftime(form),
        "dict": _Dict(),
        "namespace": _SafeNamespace,
    }
    return environment


class _AnswerBlock(Extension):
    """`{% generation %}`, which marks what the model wrote, for training: here it is only its content."""

    tags = {"generation"}  # noqa: RUF012  (as jinja declares it)

    def parse(self, parser: Parser) -> Node:
        line = next(parser.stream).lineno
        body = parser.parse_statements(("name:endgeneration",), drop_needle=True)
        return CallBlock(self.call_method("_content"), [], [], body).set_lineno(line)

    def _content(self, caller: Callable[[], str]) -> str:
        return caller()


def _as_json(
    value: Any, ensure_ascii: bool = False, indent: Any = None, separators: Any = None, sort_keys: bool = False
) -> str:
    """jinja's own filter escapes what means something in HTML."""
    return json.dumps(value, ensure_ascii=ensure_ascii, indent=indent, separators=separators, sort_keys=sort_keys)


def _refuse(message: str) -> None:
    raise jinja2.TemplateError(message)


class _Dict:
    """Python's `dict` for templates, without the way to other classes."""

    def __call__(self, *args: Any, **kwargs: Any) -> dict[Any, Any]:
        return dict(*args, **kwargs)

    def fromkeys(self, *args: Any, **kwargs: Any) -> dict[Any, Any]:
        return dict.fromkeys(*args, **kwargs)


class _SafeNamespace(Namespace):
    """jinja's namespace, without the names that Python gives a meaning."""

    def __init__(*args: Any, **kwargs: Any) -> None:
        # "self" may be one of the names.
        self, *given = args
        values = dict(*given, **kwargs)
        for name in values:
            _check_name(name)
        Namespace.__init__(self, values)

    def __setitem__(self, name: str, value: Any) -> None:
        _check_name(name)
        super().__setitem__(name, value)


def _check_name(name: Any) -> None:
    if isinstance(name, str) and name.startswith("_"):
        raise jinja2.exceptions.SecurityError(f"a namespace cannot hold {name!r}")
