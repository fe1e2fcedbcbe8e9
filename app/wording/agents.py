"""Sentences about programs that are set up to use the local API."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication

from app.agents.connecting import NotConnected, Plan

translate = QCoreApplication.translate


def refusal_sentence(error: NotConnected) -> str:
    """Say why a file was left as it is, and what to do."""
    sentences = {
        "unreadable": translate("Agents", "{file} can't be read, so it was left as it is."),
        "broken": translate(
            "Agents", "{file} can't be understood ({detail}), so it was left as it is. Mend it, or add this by hand:"
        ),
        "others": translate(
            "Agents", "{file} isn't as Tandem wrote it, so it was left as it is. Move it away, or add this by hand:"
        ),
        "changed": translate("Agents", "{file} has just changed, so it was left as it is. Look again."),
        "not-written": translate("Agents", "{file} can't be written: {detail}."),
        "never": translate("Agents", "Tandem has not written {file}."),
        "changed-since": translate(
            "Agents", "{file} has changed since Tandem wrote it, so it was left as it is. As it was before: {detail}"
        ),
        "changed-new": translate("Agents", "{file} has changed since Tandem wrote it, so it was left as it is."),
        "copy-gone": translate("Agents", "{file} was left as it is, because the copy {detail} is gone."),
    }
    return sentences[str(error.arguments["reason"])].format(**error.arguments)


def plan_sentence(plan: Plan) -> str:
    """Say what would be written, or set."""
    if plan.file is None:
        return translate("Agents", "{app} takes its connection from these variables:").format(app=plan.app.name)
    if not plan.changes:
        return translate("Agents", "{app} is set up, in {file}.").format(app=plan.app.name, file=plan.file)
    if plan.before is None:
        return translate("Agents", "This new file tells {app} about Tandem: {file}").format(
            app=plan.app.name, file=plan.file
        )
    return translate("Agents", "These lines are added to {file}. Everything else in it stays.").format(file=plan.file)


def next_sentence(plan: Plan) -> str:
    """Say what the person does afterwards."""
    if plan.start:
        said = translate("Agents", "Then start it with: {command}").format(command=plan.start)
    elif plan.file is not None:
        said = translate(
            "Agents", "Then choose the model “Tandem” in {app}. If it requires a key, enter anything."
        ).format(app=plan.app.name)
    else:
        said = translate("Agents", "Set them where {app} starts.").format(app=plan.app.name)
    if plan.key_variable:
        key = translate("Agents", "The API requires a key: set {variable} to it where {app} starts.")
        said = f"{said}\n{key.format(variable=plan.key_variable, app=plan.app.name)}"
    return said
