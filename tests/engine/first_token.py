"""Loads a pair, asks, and prints the modules that are imported when the first token is there, as JSON.

python -m tests.engine.first_token [MAIN LEARNED_FILE]
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from engine import ChatRequest, Engine, EngineSettings, TokensCommitted, starter_pair


def main(arguments: list[str]) -> None:
    pair = (arguments[0],) if arguments else starter_pair()
    with Engine(EngineSettings(learned_file=Path(arguments[1]) if arguments else None)) as engine:
        engine.load(*pair).result()
        stream = engine.submit(ChatRequest([{"role": "user", "content": "hi"}], max_tokens=8))
        next(event for event in stream if isinstance(event, TokensCommitted))
        print(json.dumps(sorted(sys.modules)))


if __name__ == "__main__":
    main(sys.argv[1:])
