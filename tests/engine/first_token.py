"""Loads the starter pair, asks, and prints the modules that are imported when the first token is there, as JSON.

python -m tests.engine.first_token
"""

from __future__ import annotations

import json
import sys

from engine import ChatRequest, Engine, TokensCommitted, starter_pair


def main() -> None:
    with Engine() as engine:
        engine.load(*starter_pair()).result()
        stream = engine.submit(ChatRequest([{"role": "user", "content": "hi"}], max_tokens=8))
        next(event for event in stream if isinstance(event, TokensCommitted))
        print(json.dumps(sorted(sys.modules)))


if __name__ == "__main__":
    main()
