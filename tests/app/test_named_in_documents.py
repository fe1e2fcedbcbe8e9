"""What the documents name and count exists: commands with their options, settings, words of the window, programs."""

from __future__ import annotations

import argparse
import importlib
import io
import pkgutil
import re
from contextlib import redirect_stderr, redirect_stdout, suppress
from functools import cache
from itertools import chain, takewhile
from pathlib import Path

import mlx_lm.models
import pytest

from app.__main__ import ALIASES, COMMANDS
from app.agents.table import APPS
from app.api import kept_chats, kept_items
from app.settings.declarations import PAGES, SettingsValues
from app.tools.listing import LONGEST_DESCRIPTION
from app.tools.running_call import MOST_QUESTIONS
from app.tools.sign_in import SIGN_IN_S
from app.tools.tool import LONGEST_INSTRUCTIONS
from engine.documents.archives import attached_files
from engine.documents.reading import DOCUMENT_S, WATCHED_S
from engine.hub.client import HubAccess
from engine.model_files.architecture import splits_of
from engine.wire.handshake import LARGEST_HANDSHAKE, PROOF_S
from tests import file_costs
from tests.app.translation_files import forms, messages

ROOT = Path(__file__).resolve().parents[2]
# Files by the language that they are written in.
DOCUMENTS = {
    "en": [
        *("README.md", "SECURITY.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md"),
        *(f"docs/{file.name}" for file in sorted((ROOT / "docs").glob("*.md")) if file.name.count(".") == 1),
    ],
    **{code: [f"i18n/README.{code}.md", f"docs/installing.{code}.md"] for code in ("ko", "ja", "zh_CN")},
}
# What stands before "Settings" where macOS's own are meant.
OF_MACOS = re.compile(r"(?:System |시스템 )\Z")
# Quoted words that are others' than the window's, or not words of a widget.
OTHERS = {
    *("Figures of a Mac", "Tandem", "Open Anyway", "확인 없이 열기", "このまま開く", "仍要打开"),
    *("隐私与安全性", "系统设置", "钥匙串访问", "identical", "search_web", "read_page"),
}
# Fields of the window's words as the documents write them.
FIELDS = {"NAME": "{name}"}


def text_of(file: str) -> str:
    """Return the text of a document in one line."""
    return " ".join((ROOT / file).read_text(encoding="utf-8").split())


@cache
def words_of(language: str) -> frozenset[str]:
    """Return every text of the window in a language."""
    if language == "en":
        return frozenset(message.findtext("source") or "" for _, message in messages("ko"))
    return frozenset(chain.from_iterable(forms(message) for _, message in messages(language)))


def translated(language: str, text: str) -> set[str]:
    """Return what the window calls a text in a language."""
    if language == "en":
        return {text}
    return {form for _, message in messages(language) if message.findtext("source") == text for form in forms(message)}


@cache
def parser() -> argparse.ArgumentParser:
    """Return a parser of all commands."""
    commands = argparse.ArgumentParser("tandem")
    subparsers = commands.add_subparsers()
    for module in COMMANDS.values():
        importlib.import_module(module).add_parser(subparsers)
    return commands


@cache
def options_of(*words: str) -> frozenset[str]:
    """Return the options in the help of a command with its action, if it has any; none if there is no such command."""
    shown = io.StringIO()
    with redirect_stdout(shown), redirect_stderr(io.StringIO()), suppress(SystemExit):
        parser().parse_args([*words, "--help"])
    return frozenset(re.findall(r"--[a-z][a-z-]*", shown.getvalue()))


def named_commands() -> list[tuple[str, str]]:
    """Return (file, command) of every `tandem …` that stands in a code span of a document."""
    files = [*chain.from_iterable(DOCUMENTS.values()), "packaging/README.md"]
    return [
        (file, command)
        for file in files
        for span in re.findall(r"`([^`]+)`", text_of(file))
        for command in re.findall(r"(?:^|\| )tandem ([^|]+)", span.replace("\\|", "|"))
    ]


def test_every_command_of_the_documents_exists_with_its_options() -> None:
    wrong: list[tuple[str, str]] = []
    for file, command in named_commands():
        first, *others = command.split()
        words = list(takewhile(lambda word: not word.startswith("-"), others))
        options = {word.partition("=")[0] for word in others if word.startswith("--")}
        known = options_of(*ALIASES.get(first, (first,)), *words[:1])
        if not first.startswith("-") and not {"--help", *options} <= known:
            wrong.append((file, command))
    assert wrong == []
    assert len(named_commands()) > 30


def test_every_option_that_stands_alone_is_one_of_a_command() -> None:
    known = {"--self-test"}.union(*(options_of(command) for command in COMMANDS))
    files = ("docs/terminal.md", "docs/several-computers.md", "docs/documents-and-imports.md", "docs/speed.md")
    spans = [(file, span) for file in files for span in re.findall(r"`(--[^`]+)`", text_of(file))]
    assert [(file, span) for file, span in spans if span.split()[0] not in known] == []
    assert len(spans) >= 5


@pytest.mark.parametrize("language", DOCUMENTS)
def test_the_pages_of_settings_are_called_as_the_window_calls_them(language: str) -> None:
    pages = set().union(*(translated(language, title) for title in PAGES.values()))
    named = 0
    for file in DOCUMENTS[language]:
        text = text_of(file)
        for settings in translated(language, "Settings"):
            for found in re.finditer(rf"(?<!\w){settings} ?> ?", text):
                if OF_MACOS.search(text[: found.start()]):
                    continue
                named += 1
                below = text[found.end() :]
                page = max((title for title in pages if below.startswith(title)), key=len, default="")
                assert page, (file, below[:60])
                if (inner := re.match(r" ?> ?[\"“]?", below[len(page) :])) is not None:
                    words = below[len(page) + inner.end() :]
                    label = max((one for one in words_of(language) if words.startswith(one)), key=len, default="")
                    is_whole = " " in label or words[len(label) :][:1] in (",", ".", "’", "」", "”", ">")
                    assert len(label) > 3, (file, words[:60])
                    assert is_whole, (file, words[:60])
    assert named >= (4 if language == "en" else 2)


@pytest.mark.parametrize("language", DOCUMENTS)
def test_quoted_labels_are_words_of_the_window(language: str) -> None:
    quotes = {"en": r'"([A-Z][^"`]{2,50})"', "ko": "‘([^’>]+)’", "ja": "「([^」>]+)」", "zh_CN": "“([^”>]+)”"}
    files = [file for file in DOCUMENTS[language] if file.startswith(("README", "docs", "i18n"))]
    texts = [re.sub(r"```.*?```|`[^`]*`", "", text_of(file)) for file in files]
    quoted = {label for text in texts for label in re.findall(quotes[language], text)}
    labels = {re.sub("|".join(FIELDS), lambda field: FIELDS[field[0]], label) for label in quoted - OTHERS}
    assert labels - words_of(language) == set()


def test_the_counts_of_families_are_those_that_can_be_split() -> None:
    modules = [module.name for module in pkgutil.iter_modules(mlx_lm.models.__path__)]
    by_heads, by_layers = (sum(way in splits_of(name) for name in modules) for way in ("tensor", "pipeline"))
    said = f"by heads ({by_heads} families) or by layers ({by_layers})"
    assert said in text_of("docs/several-computers.md")


def test_the_versions_that_are_named_are_those_that_are_installed() -> None:
    constraints = (ROOT / "packaging" / "constraints.txt").read_text(encoding="utf-8")
    for name, version in re.findall(r"\b(mlx-lm|mlx-vlm) (\d+\.\d+\.\d+)", text_of("docs/models.md")):
        assert f"{name}=={version}\n" in constraints


def test_the_apps_that_chats_come_from_are_counted() -> None:
    page = (ROOT / "docs" / "documents-and-imports.md").read_text(encoding="utf-8")
    _, *rows = re.findall(r"^\| (?!---)([^|]+) \|", page.partition("## Chats of other apps")[2], flags=re.MULTILINE)
    assert rows[-1] == "Others"
    assert f"imports from {len(rows) - 1} apps" in text_of("CHANGELOG.md")


def test_every_program_that_can_be_connected_is_named_with_the_port() -> None:
    text = text_of("docs/terminal.md")
    assert [app.name for app in APPS.values() if app.name not in text] == []
    assert f"http://127.0.0.1:{SettingsValues().api_port}/v1" in text


def test_the_limits_that_are_stated_are_those_of_the_code() -> None:
    words = {3: "three", 5: "five", 10: "ten"}
    stated = {
        "SECURITY.md": [
            f"newest {kept_chats.MOST_CHATS} answers and within {kept_chats.MOST_BYTES >> 20} MiB",
            f"the {kept_items.MOST_ITEMS:,} that were used last",
            f"within {kept_items.MOST_CHARACTERS // 10**6} million characters",
            f"instructions for models ({LONGEST_INSTRUCTIONS:,} characters at most)",
            f"of a tool, models get {LONGEST_DESCRIPTION:,} characters",
            f"{words[MOST_QUESTIONS]} at most in a call",
            f"at most {words[SIGN_IN_S // 60]} minutes",
            f"three deep, {attached_files.MOST_BYTES >> 20} MiB in all",
            f"{WATCHED_S} seconds of computing for a document that a person attaches",
            f"{DOCUMENT_S} for any other file",
            f"no silence of {HubAccess().stall_s:.0f} seconds",
            f"at most {LARGEST_HANDSHAKE} bytes of memory and {words[PROOF_S]} seconds",
        ],
        "CONTRIBUTING.md": [
            f"at most {file_costs.SECONDS_A_TEST} CPU seconds a test and {file_costs.SECONDS:.0f} in all",
        ],
    }
    assert {file: [limit for limit in limits if limit not in text_of(file)] for file, limits in stated.items()} == {
        "SECURITY.md": [],
        "CONTRIBUTING.md": [],
    }


def test_the_first_release_has_as_many_steps_as_contributing_says() -> None:
    guide = (ROOT / "packaging" / "README.md").read_text(encoding="utf-8")
    steps = re.findall(r"^\d+\. ", guide.partition("### The first one")[2], flags=re.MULTILINE)
    assert (len(steps), "in twelve steps" in text_of("CONTRIBUTING.md")) == (12, True)


def test_the_readmes_have_the_speed_of_the_table() -> None:
    [speed] = re.findall(r"\| Tandem, automatic \| ([\d.]+) \|", text_of("docs/speed.md"))
    files = ["README.md", *(f"i18n/README.{code}.md" for code in ("ko", "ja", "zh_CN"))]
    said = re.compile(rf"(?<![\d.]){re.escape(speed)} ?(?:times|배|倍)")
    assert [file for file in files if not said.search(text_of(file))] == []
