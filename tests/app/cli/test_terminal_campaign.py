"""No stranger's words write control characters to a terminal."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from tests.app.cli.terminal import ATTACK, ATTACKED_CHAT, DRAWING, on_a_terminal
from tests.app.cli.terminal import controls as controls_in
from tests.engine.hub.nasty_hub import answer as raw_answer
from tests.fakehub.server import FakeHub, Fault
from tests.tiny_models import QWEN3, write_model

pytestmark = pytest.mark.campaign
COMMIT = "0" * 40
ESCAPES = "\x1b]0;PWNED\x07\x9b2J\u202e\x7f"
SPELT = ("&#x202e;", "&#27;[2J", "&#13;", "%1B%5D0;%07", "%E2%80%AE", "\x1b[2J", "\u2066")
FORMS = (
    "<http://a.example/{}>",
    "[a]({})",
    "![a](http://a.example/{})",
    "`{}`",
    "# {}",
    "| {} |\n|---|\n| {} |",
    "> {}",
    "http://a.example/{}",
    "<a@example.org?{}>",
    "```{}\na\n```",
    "[a]: http://a.example/{}\n\n[a]",
    "<b>{}</b>",
    "1. {}",
)


def commands(home: Path) -> list[list[str]]:
    """Return commands that show a stranger's words: names in the cache, of files, and of what the person typed."""
    for name, kind in ((f"na{ESCAPES}me", "qwen3"), ("broken", ESCAPES)):
        folder = home / "huggingface" / "hub" / f"models--org--{name}" / "snapshots" / COMMIT
        write_model(folder, seed=1, config=QWEN3)
        config = json.loads((folder / "config.json").read_text())
        (folder / "config.json").write_text(json.dumps(config | {"model_type": kind}))
    files = [str(home / f"{ESCAPES}.{ending}") for ending in ("txt", "pdf", "png")]
    for file in files:
        Path(file).write_text(ESCAPES)
    asked = ["chat", "--max-tokens", "2", "Hi"]
    return [
        *(["models", *words] for words in (["list"], ["list", "--json"], ["show", "org/broken"], ["pairs", ESCAPES])),
        *([*asked, "--file", file] for file in files[:2]),
        *(
            [*asked, option, value]
            for option, value in (("--image", files[2]), ("--main", ESCAPES), ("--seed", ESCAPES))
        ),
        *([command, ESCAPES] for command in ("run", "stop", "connect", "bench", "serve", "show", "rm")),
        [ESCAPES],
    ]


def test_no_stranger_writes_control_characters_to_a_terminal(own_home: Path) -> None:
    ran = [on_a_terminal([sys.executable, "-m", "app", *words]) for words in commands(own_home)]
    answer = "\n\n".join(form.replace("{}", spelt) for form in FORMS for spelt in SPELT)
    program = ATTACKED_CHAT.replace(repr(ATTACK), repr(answer))
    ran += [on_a_terminal([sys.executable, "-c", program, "chat", "Hi"], kind) for kind in ("xterm", "dumb")]
    item = {"id": "org/m", "sha": COMMIT, "tags": ["mlx", f"license:{ESCAPES}"], "downloads": 5, "siblings": []}
    with FakeHub() as hub:
        hub.api_faults["/api/models"] = Fault(raw=raw_answer(json.dumps([item], ensure_ascii=False).encode()))
        for words in (
            ["search", "x"],
            ["search", "x", "--json"],
            ["download", f"org/{ESCAPES}"],
            ["download", "org/m"],
        ):
            ran.append(on_a_terminal([sys.executable, "-m", "app", "models", *words, "--endpoint", hub.endpoint]))
    said = [text for _, text in ran]
    print(len(said), "commands,", len(FORMS) * len(SPELT), "texts in the answer")
    assert sum("PWNED" in text for text in said) > 12
    assert [text for text in said if controls_in(DRAWING.sub("", text))] == []
