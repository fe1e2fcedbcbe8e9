"""Sentences for what goes wrong with servers of tools and their calls."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import QCoreApplication

translate = QCoreApplication.translate


def tool_sentence(code: str, arguments: Mapping[str, object]) -> str:
    """Say what went wrong and what to do about it, given the fields of an `app.tools.errors.ToolFailed`.

    A stored answer may have a code, or lack arguments, of another version.
    """
    other = translate("ToolErrors", "The tool failed. Try again.")
    try:
        return tool_reasons().get(code, other).format(**arguments)
    except KeyError:
        return other


def tool_reasons() -> dict[str, str]:
    """Return one sentence for each code."""
    return {
        "not-json": translate("ToolErrors", "This file can't be used: {detail}."),
        "no-servers": translate("ToolErrors", "There are no servers in it. Use an object named “mcpServers”."),
        "bad-name": translate(
            "ToolErrors", "“{server}” can't be the name of a server. Use up to 64 characters, and not “Tandem”."
        ),
        "bad-field": translate("ToolErrors", "In “{server}”: “{field}” has to look like this: {example}"),
        "one-of": translate("ToolErrors", "In “{server}”: enter either a “command” or a “url”."),
        "no-secrets": translate(
            "ToolErrors", "The keychain has no value of {names} for “{server}”. Enter it again in the settings."
        ),
        "not-approved": translate("ToolErrors", "“{server}” has not been allowed to run. Allow it in the settings."),
        "no-command": translate(
            "ToolErrors",
            "“{server}” can't start: this Mac has no command “{command}”. Install it, or enter its full path.",
        ),
        "ended": translate("ToolErrors", "“{server}” stopped unexpectedly ({detail}). It starts again when needed."),
        "slow-start": translate(
            "ToolErrors", "“{server}” was not ready after {seconds} seconds. Check it in the settings and try again."
        ),
        "slow-call": translate("ToolErrors", "“{tool}” took longer than {seconds} seconds, so it was stopped."),
        "too-large": translate(
            "ToolErrors", "“{server}” sent more than {megabytes} MB at once, so it was stopped. Ask for less."
        ),
        "not-usable": translate("ToolErrors", "“{server}” can't be used as an MCP server ({detail})."),
        "unreachable": translate("ToolErrors", "Can't reach “{server}” ({detail}). Check its address and the network."),
        "redirected": translate(
            "ToolErrors", "“{server}” has moved to {address}. If you trust that address, enter it in the settings."
        ),
        "http-status": translate(
            "ToolErrors", "“{server}” answers with error {status}. Check its address and the key in its headers."
        ),
        "changed-tool": translate(
            "ToolErrors", "“{server}” has changed the tool “{tool}”, so it was not used. Ask again to see the new one."
        ),
        "refused": translate("ToolErrors", "“{tool}” failed ({detail})."),
    }
