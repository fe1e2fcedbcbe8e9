"""`tandem run`: `tandem chat` with the main model first, as people type who know Ollama."""

from __future__ import annotations

from typing import Any

from app.cli import chat
from app.cli.command import add_command

run = chat.run


def add_parser(subparsers: Any) -> None:
    parser = add_command(
        subparsers,
        "run",
        "chat in the terminal with this model",
        ('tandem run starter "What is a draft model?"', "tandem run mlx-community/Qwen3-8B-4bit"),
    )
    parser.add_argument("main", metavar="MODEL", help="folder, GGUF file or name of the main model")
    chat.add_options(parser, with_main=False)
    chat.add_engine_options(parser)
