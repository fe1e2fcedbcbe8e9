"""The functions that an answer may or must call, and the grammar that follows from them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from msgspec import Meta, Struct

from app.api.requests.errors import bad_field, of_engine, unsupported
from app.api.requests.lenient_content import functions_of
from app.text.answer_parts import AnswerParts
from engine.call_forms.table import call_form
from engine.call_forms.writing import CallsNotExpressible
from engine.errors import EngineError
from engine.grammars.grammar import Grammar, calls_in_text, calls_of
from engine.tokenizers.described_tools import DESCRIBED_FORM

MOST_TOOLS = 256
# The field that an error names if the answer has to be a call.
CHOICE = "tool_choice"


class FunctionDefinition(Struct, kw_only=True, omit_defaults=True):
    """A function that the model may call."""

    name: str
    description: str | None = None
    parameters: dict[str, Any] | None = None
    strict: bool | None = None


class _Named(Struct):
    name: str


class _ChosenFunction(Struct, tag_field="type", tag="function", omit_defaults=True):
    # The endpoints have the name at different depths.
    name: str | None = None
    function: _Named | None = None

    @property
    def called(self) -> str:
        return self.function.name if self.function is not None else self.name or ""


class _Allowed(Struct, kw_only=True, omit_defaults=True):
    mode: Literal["auto", "required"] | None = None
    tools: Annotated[list[_ChosenFunction], Meta(min_length=1)] | None = None


class _AllowedTools(_Allowed, tag_field="type", tag="allowed_tools"):
    # Chat completions have the fields in this object, responses on the same level as it.
    allowed_tools: _Allowed | None = None


FunctionChoice = Literal["auto", "none", "required"] | _ChosenFunction | _AllowedTools


# The modes of other APIs, and of objects that have nothing else.
_MODES = {"any": "required", "required": "required", "auto": "auto", "none": "none"}


@dataclass(frozen=True)
class RequestTools:
    """The functions of a request, and how an answer may call them.

    form: the form in which the model writes calls (see `engine.call_forms.table`)
    tools: all functions, as chat templates take them; the prompt has all, whatever the answer may call
    allowed: those that the answer may call
    required: whether the answer has to be a call
    parallel: whether it may have several calls
    """

    form: str = ""
    tools: Sequence[Mapping[str, Any]] = ()
    allowed: Sequence[Mapping[str, Any]] = ()
    required: bool = False
    parallel: bool = True

    def grammar(self, answer: Grammar | None, param: str) -> Grammar | None:
        """Return the grammar of the whole text, or of the calls in free text. Raises `errors.ApiError`.

        `answer` is the grammar of an answer without calls, and `param` the name of its field in the request.
        """
        if not self.tools:
            return answer
        if not (self.required or answer):
            return calls_in_text(self.form, self.allowed, parallel=self.parallel)
        try:
            return calls_of(self.form, self.allowed, parallel=self.parallel, answer=None if self.required else answer)
        except CallsNotExpressible as error:
            raise unsupported(CHOICE if self.required else param, str(error)) from error
        except EngineError as error:
            raise of_engine(error, "tools") from error

    def stop(self, grammar: Grammar | None) -> tuple[str, ...]:
        """Return the stop string after a single call, if only one is allowed and no grammar says so.

        The values of calls with tags may contain every such string, so these have none.
        """
        if not self.tools or self.parallel or not (grammar is None or grammar.in_text):
            return ()
        form = call_form(self.form)
        return tuple(mark.end for mark in form.marks[:1] if mark.end and not mark.whole and form.tags is None)

    def parts(self) -> AnswerParts:
        """Return what separates the calls from the text of an answer."""
        form = call_form(self.form) if self.tools else None
        return AnswerParts(form, self.allowed, most_calls=None if self.parallel else 1)


def tool_use(
    form: str, tools: Sequence[dict[str, Any]], mode: str, names: Collection[str] = (), *, parallel: bool
) -> RequestTools:
    """Return how an answer may call `tools`.

    `mode` is "auto", "required" or "none". `names` are the functions that may be called; () for all. Raises `ApiError`
    for too many tools, for a name that none has, and if a call is required and there is no tool.
    """
    if len(tools) > MOST_TOOLS:
        raise bad_field("tools", f"at most {MOST_TOOLS} functions")
    if mode == "required" and not tools:
        raise bad_field(CHOICE, "`auto` or `none` where there are no `tools`")
    allowed = [tool for tool in tools if not names or tool["function"]["name"] in names]
    if not {tool["function"]["name"] for tool in allowed} >= set(names):
        raise bad_field(CHOICE, "a choice among the `tools`")
    if not tools or mode == "none":
        return RequestTools()
    return RequestTools(form or DESCRIBED_FORM, tools, allowed, mode == "required", parallel)


def openai_tools(
    form: str,
    functions: Sequence[FunctionDefinition],
    choice: str | _ChosenFunction | _AllowedTools | None,
    parallel: bool | None,
) -> RequestTools:
    """Return the tool use of a request to the OpenAI API. Raises `errors.ApiError`."""
    tools = [function_tool(function.name, function.description, function.parameters) for function in functions]
    several = parallel is not False
    if isinstance(choice, _ChosenFunction):
        # A client that names a function wants one call of it.
        return tool_use(form, tools, "required", (choice.called,), parallel=False)
    if isinstance(choice, _AllowedTools):
        fields = choice.allowed_tools or choice
        if fields.tools is None:
            raise bad_field(CHOICE, "a choice among the `tools`")
        names = [function.called for function in fields.tools]
        return tool_use(form, tools, fields.mode or "auto", names, parallel=several)
    return tool_use(form, tools, choice or "auto", parallel=several)


def with_readable_tools(
    body: dict[str, Any], skipped: list[str], written: Callable[[str, Any], Any], kept_kinds: Collection[str] = ()
) -> dict[str, Any]:
    """Return a body with the tools that a model can call, and a choice among these.

    Each tool is what `written(kind, function)` returns; those of the kinds in `kept_kinds` stay as they are. `skipped`
    gets the kinds of the others.
    """
    given = listed_tools(body.get("tools") or body.get("functions"))
    if not isinstance(given, list):
        return {**body, "tools": given}
    callable_tools = functions_of(given, skipped, kept_kinds)
    tools = [tool if kind in kept_kinds else written(kind, tool) for kind, tool in callable_tools]
    choice = body.get("tool_choice", body.get("function_call"))
    readable = {**body, "tools": tools}
    readable["tool_choice"] = _readable_choice(choice, skipped) if tools or not given else None
    return readable


def listed_tools(tools: Any) -> Any:
    """Return the tools of a body as a list, also a single one; None for an object without a tool."""
    if isinstance(tools, dict):
        return [tools] if tools else None
    return tools


def _readable_choice(choice: Any, skipped: list[str]) -> Any:
    """Rewrite a choice of tools as `FunctionChoice` knows it; "auto" for one of a tool that runs elsewhere."""
    if choice in (None, "", "auto", "none", "required"):
        return choice or None
    kind = choice.get("type") if isinstance(choice, dict) else choice
    if kind in _MODES:
        return _MODES[kind]
    if not isinstance(choice, dict):
        return choice
    if kind == "allowed_tools":
        return _readable_allowed_tools(choice, skipped)
    if kind in ("function", "custom", "tool", None):
        inner = choice.get(kind) if kind else None
        name = (inner if isinstance(inner, dict) else choice).get("name")
        return {"type": "function", "name": name} if isinstance(name, str) else choice
    skipped.append(f"tool_choice {kind}"[:60])
    return "auto"


def _readable_allowed_tools(choice: dict[str, Any], skipped: list[str]) -> Any:
    """Rewrite a choice among several tools; "auto" if none of them can be called here."""
    inner = choice.get("allowed_tools")
    fields = inner if isinstance(inner, dict) else choice
    if not isinstance(fields.get("tools"), list) or not fields["tools"]:
        return choice
    functions = [function for _, function in functions_of(fields["tools"], skipped)]
    named = [{"type": "function", "name": function.get("name")} for function in functions if isinstance(function, dict)]
    return {"type": "allowed_tools", "mode": fields.get("mode"), "tools": named} if named else "auto"


def function_tool(name: str, description: str | None, parameters: Any) -> dict[str, Any]:
    """Return a function in the form that chat templates take."""
    function = {"name": name, "description": description or "", "parameters": parameters or {"type": "object"}}
    return {"type": "function", "function": function}
