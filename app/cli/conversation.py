"""A chat in the terminal: its models, its requests and history, and lines that can be edited at a prompt."""

from __future__ import annotations

import argparse
import re
import sys
import time
from collections.abc import Callable, Container, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

from app.cli.answers import AnswerOutput
from app.cli.command import DONE, FAILED, INTERRUPTED
from app.cli.downloads import follow_loading
from app.cli.pair_options import checked, explained, model_path
from app.cli.terminal import say
from app.cli.watched_stream import WatchedStream
from app.conversations.database.records import REPEATING
from app.session.help_matching import NOTHING, grammar_of_help, meant_by
from app.session.model_names import STARTER, STARTERS, english_name
from app.session.tandem_help import help_answer, is_refusal
from app.settings.declarations import declared_in
from app.settings.engine_settings import none_values, own_sampling
from app.text.thinking import without_thoughts
from engine import EngineClient, EngineError, Finished
from engine.errors import PromptTooLong
from engine.events import Failed
from engine.files.atomic_file import write_atomically
from engine.methods import method_of
from engine.requests import ChatRequest, SamplingSettings, SpeculationSettings
from engine.tokenizers.thinking import ThinkingChoice

with suppress(ImportError):
    # Gives `input` line editing and a history that is not written to a file. Python can be built without it.
    import readline  # noqa: F401

_COMMAND = re.compile(r"/([a-z]+)(?:\s+(.+))?")
# Around a question of several lines.
_QUOTES = '"""'
_HELP = """\
/help          list these commands
/model         show the models
/model NAME    load another main model, by folder or name
/system TEXT   answer with this system prompt from now on; without TEXT, with none
/continue      let an answer go on that was paused because it repeats itself
/again [NAME]  ask the last question again, with another main model if NAME is given
/tokens        show which tokens were drafted by the colours of answers, or no longer
/clear         forget the questions and answers so far
/save FILE     write them to a file, as Markdown
/exit          leave (also /quit, /bye, or Ctrl-D)
\"""            begin a question of several lines, which ends with \"""
Ctrl-C         stop the answer; at the prompt, leave
Up, Down       earlier questions"""

# The most questions that are offered below an answer.
_OFFERED = 2
# Seconds that a question waits for a draft runner.
_RUNNER_S = 5.0
# Seconds between two looks at the draft runner.
_POLL_S = 0.05
_WITHOUT_RUNNER = "tandem: drafting ahead is still starting, so the answer begins without it."
_STOPPED = "tandem: the answer repeats itself, so it was stopped."
_FROM_HELP = "tandem: from Tandem's help, which speaks of its window: {question}"
_DID_YOU_MEAN = "tandem: did you mean: {questions}"
_TINY_MODEL = "tandem: a tiny model that came with Tandem. Choose a larger one: `tandem models search gemma`."
_UNSEEN_PICTURES = "tandem: this model can't see pictures, so it gets the text of the files alone."
_UNSEEN_SCANS = "tandem: this model can't see pictures, and there is nothing else in {names}."
_FILES_TOO_LONG = "tandem: read a part of the files, with --pages FIRST-LAST, --sheets NAME or --chapters TITLE."
_PAUSED = "tandem: the answer repeats itself, so it is paused: /continue lets it go on."


@dataclass(frozen=True)
class _PausedAnswer:
    """An answer as far as it was written: its text, with the mark that opens its thoughts, and those of its tokens."""

    text: str = ""
    tokens: tuple[str, ...] = ()


class QuestionFiles(NamedTuple):
    """The texts of attached files, and the files of the pictures in them by their digests.

    `pages` are the pictures of documents that have no text, whose names are those of `scans`. `lines` say of which
    pages the pictures of others are.
    """

    texts: tuple[str, ...] = ()
    pictures: Mapping[str, bytes] = MappingProxyType({})
    pages: Mapping[str, bytes] = MappingProxyType({})
    scans: tuple[str, ...] = ()
    lines: tuple[str, ...] = ()


NO_FILES = QuestionFiles()


class TerminalConversation:
    """Questions to one engine, each with the turns before it. `model` is a line that names the models.

    The first question has the `pictures`, which are files by their digests, and comes after the texts of other `files`.
    A model that sees also gets the pictures in these. One that cannot is given those alone without which there is no
    question: the `pictures` and the pages of scans, which it refuses.
    """

    def __init__(
        self,
        engine: EngineClient,
        arguments: argparse.Namespace,
        show: AnswerOutput,
        pictures: Mapping[str, bytes] = MappingProxyType({}),
        files: QuestionFiles = NO_FILES,
    ) -> None:
        self.model = ""
        self._engine = engine
        self._arguments = arguments
        self._show = show
        show.speed_counts = self._speed_counts
        self._pictures = {**pictures, **files.pages}
        self._files = files
        self._sees = False
        self._is_starter = False
        self._history: list[dict[str, Any]] = []
        self._recommended: dict[str, float] = {}
        self._thinking = ThinkingChoice()
        # The last answer while it is paused because it repeats itself. The history has its reply.
        self._paused: _PausedAnswer | None = None

    def load(self, main: str, draft: str | None) -> None:
        """Load the models and keep the turns. Raises `EngineError`; the earlier models stay loaded then."""
        loading = self._engine.load(main, draft)
        if sys.stderr.isatty():
            follow_loading(self._engine, loading)
        pair = checked(loading.result())
        if pair.main is not None:
            self._recommended = dict(pair.main.sampling)
            self._thinking = pair.main.thinking
            draft_name = f" with {english_name(pair.draft.name)}" if pair.draft else ", no draft model"
            self.model = english_name(pair.main.name) + draft_name
            self._sees = pair.main.sees
            self._is_starter = pair.main.name == STARTER
            if self._files.pictures and not self._sees:
                say(_UNSEEN_PICTURES)
            if self._files.scans and not self._sees:
                say(_UNSEEN_SCANS.format(names=", ".join(self._files.scans)))

    def start_runner(self, *, waits: bool) -> None:
        """Start the draft runner of the loaded pair.

        It needs seconds to load its model. A question after which the program ends `waits` for it, else its answer
        could end first. Why there is none, the answer's figures say.
        """
        until = time.monotonic() + (_RUNNER_S if waits else 0.0)
        state = self._engine.start_drafting_ahead().result()
        while state == "starting" and time.monotonic() < until:
            time.sleep(_POLL_S)
            state = self._engine.start_drafting_ahead().result()
        if state == "starting" and waits:
            say(_WITHOUT_RUNNER)

    def ask(self, question: str, *, in_chat: bool = False) -> int:
        """Ask, show the answer and return the exit code.

        The history keeps only questions with answers that are whole or paused. `in_chat` says whether a paused answer
        can go on.
        """
        self._drop_paused()
        lines = self._files.lines if self._sees else ()
        text = question if self._history else "\n\n".join([*lines, *self._files.texts, question])
        content: str | list[dict[str, str]] = text
        pictures = {**self._pictures, **self._files.pictures}
        if pictures and not self._history:
            shown = [{"type": "image", "digest": digest} for digest in pictures]
            content = [*shown, {"type": "text", "text": text}]
        self._history.append({"role": "user", "content": content})
        code = self._answer(_PausedAnswer(), in_chat)
        if self._history[-1]["role"] == "user":
            self._history.pop()
        return code

    def continue_answer(self) -> bool:
        """Let the paused answer go on. Return whether there is one."""
        if self._paused is None:
            return False
        self._replace_answer(self._paused)
        return True

    def _replace_answer(self, begun: _PausedAnswer) -> None:
        """Answer the last question anew in a chat, or continue `begun`; keep its answer if that fails or is stopped."""
        paused, self._paused = self._paused, None
        earlier = self._history.pop()
        self._answer(begun, in_chat=True)
        if self._history[-1]["role"] == "user":
            self._history.append(earlier)
            self._paused = paused

    def _answer(self, begun: _PausedAnswer, in_chat: bool) -> int:
        """Answer the last question, or continue the answer that is begun, and return the exit code."""
        turns = [*self._history, {"role": "assistant", "content": begun.text}] if begun.text else self._history
        pictures = self._pictures
        if self._sees:
            pictures = {**pictures, **self._files.pictures}
        elif self._files.pictures:
            turns = [_without(turn, self._files.pictures) for turn in turns]
        asked = request(self._arguments, turns, self._recommended, self._thinking, pictures)
        stream = WatchedStream(self._engine.submit(self._with_help(asked, begun.text)), begun.tokens)
        code = DONE
        try:
            last = self._show.events(stream)
        except KeyboardInterrupt:
            # The first Ctrl-C cancels the answer and shows its figures; a second one ends the program.
            stream.cancel()
            last = self._show.events(stream)
            code = INTERRUPTED
        if isinstance(last, Failed) and isinstance(last.error, PromptTooLong) and self._files.texts:
            self._show.note(_FILES_TOO_LONG)
        if not isinstance(last, Finished):
            return code or FAILED
        if code == DONE:
            text = (begun.text or last.stats.opening) + last.text
            self._history.append({"role": "assistant", "content": without_thoughts(text)})
            if last.reason == REPEATING:
                self._paused = _PausedAnswer(text, tuple(stream.tokens))
                code = FAILED
                self._show.note(_PAUSED if in_chat else _STOPPED)
            elif last.stats.main in STARTERS:
                self._note_starter()
        return code

    def _with_help(self, asked: ChatRequest, begun: str) -> ChatRequest:
        """Return the request for an answer that has `begun`, which the Starter answers with the help if that knows."""
        if not self._is_starter or not self._asks_without_files:
            return asked
        grammar = grammar_of_help(self._history[-1]["content"], begun)
        # The draft is to show what it knows by heart.
        speculation = replace(asked.speculation, proposes_forced=grammar is None)
        return replace(asked, grammar=grammar, speculation=speculation)

    def _speed_counts(self, ended: Finished) -> bool:
        """Whether the speed of an answer says anything of others, as `Answer.speed_counts` says it in the window."""
        is_copied = all(method_of(source) == "ngram" for source in ended.stats.sources)
        is_twin = any(turn["content"] == ended.text for turn in self._history)
        if ended.reason == REPEATING or (is_copied and is_twin):
            return False
        return ended.stats.main not in STARTERS or not is_refusal(ended.text)

    def _note_starter(self) -> None:
        """Say below the last answer of the Starter where it is from, and which other questions may have been meant."""
        question, answer = (turn["content"] for turn in self._history[-2:])
        said = help_answer(answer)
        meant = meant_by(question) if self._asks_without_files else NOTHING
        others = [fact.questions[meant.language] for fact in meant.facts if said is None or fact is not said.fact]
        if said is not None:
            self._show.note(_FROM_HELP.format(question=said.question))
        elif not others:
            self._show.note(_TINY_MODEL)
        if others:
            self._show.note(_DID_YOU_MEAN.format(questions=" ".join(others[:_OFFERED])))

    @property
    def _asks_without_files(self) -> bool:
        """Whether the newest question is a text alone."""
        number = sum(turn["role"] == "user" for turn in self._history)
        return number > 1 or not (self._files.texts or self._pictures)

    def ask_again(self, name: str) -> bool:
        """Ask the last question again, with the main model `name` unless that is "". Return whether there is one.

        Its earlier answer is kept only if the new one fails or is stopped. Raises `EngineError` if the model cannot be
        loaded.
        """
        if not self._history:
            return False
        if name:
            self.load(model_path(name), None)
            say(self.model)
        self._replace_answer(_PausedAnswer())
        return True

    def _drop_paused(self) -> None:
        """Leave the paused answer as it is. Of one that has no reply yet, nothing is kept."""
        if self._paused is not None and not self._history[-1]["content"]:
            del self._history[-2:]
        self._paused = None

    def obey(self, command: str, words: str) -> str:
        """Carry out a command of the prompt, and return what to say of it. Raises `EngineError` and `OSError`."""
        if command == "help":
            return _HELP
        if command == "clear":
            self._history = []
            self._files = NO_FILES
            self._pictures = {}
            self._paused = None
            return "The chat is empty."
        if command == "system":
            self._arguments.system = words
            return "The system prompt is set." if words else "There is no system prompt."
        if command == "save":
            if not words:
                return "tandem: /save needs a file: /save chat.md"
            file = Path(words).expanduser()
            if file.exists():
                return f"tandem: {words} exists already. Choose another name."
            write_atomically(file, self._as_markdown().encode())
            return f"Saved in {words}."
        if command == "tokens":
            return self._show.switch_colours()
        if command in ("model", "models"):
            if words:
                self.load(model_path(words), None)
            return self.model
        return f"tandem: there is no command /{command}; /help lists them."

    def _as_markdown(self) -> str:
        turns = []
        for turn in self._history:
            content = turn["content"]
            # The text comes after the pictures of its question.
            text = content if isinstance(content, str) else content[-1]["text"]
            turns.append(f"## {turn['role'].capitalize()}\n\n{text}\n")
        return "\n".join(turns)


def _without(turn: dict[str, Any], pictures: Container[str]) -> dict[str, Any]:
    """Return a turn without some pictures, by their digests."""
    content = turn["content"]
    if isinstance(content, str):
        return turn
    parts = [part for part in content if part.get("digest") not in pictures]
    return turn | {"content": parts if len(parts) > 1 else parts[0]["text"]}


def request(
    arguments: argparse.Namespace,
    turns: list[dict[str, Any]],
    recommended: Mapping[str, float] | None = None,
    thinking: ThinkingChoice | None = None,
    pictures: Mapping[str, bytes] = MappingProxyType({}),
) -> ChatRequest:
    """Return the request with the options of the command line.

    Sampling is as in the window: `recommended` by the model's authors, or Tandem's own. `thinking` is the choice of the
    model's template. Raises `BadRequest`.
    """
    unchosen = {**own_sampling(recommended), **recommended} if recommended is not None else {}
    system = [{"role": "system", "content": readable(arguments.system)}] if arguments.system else []
    sampling = SamplingSettings(**{**unchosen, **_chosen(arguments, SamplingSettings)})
    choice = thinking or ThinkingChoice()
    budget = sampling.thinking_budget
    return ChatRequest(
        messages=[*system, *turns],
        sampling=replace(sampling, thinking_budget=choice.budget(arguments.thinking, budget)),
        speculation=SpeculationSettings(**_chosen(arguments, SpeculationSettings)),
        max_tokens=arguments.max_tokens,
        stop=tuple(map(readable, arguments.stop)),
        template_options=choice.options(arguments.thinking, budget),
        pictures=pictures,
    )


def add_request_options(parser: Any, record: type[Any]) -> None:
    """Declare an option for each setting that is a field of `record`, on a parser or a group of its options."""
    for name, setting in declared_in(record).items():
        kind = type(setting.default)
        declared: dict[str, Any] = {"type": kind, "metavar": "N" if kind is int else "X"}
        if kind is bool:
            declared = {"action": argparse.BooleanOptionalAction if setting.default else "store_true"}
        elif setting.choices:
            declared = {"type": kind, "choices": setting.values}
        elif name in none_values(record):
            declared = {"type": partial(_number_or_auto, kind), "metavar": f"auto|{declared['metavar']}"}
        help_text = setting.terminal or setting.title
        parser.add_argument(f"--{name.replace('_', '-')}", default=None, help=help_text, **declared)


def _number_or_auto(kind: Callable[[str], float], text: str) -> float | None:
    try:
        return None if text == "auto" else kind(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f'"auto" or a number, not {text!r}') from None


def _chosen(arguments: argparse.Namespace, record: type[Any]) -> dict[str, Any]:
    """Return the fields of `record` that the command line has."""
    return {name: value for name in declared_in(record) if (value := getattr(arguments, name)) is not None}


def readable(text: str) -> str:
    """Replace undecodable bytes, which no tokenizer accepts, by replacement characters."""
    return text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def talk(conversation: TerminalConversation, quiet: bool) -> int:
    """Read questions until the end, and return the exit code. Raises `KeyboardInterrupt` for Ctrl-C at the prompt."""
    if not quiet:
        say(f"{conversation.model}. /help lists the commands, /exit or Ctrl-D leaves.")
    while (line := _read_line()) is not None:
        question = readable(line).strip()
        command = _COMMAND.fullmatch(question)
        if question.startswith(_QUOTES):
            question = _quoted(question.removeprefix(_QUOTES))
        if command is None:
            if question:
                conversation.ask(question, in_chat=True)
        elif command[1] in ("exit", "quit", "bye"):
            break
        elif command[1] == "continue":
            if not conversation.continue_answer():
                say("tandem: no answer is paused.")
        else:
            try:
                if command[1] != "again":
                    say(conversation.obey(command[1], command[2] or ""))
                elif not conversation.ask_again(command[2] or ""):
                    say("tandem: nothing was asked yet.")
            except EngineError as error:
                say(f"tandem: {explained(error)} {conversation.model}")
            except OSError as error:
                say(f"tandem: {error.filename or command[2]} cannot be written: {error.strerror}")
    return DONE


def _quoted(first: str) -> str:
    """Return a question of several lines, which `first` begins: up to a line that ends with quotes, or the end."""
    lines = [first]
    while not lines[-1].endswith(_QUOTES) and (line := _read_line("... ")) is not None:
        lines.append(readable(line).rstrip())
    return "\n".join(lines).removesuffix(_QUOTES).strip()


def _read_line(prompt: str = "> ") -> str | None:
    """Return the next line, None at the end. The prompt never goes to redirected output."""
    try:
        if sys.stdout.isatty():
            return input(prompt)
        print(prompt, end="", file=sys.stderr, flush=True)
        line = sys.stdin.readline()
        return line.rstrip("\n") if line else None
    except EOFError:
        say("")
        return None
