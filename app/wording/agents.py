"""Sentences about programs that are set up to use the local API. The terminal says them in English."""

from __future__ import annotations

from pathlib import Path

from app.agents.connecting import ConfigChange, NotConnected
from app.agents.table import App, Endpoint
from app.wording.figures import number
from app.wording.sentences import translate

# How many models a sentence names.
_MOST_MODELS = 3


def plan_sentence(plan: ConfigChange) -> str:
    """Return words that say what would be written, or set."""
    if plan.app.typed_into:
        said = translate("Agents", "Tandem can't write the settings of {app}. Enter this there:")
    elif plan.file is None:
        said = translate("Agents", "{app} takes its connection from these variables:")
    elif plan.after is None:
        said = translate("Agents", "Tandem can't change {file} safely, so it stays as it is. Add this by hand:")
    elif not plan.writes:
        said = translate("Agents", "{app} is set up, in {file}.")
    elif plan.app.shared:
        said = translate("Agents", "This is added to {file}. Everything else in it stays.")
    else:
        said = translate("Agents", "This file tells {app} about Tandem: {file}")
    if plan.app.waits_longer:
        patience = translate(
            "Agents",
            "{app} is told to wait longer for an answer, because a long prompt can take minutes to process.",
        )
        # What a person adds by hand stands below the sentence that says so.
        said = f"{patience}\n{said}" if plan.after is None else f"{said}\n{patience}"
    return said.format(app=plan.app.name, file=plan.file)


def room_sentence(app: App, endpoint: Endpoint) -> str:
    """Return that the model's context is too short for the program, and which models have room; "" if it has room."""
    if endpoint.context > app.first_prompt:
        return ""
    able = app.models_with_room(endpoint)[:_MOST_MODELS]
    if able:
        said = translate(
            "Agents",
            "{app} won't work with this model: its first request has about {tokens} tokens, and the model's "
            "context is {context}. Choose one of these first: {models}.",
        )
    else:
        said = translate(
            "Agents",
            "{app} won't work with this model: its first request has about {tokens} tokens, and the model's "
            "context is {context}. Download one with a longer context first.",
        )
    tokens = number(app.first_prompt, 0)
    context = number(endpoint.context, 0)
    return said.format(app=app.name, tokens=tokens, context=context, models=", ".join(able))


def written_sentence(copy: Path | None) -> str:
    """Return words on a file that was written and the copy of the old one; `copy` is None if there was no old file."""
    if copy is None:
        return translate("Agents", "Written.")
    return translate("Agents", "Written. The file as it was: {copy}").format(copy=copy)


def next_sentence(plan: ConfigChange) -> str:
    """Return words that say what the person does afterwards."""
    if plan.app.typed_into:
        said = translate("Agents", "{app} then uses the model that Tandem has loaded.")
    elif plan.start_command:
        said = translate("Agents", "Then start it with: {command}")
    elif plan.file is not None and plan.needs_key:
        said = translate("Agents", "Then choose the model “Tandem” in {app}.")
    elif plan.file is not None:
        said = translate("Agents", "Then choose the model “Tandem” in {app}. If it requires a key, enter anything.")
    else:
        said = translate(
            "Agents",
            "Set them in the environment where {app} first starts. Later, enter them in its admin settings, under "
            "“Connections”.",
        )
    if plan.needs_key and not plan.key_variable:
        key = translate("Agents", "The API requires a key: enter it in {app}.")
        said = f"{said}\n{key}"
    elif plan.needs_key:
        key = translate("Agents", "The API requires a key: set {variable} to it where {app} starts.")
        said = f"{said}\n{key}"
    return said.format(command=plan.start_command, app=plan.app.name, variable=plan.key_variable)


def refusal_sentence(error: NotConnected) -> str:
    """Return words that say why a file was left as it is, and what to do."""
    if error.arguments["detail"]:
        said = translate("Agents", "{file} can't be written: {detail}.")
    else:
        said = translate("Agents", "{file} has just changed, so it was left as it is. Look again.")
    return said.format(**error.arguments)
