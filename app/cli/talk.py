"""The interactive chat of `tandem chat`: a banner, commands that begin with a slash, and lines that can be edited."""

from __future__ import annotations

import re
import sys
from contextlib import suppress

from app.cli.conversation import Conversation, readable
from app.cli.exit_codes import DONE
from app.cli.pair_options import explained
from engine import EngineError

with suppress(ImportError):
    # Gives `input` line editing and the history of this run; no file keeps what was asked. From the standard library,
    # though Python can be built without it.
    import readline  # noqa: F401

_COMMAND = re.compile(r"/([a-z]+)(?:\s+(.+))?")
_HELP = """\
/help        list these commands
/model       show the models; /model NAME loads another main model, by folder or Hub name
/exit        leave (also /quit, or Ctrl-D)
Ctrl-C       stop the answer; at the prompt, leave
Up, Down     earlier questions"""


def talk(conversation: Conversation, quiet: bool) -> int:
    """Read questions until the end; returns the exit code. Raises `KeyboardInterrupt` for Ctrl-C at the prompt."""
    if not quiet:
        _say(f"{conversation.model}. /help lists the commands, /exit or Ctrl-D leaves.")
    while (line := _read_line()) is not None:
        question = readable(line).strip()
        command = _COMMAND.fullmatch(question)
        if command is None:
            if question:
                conversation.ask(question)
        elif command[1] in ("exit", "quit"):
            break
        else:
            _obey(conversation, command[1], command[2])
    return DONE


def _obey(conversation: Conversation, command: str, name: str | None) -> None:
    if command == "help":
        _say(_HELP)
    elif command != "model":
        _say(f"tandem: there is no command /{command}; /help lists them.")
    else:
        if name:
            try:
                conversation.load(name, None)
            except EngineError as error:
                _say(f"tandem: {explained(error)}")
        _say(conversation.model)


def _read_line() -> str | None:
    """The next line, None at the end. Prompt and editing are on the terminal, never in redirected output."""
    try:
        if sys.stdout.isatty():
            return input("> ")
        print("> ", end="", file=sys.stderr, flush=True)
        line = sys.stdin.readline()
        return line.rstrip("\n") if line else None
    except EOFError:
        _say("")
        return None


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)
