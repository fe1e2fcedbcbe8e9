"""The functions that an answer may or must call, and the grammar that follows from them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from msgspec import Meta, Struct

from app.api.answer_parts import AnswerParts
from app.api.errors import bad_field, of_engine, unsupported
from engine.call_forms.table import call_form
from engine.call_forms.writing import CallsNotExpressible
from engine.errors import EngineError
from engine.grammars.grammar import Grammar, calls_of

MOST_TOOLS = 256
# The field that an error names if the answer has to be a call.
CHOICE = "tool_choice"


class Function(Struct, kw_only=True, omit_defaults=True):
    """A function that the model may call."""

    name: str
    description: str | None = None
    parameters: dict[str, Any] | None = None
    strict: bool | None = None


class _Named(Struct):
    name: str


class _ChosenFunction(Struct, omit_defaults=True):
    type: Literal["function"]
    # The endpoints have the name at different depths.
    name: str | None = None
    function: _Named | None = None

    @property
    def called(self) -> str:
        return self.function.name if self.function is not None else self.name or ""


Choice = Annotated[
    Literal["auto", "none", "required"] | _ChosenFunction,
    Meta(extra={"expected": "`auto`, `none`, `required` or a function"}),
]
FunctionType = Annotated[
    Literal["function"] | None, Meta(extra={"unsupported": "Only tools of the type `function` are supported."})
]


@dataclass(frozen=True)
class ToolUse:
    """The functions of a request, `tools` in the form of chat templates, for a model that writes calls in `form`.

    With `required` the answer has to call one of them, or the `named` one. It may call several only if `parallel`.
    """

    form: str = ""
    tools: Sequence[Mapping[str, Any]] = ()
    required: bool = False
    named: str | None = None
    parallel: bool = True

    def grammar(self, answer: Grammar | None, param: str) -> Grammar | None:
        """Return the grammar of the whole text; `answer` is that of an answer without calls. Raises `ApiError`.

        `param` is the name of the format in the request.
        """
        if not self.tools or not (self.required or answer):
            return answer
        chosen = [tool for tool in self.tools if self.named in (None, tool["function"]["name"])]
        try:
            several = self.parallel and self.named is None
            return calls_of(self.form, chosen, parallel=several, answer=None if self.required else answer)
        except CallsNotExpressible as error:
            raise unsupported(CHOICE if self.required else param, str(error)) from error
        except EngineError as error:
            raise of_engine(error, "tools") from error

    def stop(self, grammar: Grammar | None) -> tuple[str, ...]:
        """Return the stop string after a single call, if only one is allowed and no grammar says so."""
        marks = call_form(self.form).marks[:1] if self.tools and not self.parallel and grammar is None else ()
        return tuple(mark.end for mark in marks if mark.end and not mark.whole)

    def parts(self) -> AnswerParts:
        """Return what separates the calls from the text of an answer."""
        form = call_form(self.form) if self.tools else None
        return AnswerParts(form, self.tools, most_calls=None if self.parallel else 1)


def tool_use(form: str, tools: Sequence[dict[str, Any]], mode: str, named: str | None, *, parallel: bool) -> ToolUse:
    """Check and return the tool use; `mode` is "auto", "required" or "none". Raises `ApiError`."""
    if len(tools) > MOST_TOOLS:
        raise bad_field("tools", f"at most {MOST_TOOLS} functions")
    if mode == "required" and not tools:
        raise bad_field(CHOICE, "`auto` or `none` where there are no `tools`")
    if named is not None and all(tool["function"]["name"] != named for tool in tools):
        raise bad_field(CHOICE, "the name of one of the `tools`")
    if not tools or mode == "none":
        return ToolUse()
    if not form:
        raise unsupported("tools", "No form is known in which the loaded model writes calls of functions.")
    return ToolUse(form, tools, mode == "required", named, parallel)


def openai_tools(
    form: str, functions: Sequence[Function], choice: str | _ChosenFunction | None, parallel: bool | None
) -> ToolUse:
    """Return the tool use of a request to the OpenAI API. Raises `ApiError`."""
    mode, named = ("required", choice.called) if isinstance(choice, _ChosenFunction) else (choice or "auto", None)
    tools = [function_tool(one.name, one.description, one.parameters) for one in functions]
    return tool_use(form, tools, mode, named, parallel=parallel is not False)


def function_tool(name: str, description: str | None, parameters: Any) -> dict[str, Any]:
    """Return a function in the form that chat templates take."""
    function = {"name": name, "description": description or "", "parameters": parameters or {"type": "object"}}
    return {"type": "function", "function": function}
