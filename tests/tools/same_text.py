"""Whether long answers are those of plain decoding: `python -m tests.tools.same_text [MAIN DRAFT]`.

For answers across the numbers of keys at which Metal changes its kernels for attention, prints yes or no: with "Always
the same text" the ids have to be equal, without it only where the figures say "identical". Two models with random 4-bit
weights have the heads of Qwen3 1.7B and 32B. The exit code is 1 if an answer differs.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from engine import ChatRequest, Engine, Finished
from engine.requests import SpeculationSettings
from engine.settings import EngineSettings
from tests.tiny_models import QWEN3, write_disturbed_copy, write_model

SWITCHES = (1024, 4096, 8192, 16384)
# Query heads, and those of keys.
HEADS = ((8, 4), (16, 2))
TOKENS = 96
_SHAPE = QWEN3 | {"hidden_size": 256, "head_dim": 64, "intermediate_size": 512, "max_position_embeddings": 32768}


def random_pairs(folder: Path) -> Iterator[tuple[Path, Path]]:
    """Write pairs of random models in bfloat16 and 4 bits, and yield main and draft model."""
    for heads, kv_heads in HEADS:
        config = _SHAPE | {"num_attention_heads": heads, "num_key_value_heads": kv_heads}
        main_model = write_model(folder / f"{heads}", seed=heads, config=config)
        yield main_model, write_disturbed_copy(main_model, folder / f"{heads} draft", amount=0.02)


def answer(engine: Engine, words: int, method: str, *, same_text: bool, tokens: int = TOKENS) -> Finished:
    """Return a greedy answer to a question of `words` words."""
    settings = SpeculationSettings(method=method, same_text=same_text)  # type: ignore[arg-type]
    question = [{"role": "user", "content": "the quick brown fox " * (words // 4)}]
    *_, last = engine.submit(ChatRequest(question, max_tokens=tokens, speculation=settings))
    assert isinstance(last, Finished), last
    return last


def main() -> int:
    """Run all checks; returns the exit code."""
    differ = False
    with tempfile.TemporaryDirectory() as folder:
        pairs = [tuple(sys.argv[1:3])] if len(sys.argv) == 3 else random_pairs(Path(folder))
        for main_model, draft in pairs:
            with Engine(EngineSettings(learned_file=Path(folder) / "learned.json")) as engine:
                engine.load(main_model, draft).result()
                few, many = (
                    answer(engine, words, "off", same_text=False, tokens=1).stats.prompt_tokens for words in (100, 500)
                )
                for switch in SWITCHES:
                    words = int((switch - TOKENS // 2 - few) * 400 / (many - few)) + 100
                    for same_text in (True, False):
                        plain, drafted = (
                            answer(engine, words, method, same_text=same_text) for method in ("off", "draft")
                        )
                        claimed = same_text or drafted.stats.rounding == "identical"
                        right = drafted.ids == plain.ids or not claimed
                        differ |= not right
                        said = f"{drafted.stats.drafted} draft tokens, {drafted.stats.rounding or 'nothing said'}"
                        print(f"{'yes' if right else 'no'}: {switch} keys, {same_text=}, {said}", flush=True)
    return int(differ)


if __name__ == "__main__":
    sys.exit(main())
