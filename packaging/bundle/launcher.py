"""The bundle's entry point: the command tandem, or a process that is a sandbox, drafts ahead or guards tools."""

from __future__ import annotations

import sys


def main() -> int:
    # Nothing may be imported before this: of the other processes, only the sandbox that draws has Qt.
    if sys.argv[1:2] == ["--sandbox"]:
        from engine.sandbox.worker import main as serve

        serve(sys.argv[2:])
        return 0
    if sys.argv[1:2] == ["--draft-runner"]:
        from engine.ahead.runner import main as draft

        draft(sys.argv[2:])
        return 0
    if sys.argv[1:2] == ["--tool-server"]:
        from app.tools.guardian import main as guard

        guard(sys.argv[2:])
        return 0
    from app.__main__ import main as run

    return run()


if __name__ == "__main__":
    sys.exit(main())
