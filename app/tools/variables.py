"""Variables that decide what a server's command runs, and variables that a configuration leaves to its reader. No Qt.

A person who agrees to a server sees the values of the variables that decide what runs; the others are secrets.
"""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Mapping
from pathlib import Path

from app.tools.program_folders import manager_folders
from engine.machine.program_folders import USUAL_FOLDERS

# The variable decides which programs run.
PROGRAM = "program"
# The variable decides which code is loaded into a program.
CODE = "code"
# They say where programs and packages are, or are files of settings that name programs. Where most variables of a
# family do so, those that do not are named instead.
_PROGRAM = re.compile(
    r"PATH|HOME|SHELL|ZDOTDIR|XDG_(CONFIG|DATA)_(HOME|DIRS)|EDITOR|VISUAL|(MAN)?PAGER|BROWSER|LESS(OPEN|CLOSE)"
    r"|(SSH|SUDO)_ASKPASS|SVN_SSH|RSYNC_RSH|GIT_(?!AUTHOR_|COMMITTER_|TRACE|TERMINAL_PROMPT).+"
    r"|(?i:NPM_CONFIG_.+)|(PIP|UV|YARN|PNPM|COREPACK|NVM|VOLTA|DENO|BUN)_.+|VIRTUAL_ENV|JAVA_HOME"
    r"|GO(PATH|ROOT|BIN|PROXY|FLAGS|ENV|TOOLCHAIN)|CARGO_.+|RUSTUP_.+|(DOCKER|CONTAINER)_(HOST|CONFIG|CONTEXT)"
)
_CODE = re.compile(
    r"_*LD_.+|_*DYLD_.+|GCONV_PATH|GLIBC_TUNABLES|NODE_(OPTIONS|PATH|REPL_EXTERNAL_MODULE)|BUN_OPTIONS"
    r"|PYTHON(?!UNBUFFERED|IOENCODING|UTF8|DONTWRITEBYTECODE|HASHSEED|FAULTHANDLER|DEVMODE|TRACEMALLOC|OPTIMIZE).+"
    r"|BASH_(ENV|FUNC_.+)|ENV|SHELLOPTS|BASHOPTS|PROMPT_COMMAND|PS4|FPATH|RUBY(OPT|LIB)|GEM_(PATH|HOME)|BUNDLE_.+"
    r"|PERL(5OPT|5LIB|5DB|LIB)|(_JAVA|JAVA_TOOL|JDK_JAVA)_OPTIONS|CLASSPATH|PHPRC|PHP_INI_SCAN_DIR"
    r"|LUA_(INIT|PATH|CPATH)(_\d_\d)?|R_(PROFILE|ENVIRON|LIBS)(_USER|_SITE)?|JULIA_(LOAD_PATH|DEPOT_PATH|PROJECT)"
    r"|DOTNET_(STARTUP_HOOKS|ADDITIONAL_DEPS|ROOT.*)|(CORECLR|COR)_PROFILER.*|(ERL|ELIXIR_ERL)_.+"
    r"|OPENSSL_(CONF|MODULES|ENGINES)|(QT|GTK|GIO|GST)_.*(PLUGIN|MODULE).*"
)
# As programs write them, ${NAME}, ${NAME:-default}, ${env:NAME}, ${input:ID}, ${{ secrets.NAME }} and {env:NAME}, also
# after the name of a way to sign in.
_LEFT_OPEN = re.compile(r"(?:(?i:bearer|basic|token) )?(?:\$\{\{?([^{}]+)\}?\}|\{((?:env|file):[^{}]+)\})")
# Names and passwords for a login decide nothing, in whichever family.
_SECRET = re.compile(r"(?i:.*(PASSWORD|TOKEN|SECRET|_AUTH|USERNAME|API_?KEY))")


def decides(name: str) -> str:
    """Return the effect of the variable: `PROGRAM`, `CODE`, or "" for neither."""
    if _SECRET.fullmatch(name):
        return ""
    # Code first: the options of a program are more than the place where it is.
    if _CODE.fullmatch(name):
        return CODE
    return PROGRAM if _PROGRAM.fullmatch(name) else ""


def search_path(values: Mapping[str, str], program: str | None = None) -> str:
    """Return the folders in which commands with these variables are looked up, as PATH has them.

    The folder of the `program` that runs is among them, because the first line of npx asks for the node in the same
    folder: before those that Tandem adds, and after those that the person names.
    """
    own_folder = [os.path.dirname(program)] if program is not None else []
    if values.get("PATH"):
        folders = [values["PATH"], *own_folder]
    else:
        given = os.environ.get("PATH", os.defpath)
        added = [*map(os.path.expanduser, USUAL_FOLDERS), *manager_folders()]
        # Where the environment names the program's folder, its order stays.
        folders = [given, *added] if set(own_folder) & {*given.split(os.pathsep)} else [*own_folder, given, *added]
    return os.pathsep.join(folders)


def program_of(command: str, values: Mapping[str, str]) -> str | None:
    """Return the path of the program that the command with these variables runs; None if there is none."""
    # A path is relative to the home folder, where servers run.
    wanted = str(Path.home() / command) if os.sep in command else command
    program = shutil.which(wanted, path=search_path(values))
    return os.path.abspath(program) if program else None


def with_defaults(text: str) -> str:
    """Return a text with those variables filled in that have a default."""
    return re.sub(r"\$\{\{?[^{}]*?:-([^{}]+)\}?\}", r"\1", text)


def variables_in(text: str, abouts: Mapping[str, str]) -> dict[str, str]:
    """Return the variables that a text leaves open, as they stand there, with what `abouts` says of each by name."""
    return {match[0]: abouts.get((match[1] or match[2]).strip(), "") for match in _LEFT_OPEN.finditer(text)}
