"""The words of servers of tools and their calls: how they stand, and what goes wrong."""

from __future__ import annotations

import math
import time
from collections.abc import Mapping, Sequence

from PySide6.QtCore import QLocale, QObject

from app.session.calls import CallState, ToolRun
from app.tools.questions import FormField
from app.tools.servers import Server, ServerStatus
from app.tools.tool import SILENCE_S, TANDEM, Tool, ToolProgress, visible
from app.tools.variables import CODE, decides, program_of
from app.tools.web_results import READ_PAGE, SEARCH_WEB
from app.wording.errors import joined
from app.wording.figures import duration, number, percent, seconds
from app.wording.sentences import Sentences, translate

# Stands for a value that may be a secret.
DOTS = "••••••••"
# Seconds of silence after which a person begins to wonder whether a tool still works.
QUIET_S = 10.0
# More parts than a person counts are shown as percent.
_MOST_PARTS = 100
# Characters of a message about progress, which a stranger writes: a line or two of a card.
_LONGEST_MESSAGE = 120
# Characters of a site's name on a button.
_LONGEST_SITE = 40
# Tools of a server that a sentence names; the page lists all of them below it.
_MOST_NAMES = 8


def tool_name(server: str, name: str, title: str = "") -> str:
    """Return a tool's name for a person: the window's words for a tool of Tandem, else the server's title or name."""
    own_tools = {
        "list_models": translate("Tools", "Models on this Mac"),
        "acceptance_today": translate("Tools", "Today's acceptance rate"),
        READ_PAGE: translate("Tools", "Read a web page"),
        SEARCH_WEB: translate("Tools", "Search"),
    }
    return own_tools.get(name, name) if server == TANDEM else title or name


def tool_sentence(code: str, arguments: Mapping[str, object]) -> str:
    """Return what went wrong and what to do about it, given the fields of a ToolFailed (app/tools/tool.py).

    A stored answer may have a code, or lack arguments, of another version: then the sentence is a general one.
    """
    other = translate("ToolErrors", "The tool failed. Try again.")
    silence = arguments.get("seconds")
    known = {"time": duration(silence), **arguments} if isinstance(silence, int) else arguments
    sentence = TOOL_REASONS.get(code, other)
    if code == "slow-start" and arguments.get("detail"):
        sentence = translate(
            "ToolErrors",
            "“{server}” was not ready and silent for {seconds} seconds, so it was stopped. It last said: {detail}",
        )
    if code == "web-unreadable":
        sentence = UNREADABLE_PAGES.get(str(arguments.get("detail")), sentence)
    try:
        return sentence.format(**known)
    except KeyError:
        return other


TOOL_REASONS = Sentences(
    "ToolErrors",
    {
        "not-json": "This file can't be used: {detail}.",
        "no-servers": "The file contains no servers. Use an object named “mcpServers”.",
        "bad-name": "“{server}” can't be the name of a server. Use up to 64 characters, and not “Tandem”.",
        "bad-field": "In “{server}”: “{field}” has to look like this: {example}",
        "one-of": "In “{server}”: enter either a “command” or a “url”.",
        "no-secrets": "The keychain has no value of {names} for “{server}”. Enter it again in the settings.",
        "not-approved": "“{server}” has not been allowed to run. Allow it in the settings.",
        "no-command": (
            "“{server}” can't start: this Mac has no command “{command}”. Install it, or enter its full path."
        ),
        "ended": "“{server}” stopped unexpectedly ({detail}). Check it in the settings, or try again.",
        "keeps-ending": (
            "“{server}” stopped again after {count} new starts within a minute ({detail}). Check it in the settings, "
            "or try again in a minute."
        ),
        "lost-session": "“{server}” no longer knew this connection ({detail}). The next call connects again.",
        "slow-start": "“{server}” was not ready and silent for {seconds} seconds, so it was stopped. Try again.",
        "slow-call": "“{tool}” was silent for {time}, so it was stopped.",
        "too-large": "“{server}” sent more than {megabytes} MB at once, so it was stopped. Ask for less.",
        "not-usable": "“{server}” can't be used as an MCP server ({detail}).",
        "unreachable": "Can't reach “{server}” ({detail}). Check its address and the network.",
        "redirected": "“{server}” has moved to {address}. If you trust that address, enter it in the settings.",
        "http-status": "“{server}” answers with error {status}. Check its address and the key in its headers.",
        "sign-in-needed": "Sign-in needed. In Settings > Tools, press “Sign in…” beside “{server}”.",
        "key-refused": (
            "“{server}” refused the key in its headers. In Settings > Tools, enter another one or press “Sign in…”."
        ),
        "sign-in-unfinished": "The sign-in to “{server}” was not completed in the browser. Try again.",
        "sign-in-failed": "The sign-in to “{server}” failed ({detail}). Try again.",
        "sign-in-closed": (
            "“{server}” lets only apps that it knows sign in. Register an app there whose redirect address is "
            "{callback}, and in Settings > Tools add its ID as the value {id}, and its secret, if it has one, as "
            "{secret}. Or get an access token, and add the value {example}."
        ),
        "sign-in-unsafe": "The sign-in to “{server}” would use an unencrypted address ({address}), so it was refused.",
        "changed-tool": "“{server}” has changed the tool “{tool}”, so it was not used. Ask again to see the new one.",
        "refused": "“{tool}” failed ({detail}).",
        "denied": "This call was not allowed.",
        "stopped": "You stopped this call.",
        "too-many-calls": "Not called: one answer uses tools at most {count} times.",
        "unclear-end": (
            "Not called: it isn't clear where the model's text ends, because marks that end a call are part of it or "
            "missing."
        ),
        "bad-arguments": "Not called: the model passed arguments that the tool does not accept.",
        "web-address": "“{address}” is not the address of a web page.",
        "web-private": "{host} is on this Mac or in a private network, so its page was not read.",
        "web-unreachable": "Can't reach {host} ({detail}). Check the address and the network.",
        "web-status": "{host} answers with error {status}.",
        "web-redirects": "{host} redirects from page to page without end.",
        "web-other-site": "{host} leads to another site, {site}. The model can ask to read its page.",
        "web-slow": "{host} took longer than {seconds} seconds. Try again.",
        "web-too-large": "The page of {host} is larger than {megabytes} MB, so it was not read.",
        "search-no-key": "Searching with {service} needs a key. Enter it in Settings > Tools.",
        "search-no-address": "Searching with {service} needs its address. Enter it in Settings > Tools.",
        "search-refused": (
            "{service} refused the search (error {status}). Check the key or the address in Settings > Tools."
        ),
        "search-busy": "{service} takes no more searches for now. Wait a little, and try again.",
        "search-unusable": "{service} answered something that is not a list of results.",
        "web-unreadable": "The page of {host} can't be read.",
    },
)
"""One sentence for each code."""
UNREADABLE_PAGES = Sentences(
    "ToolErrors",
    {
        "not-text": "{host} sent a file that is neither text nor a document.",
        "empty": "The page of {host} contains no text. Scripts, which may build it, are not run.",
        "no-text": "The document of {host} contains only images, in which no text was recognized.",
        "unknown-encoding": "The text encoding of the page of {host} was not recognized.",
        "encrypted": "The document of {host} is password-protected, so it was not read.",
        "damaged": "The document of {host} is damaged: its text cannot be read.",
        "old-format": "The document of {host} has an old format. Where LibreOffice is installed, Tandem reads it.",
        "too-large": "The text of the page of {host} is too long, so it was not read.",
        "too-slow": "The page of {host} takes too long to read, so it was not read.",
        "no-time": "The page of {host} takes too long to read, so it was not read.",
        "too-much-memory": "The page of {host} takes too much memory to read, so it was not read.",
    },
)
"""Why a page that was fetched has no text, by the problem that the engine's reader of documents names."""


KNOWN_TITLES = Sentences(
    "KnownServers",
    {
        "files": "Files",
        "time": "Time",
        "memory": "Notes",
        "git": "Git",
    },
)
KNOWN_SIGHTS = Sentences(
    "KnownServers",
    {
        "files": "Reads and changes the files in a folder that you choose.",
        "time": "Sees only the time zones that the model asks about.",
        "memory": "Sees what the model wants to remember, and keeps it on this Mac for all chats.",
        "git": "Sees the files and the history of a repository that you choose, and can commit to it.",
    },
)
"""What each of the known servers may see."""
# Where package runners find packages.
_REGISTRIES = {"npx": "npm", "uvx": "PyPI"}
_MISSING = Sentences(
    "KnownServers",
    {
        "npx": "This Mac has no command “npx”. To get it, install Node.js from nodejs.org.",
        "uvx": "This Mac has no command “uvx”. To get it, install uv from docs.astral.sh/uv.",
    },
)


def missing_program(server: Server) -> str:
    """Return words that say where to get the package runner of a server if this computer lacks it; "" otherwise."""
    known = _MISSING.get(server.command, "")
    return known if known and program_of(server.command, server.values) is None else ""


def call_state(call: ToolRun) -> str:
    """Return how a call stands in a word or two, or its seconds."""
    if call.state is CallState.ASKS or call.question is not None:
        return translate("CallCard", "Waiting for you")
    if call.state is CallState.INTERRUPTED:
        return translate("CallCard", "Interrupted")
    if call.failed:
        code = call.error[0] if call.error else ""
        words = {"denied": translate("CallCard", "Denied"), "stopped": translate("CallCard", "Stopped")}
        return words.get(code, translate("CallCard", "Failed"))
    return seconds(call.use.seconds) if call.use.seconds else ""


def call_sentence(call: ToolRun) -> str:
    """Return words that say how far a call has come, or why it has no result.

    They are "" for one with a result, and for one that asks, whose words are in call_questions.py.
    """
    if call.question is not None:
        return translate("CallCard", "The tool waits for your reply.")
    if call.state is CallState.RUNS:
        return _running_sentence(call, time.monotonic())
    if call.state is CallState.INTERRUPTED:
        return translate("CallCard", "Tandem quit while the tool was running.")
    return tool_sentence(*call.error) if call.error is not None else ""


FIELD_PROBLEMS = Sentences(
    "QuestionForm",
    {
        "missing": "“{field}” is needed.",
        "number": "“{field}” has to be a number.",
        "whole": "“{field}” has to be a whole number.",
        "bounds": "“{field}” is too small or too large: {range}.",
        "length": "“{field}” is too short or too long: {range}.",
        "count": "Choose more or fewer of “{field}”: {range}.",
        "form": "“{field}” does not have the form that is needed ({form}).",
    },
)
"""The fault of a value that was entered into a field, by the code of `value_of` in app/tools/questions.py."""


def field_problem(field: FormField, code: str) -> str:
    """Return the fault of the text that was entered into a field of a server's form, in words."""
    range_words = f"{_bound_words(field.least)}–{_bound_words(field.most)}"
    form = visible(field.form)
    return FIELD_PROBLEMS[code].format(field=visible(field.title), range=range_words, form=form)


def _bound_words(bound: float) -> str:
    """Return a bound of a range for a person; "…" for one that is infinite."""
    if not math.isfinite(bound):
        return "…"
    return number(bound, 0 if bound.is_integer() else 2)


def site_name(site: str) -> str:
    """Return the name of a site for a person: its host, with the scheme if the connection is not encrypted."""
    return site.removeprefix("https://")


def short_site_name(site: str) -> str:
    """Return the name of a site for a button: of a long one the end, which says whose it is."""
    name = site_name(site)
    return name if len(name) <= _LONGEST_SITE else f"…{name[1 - _LONGEST_SITE :]}"


def _running_sentence(call: ToolRun, now: float) -> str:
    """Return words that say how far a call has come, and how long a tool that has been silent is waited for."""
    heard_at = call.progress.at if call.progress else call.begun_at
    # Tandem's own tools answer at once.
    is_quiet = now - heard_at >= QUIET_S and call.use.server != TANDEM
    limit = translate("CallCard", "If it stays silent for {time}, it is stopped.").format(time=duration(SILENCE_S))
    return joined(_progress(call.progress) if call.progress else "", limit if is_quiet else "")


def _progress(progress: ToolProgress) -> str:
    """Return words that say how far a call has come by its own report."""
    done = progress.done
    total = progress.total
    if not total or total < 0:
        words = translate("CallCard", "Working: {done} so far.") if done >= 1 else translate("CallCard", "Working.")
    elif 1 < total < _MOST_PARTS and done.is_integer() and total.is_integer():
        words = translate("CallCard", "Working: {done} of {total}.")
    else:
        words = translate("CallCard", "Working: {share}.")
    message = visible(" ".join(progress.message.split()))
    if len(message) > _LONGEST_MESSAGE:
        message = f"{message[:_LONGEST_MESSAGE]}…"
    share = percent(max(0.0, min(1.0, done / total))) if total else ""
    return joined(words.format(done=number(done, 0), total=number(total, 0), share=share), message)


def instructions_sentence(status: ServerStatus) -> str:
    """Return words that say what a server tells models of its tools; "" if it tells nothing."""
    instructions = "".join(tool.instructions for tool in status.tools[:1])
    return (
        translate("ServerView", "The server tells the model: {text}").format(text=visible(instructions))
        if instructions
        else ""
    )


def unoffered_sentence(status: ServerStatus) -> str:
    """Return words that say which tools of a server are not offered to models, and why; "" if all are."""
    words = translate(
        "ServerView", "Not offered, because they can only run as tasks, which Tandem does not support: {names}."
    )
    return words.format(names=listed(status.only_as_tasks)) if status.only_as_tasks else ""


def server_consent(server: Server) -> list[str]:
    """Return the lines that a person agrees to: the command or the address, and the values.

    For a command, the line of the command and the program that it runs; else the address. Only values that decide what
    runs are shown; what would be invisible is written out.
    """
    lines = [written_out(server.target)]
    if server.command:
        program = program_of(server.command, server.values)
        if program is None:
            lines.append(missing_program(server) or translate("ServerView", "Program: not found on this Mac"))
        elif program != server.command:
            lines.append(translate("ServerView", "Program: {path}").format(path=written_out(program)))
    return lines + [_value_line(server, name) for name in server.values]


def _value_line(server: Server, name: str) -> str:
    """Return the line of one value; a value that is a secret is shown as dots."""
    between = "=" if server.command else ": "
    value = server.deciding.get(name)
    if value is None:
        return f"{written_out(name)}{between}{DOTS}"
    loads = translate("ServerView", "{variable} (loads code into the program)")
    chooses = translate("ServerView", "{variable} (decides which program runs)")
    words = loads if decides(name) == CODE else chooses
    return words.format(variable=written_out(f"{name}{between}{value}"))


def written_out(text: str) -> str:
    """Return a text with all that would be invisible written out, in one line."""
    return visible(text).replace("\n", "\\n")


def server_state(server: Server, status: ServerStatus, off: Sequence[Tool] = ()) -> str:
    """Return how a server stands, with the number of its tools once they are known, and the names of those `off`."""
    if not server.enabled:
        return translate("ServerView", "Turned off.")
    if not server.is_approved:
        asked = listed([f"{name} ({about})" if about else name for name, about in server.asks.items()])
        first = translate("ServerView", "Enter these before it can run: {names}.").format(names=asked)
        return joined(translate("ServerView", "Not allowed to run yet."), first if asked else "")
    if status.error is not None:
        return tool_sentence(status.error.code, status.error.arguments)
    if status.state == "running":
        unusable = translate("ServerView", "Unusable tools ({count}): {names}.")
        named = unusable.format(count=len(status.unusable), names=listed(status.unusable))
        return joined(_tools_found(status, off), named if status.unusable else "")
    if status.state == "starting" and server.package and status.stderr:
        return translate("ServerView", "Downloading {package}…").format(package=visible(server.package))
    if status.state == "starting":
        return translate("ServerView", "Starting…")
    if status.state == "signing-in":
        return translate("ServerView", "Waiting for you to sign in in the browser…")
    return translate("ServerView", "Starts when a chat needs it.")


class CountedTools(QObject):
    """Texts with plural forms, which Qt's extractor finds only in a class's own `tr`."""

    def found(self, count: int) -> str:
        return self.tr("%Ln tool(s) ready.", "", count)

    def more(self, count: int) -> str:
        return self.tr("%Ln more", "at the end of a list of tools", count)


def _tools_found(status: ServerStatus, off: Sequence[Tool]) -> str:
    """Return words that say how many tools a running server offers, and which of them are off."""
    if not status.tools:
        return translate("ServerView", "Running. It offers no tools.")
    on = [tool for tool in status.tools if tool not in off]
    if not on:
        return translate("ServerView", "Running. All its tools are off.")
    words = CountedTools().found(len(on))
    return joined(words, translate("ServerView", "Off: {names}.").format(names=_names(off)) if off else "")


def _names(tools: Sequence[Tool]) -> str:
    """List tools by the names that people know."""
    return listed([tool_name(tool.server, tool.name, tool.title) for tool in tools])


def listed(names: Sequence[str]) -> str:
    """List names that strangers gave, in the way of the language; of many the first ones and how many more."""
    shown = [visible(name) for name in names[:_MOST_NAMES]]
    if len(names) > _MOST_NAMES:
        shown.append(CountedTools().more(len(names) - _MOST_NAMES))
    return QLocale().createSeparatedList(shown)


def server_risk(server: Server) -> str:
    """Return words that say what a person agrees to who allows a server; "" once they have."""
    if server.is_approved:
        return ""
    if server.command:
        return translate(
            "ServerView",
            "It runs with your rights on this Mac and can read and change your files. Allow it only if you trust where "
            "it comes from.",
        )
    return translate(
        "ServerView", "What the model sends to it leaves this Mac. Allow it only if you trust this address."
    )


def known_risk(server: Server) -> str:
    """Return words that say what a person agrees to who allows one of the known servers."""
    words = translate(
        "KnownServers",
        "It is a program from {registry} and runs with your rights on this Mac. Allow it only if you trust its makers.",
    )
    return words.format(registry=_REGISTRIES[server.command])
