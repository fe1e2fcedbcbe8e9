"""Look at this process's assertions against sleep, which pmset lists, while answers are written and after them."""

from __future__ import annotations

import os
import subprocess

from engine import ChatRequest, Engine, starter_pair

# More than end before pmset does.
ANSWERS = 64


def main() -> None:
    """Ask many questions. Raises `SystemExit` unless there is an assertion during an answer and none after the last."""
    question = ChatRequest([{"role": "user", "content": "Hello"}], max_tokens=128)
    with Engine() as engine:
        engine.load(*starter_pair()).result()
        answers = [engine.submit(question) for _ in range(ANSWERS)]
        next(iter(answers[0]))
        during = is_kept_awake()
        for answer in reversed(answers):
            answer.cancel()
            list(answer)
        engine.status().result()
        after = is_kept_awake()
    if after or not during:
        raise SystemExit(f"an assertion during an answer: {during}, after it: {after}")
    print("an assertion during an answer, none after it")


def is_kept_awake() -> bool:
    """Return whether this process has an assertion by which Tandem keeps the Mac awake."""
    listed = subprocess.run(["pmset", "-g", "assertions"], capture_output=True, text=True)
    return any(f"pid {os.getpid()}(" in line and "Tandem" in line for line in listed.stdout.splitlines())


if __name__ == "__main__":
    main()
