"""The `tandem` command: the window by default; its commands run in a terminal, without Qt."""

from __future__ import annotations

import argparse
import gc
import importlib
import importlib.util
import logging
import os
import resource
import sys
from collections.abc import Iterable
from contextlib import suppress
from typing import Any

from app.cli.command import BAD_USAGE, DONE, FAILED, INTERRUPTED, UNREAD
from app.cli.terminal import say, shown_on_terminals
from app.system import crash
from app.system.paths import cache_folder
from app.system.versions import OLD_MACOS, installed_version
from engine.files import private_files
from engine.machine.macos import needs_newer_macos

# Each of these modules has `add_parser(subparsers)` and `run(arguments) -> exit code`, which may raise `CodedError`.
COMMANDS = {
    "chat": "app.cli.chat",
    "run": "app.cli.run",
    "bench": "app.cli.bench",
    "models": "app.cli.models",
    "serve": "app.cli.serve",
    "connect": "app.cli.connect",
    "cluster": "app.cli.cluster",
    "doctor": "app.cli.doctor",
    "ps": "app.cli.ps",
    "stop": "app.cli.stop",
}

# Commands of Ollama, which people may type: the command or the place here that does the same.
ALIASES = {
    "list": ("models", "list"),
    "ls": ("models", "list"),
    "pull": ("models", "download"),
    "rm": ("models", "remove"),
    "show": ("models", "show"),
}


def main(arguments: list[str] | None = None) -> int:
    """Run the command; returns the exit code. An unexpected error is reported in a sentence, not a traceback."""
    arguments = sys.argv[1:] if arguments is None else arguments
    arguments = [*ALIASES.get(arguments[0], arguments[:1]), *arguments[1:]] if arguments else arguments
    # A core dump would have chats in it, temporary ones too.
    resource.setrlimit(resource.RLIMIT_CORE, (0, resource.getrlimit(resource.RLIMIT_CORE)[1]))
    with shown_on_terminals():
        return _run(arguments)


def _run(arguments: list[str]) -> int:
    terminal = logging.StreamHandler()
    # Also for loggers of libraries that have a level of their own.
    terminal.setLevel(logging.ERROR)
    logging.basicConfig(level=logging.ERROR, format="tandem: %(message)s", handlers=[terminal])
    logging.captureWarnings(True)
    try:
        # Starting the window imports no command: importing all of them takes longer than drawing it.
        parser = _parser([name for name in COMMANDS if name in arguments] or (COMMANDS if arguments else ()))
        _check_command(parser, arguments)
        options = parser.parse_args(arguments)
        if options.screenshot and not options.self_test:
            parser.error("--screenshot needs --self-test")
        with suppress(OSError):
            # Create the folder as private before anything else creates it with the default permissions.
            private_files.make_folder(cache_folder())
        if any(name in arguments for name in COMMANDS) and needs_newer_macos():
            say(f"tandem: {OLD_MACOS}")
        code = int(options.run(options))
        # Flush now, while a closed pipe can be told from a failure.
        sys.stdout.flush()
        return code
    except KeyboardInterrupt:
        # The terminal has printed ^C on the line.
        print(file=sys.stderr)
        return INTERRUPTED
    except BrokenPipeError:
        # Python would complain once more when it flushes at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return UNREAD
    except Exception as error:
        file = crash.report(error)
        details = f"The details are in {file}." if file else "Its details could not be saved."
        say(f"tandem: something unexpected happened: {error}. {details}")
        return FAILED


def _parser(commands: Iterable[str]) -> argparse.ArgumentParser:
    parser = _Parser(
        prog="tandem",
        description="Chat with local models that decode speculatively. Without a command, open the\nwindow.",
        epilog="short forms:\n" + "\n".join(f"  {name:<6}{' '.join(words)}" for name, words in ALIASES.items()),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action=_ShowVersion, nargs=0, help="show program's version number and exit")
    parser.add_argument("--lang", choices=("en", "ko", "ja", "zh_CN"), help="language of the window")
    parser.add_argument(
        "--self-test", action="store_true", help="open the window, ask one question, print a JSON report"
    )
    parser.add_argument("--screenshot", metavar="DIR", help="with --self-test: save screenshots in this folder")
    parser.set_defaults(run=_window)
    subparsers = parser.add_subparsers(title="commands", metavar="COMMAND")
    for command in commands:
        if importlib.util.find_spec(COMMANDS[command]):
            module = importlib.import_module(COMMANDS[command])
            module.add_parser(subparsers)
            subparsers.choices[command].set_defaults(run=_command, command=module.run)
    return parser


def _check_command(parser: argparse.ArgumentParser, arguments: list[str]) -> None:
    """End with what does it here or the nearest command, and the names of all, if the first argument is none."""
    name = arguments[0] if arguments else "-"
    if name in COMMANDS or name.startswith("-"):
        return
    from difflib import get_close_matches

    known = [*COMMANDS, *ALIASES]
    near = "".join(f"Did you mean {command}? " for command in get_close_matches(name, known, 1))
    parser.error(f"there is no command {name!r}. {near}Commands: {', '.join(known)}")


def _command(options: argparse.Namespace) -> int:
    """Run a command; an error with a code ends it with a sentence. A command without its action shows its help."""
    from app.cli.pair_options import explained
    from engine.errors import BadRequest, CodedError

    if getattr(options, "action", "") is None:
        options.help_of_actions()
        return DONE
    try:
        return int(options.command(options))
    except CodedError as error:
        say(f"tandem: {explained(error)}")
        return BAD_USAGE if isinstance(error, BadRequest) else FAILED


class _Parser(argparse.ArgumentParser):
    """Reports unknown arguments with its own usage; argparse leaves them to the outermost parser."""

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        options, unknown = super().parse_known_args(args, namespace)
        if len(unknown) == 1 and not unknown[0].startswith("-") and getattr(options, "prompt", unknown) is None:
            # argparse takes no PROMPT that options part from the MODEL before it.
            options.prompt = unknown.pop()
        if unknown:
            self.error(f"unrecognized arguments: {' '.join(unknown)}")
        return options, unknown


class _ShowVersion(argparse.Action):
    """Looks the version up when it is asked for; argparse's own action needs it at every start."""

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        print(f"tandem {installed_version('tandem-chat') or 'from a checkout'}")
        parser.exit()


def _window(options: argparse.Namespace) -> int:
    if options.self_test:
        from app.cli import self_test

        return self_test.run(options.screenshot, options.lang)
    from app.system.display import has_display

    if not has_display():
        say("tandem: there is no display to open the window on; `tandem chat` runs the same models in the terminal.")
        return FAILED
    # The start creates no garbage; once the window is open, its policy decides when to collect.
    gc.disable()
    try:
        from app.window.startup import show_window

        return show_window(options.lang)
    finally:
        gc.enable()


if __name__ == "__main__":
    sys.exit(main())
