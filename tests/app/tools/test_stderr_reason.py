"""The line of a standard error that says why a program has ended. The texts are what the programs really write."""

from __future__ import annotations

import pytest

from app.tools.stderr_reason import reason_in

FRAMES = """\
    at f (/srv/server.js:1:21)
    at Module._compile (node:internal/modules/cjs/loader:1521:14)
    at node:internal/main/run_main_module:28:49"""
VERSION = "\n\nNode.js v20.20.2\n"


def thrown(message: str, *fields: str) -> str:
    """What Node.js writes about an error that nobody catches."""
    below = f" {{\n{chr(10).join(fields)}\n}}" if fields else ""
    return f"/srv/server.js:1\nthrow err;\n      ^\n\n{message}\n{FRAMES}{below}{VERSION}"


@pytest.mark.parametrize(
    ("stderr", "reason"),
    [
        (thrown("Error: API_KEY is required"), "Error: API_KEY is required"),
        (
            thrown("Error: Cannot find module 'x'\nRequire stack:\n- /srv/server.js", "  code: 'MODULE_NOT_FOUND',"),
            "Error: Cannot find module 'x'",
        ),
        (
            thrown("Error: no database", "  [cause]: Error: connect ECONNREFUSED 127.0.0.1:5432", f"  {FRAMES}"),
            "Error: no database",
        ),
        (
            thrown("TypeError: Invalid configuration:\n  - port\n  - host"),
            "TypeError: Invalid configuration: - port - host",
        ),
        (thrown('ZodError: [\n  {\n    "path": [ "KEY" ]\n  }\n]'), 'ZodError: [ { "path": [ "KEY" ] } ]'),
        (thrown("ConfigProblem: no file"), "ConfigProblem: no file"),
        (
            f"import {{ x }} from 'fs';\n         ^\nSyntaxError: no export named 'x'\n{FRAMES}{VERSION}",
            "SyntaxError: no export named 'x'",
        ),
        (
            f"      throw er; // Unhandled 'error' event\n      ^\n\nError: listen EADDRINUSE: :::80\n{FRAMES}\n"
            f"Emitted 'error' event on Server instance at:\n{FRAMES} {{\n  port: 80\n}}{VERSION}",
            "Error: listen EADDRINUSE: :::80",
        ),
        (
            f"\n/srv/s.js:1\nthrow 'no key';\n^\nno key\n(Use `node --trace-uncaught ...` to show where){VERSION}",
            "no key",
        ),
        (
            f"Server on stdio\nFatal error in main(): Error: no config.json\n{FRAMES} {{\n  code: 'ENOENT'\n}}\n",
            "Fatal error in main(): Error: no config.json",
        ),
        (
            "\n<--- Last few GCs --->\n\n[1:0x31]  30 ms: Scavenge 25.9\n\n<--- JS stacktrace --->\n\n"
            "FATAL ERROR: Reached heap limit - JavaScript heap out of memory\n----- Native stack trace -----\n\n"
            " 1: 0xb78db3 node::OOMErrorHandler(char const*) [node]\n 2: 0xee8300  [node]\n",
            "FATAL ERROR: Reached heap limit - JavaScript heap out of memory",
        ),
    ],
)
def test_an_error_of_node_is_told_by_its_message(stderr: str, reason: str) -> None:
    assert reason_in(stderr) == reason


@pytest.mark.parametrize(
    ("stderr", "reason"),
    [
        (
            "npm http fetch GET 404 https://r.example/@a%2fb 57ms (cache skip)\nnpm error code E404\n"
            "npm error 404 Not Found - GET https://r.example/@a%2fb\nnpm error 404\n"
            "npm error 404 Note that you can also install\nnpm error A complete log of this run can be found in: /",
            "404 Not Found - GET https://r.example/@a%2fb",
        ),
        (
            "npm ERR! code EACCES\nnpm ERR! syscall mkdir\nnpm ERR! path /usr/lib\nnpm ERR! errno -13\n"
            "npm ERR! Error: EACCES: permission denied, mkdir '/usr/lib'\nnpm ERR!     at async mkdir (node:fs:8:10)\n"
            "npm notice New major version of npm available! 10.8.2 -> 11.19.1\n",
            "Error: EACCES: permission denied, mkdir '/usr/lib'",
        ),
        (
            "npm http fetch GET 200 https://r.example/a 9ms\n"
            "npm http fetch GET http://127.0.0.1:9/a attempt 1 failed with ECONNREFUSED\nnpm notice New version\n",
            "npm http fetch GET http://127.0.0.1:9/a attempt 1 failed with ECONNREFUSED",
        ),
        ("npm error could not determine executable to run\n", "could not determine executable to run"),
        ("npm error code E999\nnpm error A complete log of this run can be found in: /l", "code E999"),
    ],
)
def test_an_error_of_npm_is_told_by_the_line_behind_its_codes(stderr: str, reason: str) -> None:
    assert reason_in(stderr) == reason


def raised(*lines: str) -> str:
    """What Python writes about an exception that nobody catches."""
    where = '  File "/srv/server.py", line 1, in <module>\n    import x\n           ^'
    return "\n".join(["Traceback (most recent call last):", where, *lines, ""])


GROUP = """\
  + Exception Group Traceback (most recent call last):
  |   File "/srv/server.py", line 7, in <module>
  |     asyncio.run(main())
  | ExceptionGroup: unhandled errors in a TaskGroup (1 sub-exception)
  +-+---------------- 1 ----------------
    | Exception Group Traceback (most recent call last):
    |   File "/srv/server.py", line 2, in f
    | BaseExceptionGroup: more (2 sub-exceptions)
    +-+---------------- 1 ----------------
      | Traceback (most recent call last):
      |   File "/srv/server.py", line 2, in f
      | mcp.Failed: bad token
      +---------------- 2 ----------------
      | PermissionError: [Errno 13] Permission denied: '/x'
      +------------------------------------
"""


@pytest.mark.parametrize(
    ("stderr", "reason"),
    [
        (raised("ModuleNotFoundError: No module named 'x'"), "ModuleNotFoundError: No module named 'x'"),
        (raised("RuntimeError"), "RuntimeError"),
        (raised("ValueError: no key", "a note about it", "  more"), "ValueError: no key"),
        (
            raised("pydantic.ValidationError: 1 validation error for S", "api_key", "  Field required [type=missing]"),
            "pydantic.ValidationError: 1 validation error for S api_key Field required [type=missing]",
        ),
        (
            '  File "/srv/server.py", line 1\n    def f(:\n          ^\nSyntaxError: invalid syntax\n',
            "SyntaxError: invalid syntax",
        ),
        (
            raised("KeyError: 'a'", "", "During handling of the above exception, another exception occurred:", "")
            + raised("RuntimeError: no configuration"),
            "RuntimeError: no configuration",
        ),
        (GROUP, "mcp.Failed: bad token"),
        (
            "INFO:server:Starting\nERROR:server:It failed\n" + raised("OSError: no database") + "INFO:server:Bye\n",
            "OSError: no database",
        ),
        (
            raised("ValueError: no key") + "Exception ignored in: <function f>\n" + raised("TypeError: at the exit"),
            "ValueError: no key",
        ),
        (raised("ValueError: a tool failed") + "\nSegmentation fault\n", "Segmentation fault"),
    ],
)  # fmt: skip
def test_an_exception_of_python_is_told_by_its_own_line(stderr: str, reason: str) -> None:
    assert reason_in(stderr) == reason


@pytest.mark.parametrize(
    ("stderr", "reason"),
    [
        ("usage: s [-h] --db PATH\ns: error: --db is required\n", "s: error: --db is required"),
        (
            "Usage: s [OPTIONS]\nTry 's --help' for help.\n\nError: Missing option '--key'.\n",
            "Error: Missing option '--key'.",
        ),
        (
            "Usage: s [OPTIONS]\n╭─ Error ──────╮\n│ Missing option '--key'. │\n╰──────────────╯\n",
            "Missing option '--key'.",
        ),
        ("Error: TOKEN is required\n\nUsage: s [options]\n  --token TOKEN  the token\n", "Error: TOKEN is required"),
        ("Error: LOG_LEVEL must be DEBUG or INFO\n", "Error: LOG_LEVEL must be DEBUG or INFO"),
        (
            "error: No solution found when resolving\n  cause: Because x was not found\n\nhint: Try again.\n",
            "error: No solution found when resolving: Because x was not found",
        ),
        (
            "  × No solution found when resolving:\n  ╰─▶ Because x was not found\n      in the registry.",
            "Because x was not found",
        ),
        ("docker: No daemon.\n\nRun 'docker run --help' for more information\n", "docker: No daemon."),
        ("11:50:22 - db - ERROR - no database\n11:50:22 - db - INFO - bye\n", "11:50:22 - db - ERROR - no database"),
        ('{"level":50,"msg":"no database"}\n{"level":30,"msg":"bye"}\n', '{"level":50,"msg":"no database"}'),
        ("Missing variables:\n- API_KEY\n- REGION\n", "Missing variables: - API_KEY - REGION"),
        ("\x1b[31mno key\x1b[0m\r\n(node:7) [DEP0040] DeprecationWarning: old\n", "no key"),
        ("sh: 1: nosuch: not found\n", "sh: 1: nosuch: not found"),
        ("INFO: listening\nINFO: bye\n", "INFO: bye"),
        ("Usage: server <directory>\n", "Usage: server <directory>"),
        ("", ""),
        ("\n}\n", ""),
    ],
)  # fmt: skip
def test_what_a_program_says_itself_is_told_without_what_stands_around_it(stderr: str, reason: str) -> None:
    assert reason_in(stderr) == reason
