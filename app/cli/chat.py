"""`tandem chat`: one question or a chat in the terminal, for scripts and machines without a screen."""

from __future__ import annotations

import argparse
import io
import os
import stat
import sys
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from pathlib import Path
from typing import Any

from app.cli.answers import JsonOutput, TextOutput
from app.cli.command import BAD_USAGE, DONE, FAILED, INTERRUPTED, add_command
from app.cli.conversation import QuestionFiles, TerminalConversation, add_request_options, readable, request, talk
from app.cli.pair_options import (
    add_ahead_options,
    add_pair_options,
    chosen_pair,
    own_engine_settings,
    with_drafting_ahead,
)
from app.conversations.database.records import pictures_in
from app.session.attachments import extent_of, read_attachment
from app.session.calls import page_lines
from app.settings.engine_settings import OWN_SAMPLING
from app.text.fences import file_block
from app.text.file_texts import NotAttachable
from engine import Engine, EngineClient, EngineError, Failed
from engine.documents.text.parts import Selection, pages_of
from engine.files.reading_time import ReadingTime
from engine.pictures.picture_file import MOST_MEGABYTES
from engine.pictures.reading import digest_of, picture_size, time_for
from engine.requests import SamplingSettings, SpeculationSettings
from engine.tokenizers.thinking import LEVELS, SWITCHED

# Characters; more than any model's context holds.
_LONGEST_INPUT = 8 * 2**20
_THINKING_HELP = "whether, or how much, the model thinks before it answers (as its chat template does)"
_IMAGE_HELP = "a picture for the first question, repeatable; the main model must see (tandem models list)"
_FILE_HELP = (
    "a text or a document (PDF, DOCX, XLSX, PPTX, ODT, EPUB, HTML) before the first question, repeatable; models that "
    "see also get its largest pictures; of a PDF, the pages that show more than their text"
)
_TOKENS_HELP = "on a terminal with colours, show in an answer which tokens were drafted (yes)"
_PAGES_HELP = "the pages or slides of the --file to read, such as 1-40 (all that fit)"
_SHEETS_HELP = "a sheet of the --file to read, by its name, repeatable (all that fit)"
_CHAPTERS_HELP = "a chapter of the --file (EPUB, DOCX) to read, by its title, repeatable (all that fit)"
_SAMPLING_HELP = (
    "Without these options, as in the window: as the model's authors recommend or,\n"
    f"without a recommendation, at temperature {OWN_SAMPLING['temperature']}, top p {OWN_SAMPLING['top_p']}."
)
_PROMPT_HELP = 'the question; "-" or nothing reads it from standard input, and in a terminal starts a chat'


class BadQuestion(EngineError):
    """The question is empty or too long."""

    code = "bad-request"


def add_parser(subparsers: Any) -> None:
    parser = add_command(
        subparsers,
        "chat",
        "chat in the terminal",
        (
            'tandem chat "What is a draft model?"',
            'cat notes.txt | tandem chat "Sum this up:"',
            'tandem chat --main mlx-community/gemma-3-4b-it-4bit --image photo.jpg "What is this?"',
            'tandem chat --file report.docx "What does it conclude?"',
            "tandem chat --main mlx-community/Qwen3-8B-4bit --draft mlx-community/Qwen3-0.6B-4bit",
        ),
        "Ask one question, or chat. Text piped in is one question; with PROMPT it follows the prompt.",
    )
    add_options(parser)
    add_engine_options(parser)


def add_engine_options(parser: argparse.ArgumentParser) -> None:
    """Declare the options of the engine that `run` opens itself."""
    add_ahead_options(parser, "{} (off)")


def add_options(parser: argparse.ArgumentParser, *, with_main: bool = True) -> None:
    """Declare the options of the question, the models (--main only `with_main`) and the sampling."""
    add = parser.add_argument
    add("prompt", nargs="?", metavar="PROMPT", help=_PROMPT_HELP)
    add_pair_options(parser, with_main=with_main)
    add("--image", action="append", default=[], metavar="FILE", help=_IMAGE_HELP)
    add("--file", action="append", default=[], metavar="FILE", help=_FILE_HELP)
    add("--pages", metavar="FIRST-LAST", help=_PAGES_HELP)
    add("--sheets", action="append", default=[], metavar="NAME", help=_SHEETS_HELP)
    add("--chapters", action="append", default=[], metavar="TITLE", help=_CHAPTERS_HELP)
    add("--lines", action="store_true", help="treat each line of standard input as a question")
    add_request_options(parser, SpeculationSettings)
    add_request_options(parser.add_argument_group("sampling", _SAMPLING_HELP), SamplingSettings)
    add("--max-tokens", type=int, metavar="N", help="maximum answer length in tokens (up to the context)")
    add("--system", metavar="TEXT", help="system prompt")
    add("--thinking", choices=("auto", *SWITCHED, *LEVELS), default="auto", help=_THINKING_HELP)
    add("--stop", action="append", default=[], metavar="TEXT", help="stop sequence, repeatable")
    add("--tokens", action=argparse.BooleanOptionalAction, default=True, help=_TOKENS_HELP)
    add("--json", action="store_true", help="print one JSON object per event")


def run(
    arguments: argparse.Namespace,
    open_engine: Callable[[], AbstractContextManager[EngineClient]] | None = None,
) -> int:
    """Run the command with the engine that `open_engine` makes, or with its own; returns the exit code."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            # A character that the terminal cannot show must not end the program.
            stream.reconfigure(errors="replace")
    if isinstance(sys.stdin, io.TextIOWrapper):
        sys.stdin.reconfigure(errors="surrogateescape")
    show = JsonOutput() if arguments.json else TextOutput(coloured=arguments.tokens)
    try:
        # Bad settings and questions end the command before any model is loaded.
        request(arguments, [{"role": "user", "content": "-"}])
        pair = chosen_pair(arguments)
        question = _question(arguments)
        pictures = _pictures(arguments.image)
        files = _files(arguments.file, _selection(arguments))
        with open_engine() if open_engine is not None else _own_engine(arguments) as engine:
            conversation = TerminalConversation(engine, arguments, show, pictures, files)
            conversation.load(*pair)
            if open_engine is None and arguments.draft_ahead != "off":
                conversation.start_runner(waits=question is not None or arguments.lines)
            if question is not None:
                return conversation.ask(question)
            if arguments.lines:
                return _ask_lines(conversation)
            return talk(conversation, quiet=arguments.json)
    except EngineError as error:
        show.event(Failed(error, ""))
        return BAD_USAGE if error.code == "bad-request" else FAILED


def _own_engine(arguments: argparse.Namespace) -> Engine:
    return Engine(with_drafting_ahead(own_engine_settings(), arguments))


def _question(arguments: argparse.Namespace) -> str | None:
    """Return the question of the command line and standard input; None to chat. Raises `BadQuestion`."""
    prompt = None if arguments.prompt == "-" else arguments.prompt
    if arguments.lines:
        if prompt is not None:
            raise BadQuestion("--lines reads the questions from standard input: leave the prompt out")
        return None
    if prompt is None:
        if sys.stdin.isatty():
            return None
        prompt = _read_input()
        more = ""
    else:
        more = _read_input() if _is_piped() else ""
    question = readable(f"{prompt}\n\n{more}" if more.strip() else prompt).strip("\n")
    if not question.strip():
        raise BadQuestion("the question is empty: write it in quotes, or pipe it in")
    return question


def _pictures(files: Sequence[str]) -> dict[str, bytes]:
    """Return the pictures by their digests. Raises `BadQuestion`, and the engine's errors for unusable pictures."""
    pictures = {}
    time = time_for(len(files))
    for file in map(Path, files):
        try:
            # A pipe or a device may never end, and a larger file is refused anyway.
            if not file.is_file():
                raise BadQuestion(f"there is no picture {file}")
            with file.open("rb") as opened:
                content = opened.read(MOST_MEGABYTES * 2**20 + 1)
        except OSError as error:
            raise BadQuestion(f"{file} cannot be read: {error.strerror}") from error
        picture_size(content, time)
        pictures[digest_of(content)] = content
    return pictures


def _selection(arguments: argparse.Namespace) -> Selection:
    """Return the parts of documents that the command line names. Raises `BadQuestion`."""
    pages = arguments.pages
    selection = Selection() if pages is None else pages_of(pages)
    if selection is None:
        raise BadQuestion(f"--pages {pages}: write the first and the last page, such as 1-40")
    return replace(selection, names=tuple(arguments.sheets), chapters=tuple(arguments.chapters))


def _files(files: Sequence[str], selection: Selection) -> QuestionFiles:
    """Return the text of each file under its name, as models read it, and the pictures in them.

    Says which parts are left out. Raises `BadQuestion`.
    """
    time = ReadingTime()
    pictures: dict[str, bytes] = {}

    def keep(content: bytes) -> None:
        pictures[digest_of(content)] = content

    gone = [file for file in files if not Path(file).exists()]
    if gone:
        raise BadQuestion(f"there is no file {gone[0]}")
    try:
        read = [read_attachment(Path(file), time=time, keep=keep, selection=selection, sees=True) for file in files]
        for attachment in read:
            if attachment.picture is not None:
                raise NotAttachable(attachment.name, "picture")
    except NotAttachable as error:
        raise BadQuestion(f"{error.name} cannot be attached: {error.reason.replace('-', ' ')}") from error
    for attachment in read:
        if missing := extent_of(attachment).missing_words():
            print(f"{attachment.name}: left out: {missing}", file=sys.stderr)
    scans = [attachment for attachment in read if attachment.is_scan]
    pages = {picture.digest: pictures.pop(picture.digest) for picture in pictures_in(scans)}
    texts = tuple(file_block(attachment.name, attachment.text) for attachment in read)
    return QuestionFiles(texts, pictures, pages, tuple(scan.name for scan in scans), tuple(page_lines(read)))


def _is_piped() -> bool:
    """Return whether standard input is a pipe or a file; the standard input of a service is neither."""
    try:
        mode = os.fstat(sys.stdin.fileno()).st_mode
    except (OSError, ValueError):
        return False
    return stat.S_ISFIFO(mode) or stat.S_ISREG(mode)


def _read_input() -> str:
    text = sys.stdin.read(_LONGEST_INPUT + 1)
    if len(text) > _LONGEST_INPUT:
        raise BadQuestion("standard input is too long for any model's context")
    return text


def _ask_lines(conversation: TerminalConversation) -> int:
    code = DONE
    for line in sys.stdin:
        if line.strip():
            code = conversation.ask(readable(line.rstrip("\n")))
        if code == INTERRUPTED:
            break
    return code
