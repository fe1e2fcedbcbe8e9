"""Further clients, unmodified, each in a process of its own, from PyPI and npm."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.app.api.serving import Served
from tests.patience import PATIENCE_S

pytestmark = pytest.mark.campaign

HERE = Path(__file__).resolve().parent
NODE, PYTHON = HERE / "node_client", HERE / "python_clients"
QUESTION = "What is a draft model?"
CLIENTS = sorted(path.stem.removeprefix("ask_") for path in PYTHON.glob("ask_*.py"))


def run(*command: str | Path, folder: Path | None = None, **environment: str) -> str:
    """Run a program in `folder` and return what it prints."""
    whole = {**os.environ, "OPENAI_API_KEY": "none", "LITELLM_LOCAL_MODEL_COST_MAP": "True", **environment}
    done = subprocess.run(
        command, env=whole, cwd=folder, capture_output=True, text=True, timeout=4 * PATIENCE_S, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture
def python() -> Path:
    """The Python that has the clients."""
    found = PYTHON / ".venv/bin/python"
    if not found.exists():
        pytest.skip(f"the clients are not installed: {PYTHON.relative_to(Path.cwd())}/requirements.txt says how")
    return found


@pytest.mark.parametrize("client", CLIENTS)
def test_a_client_reads_the_same_answer_and_does_what_it_is_for(
    starter: Served, caller: Served, question: dict[str, Any], tmp_path: Path, python: Path, client: str
) -> None:
    (tmp_path / "extra-openai-models.yaml").write_text(
        f"- model_id: tandem\n  model_name: starter/main\n  api_base: {starter.address}/v1\n"
    )
    own = starter.chat(question | {"messages": [{"role": "user", "content": QUESTION}]})
    arguments = (QUESTION, starter.address, caller.address)
    printed = run(python, PYTHON / f"ask_{client}.py", *arguments, LLM_USER_PATH=str(tmp_path))
    # A client that refuses an answer of limited length asks for all of it.
    assert printed.strip().startswith(own["choices"][0]["message"]["content"].strip())
    assert starter.api.status.under_way == caller.api.status.under_way == ()


def test_the_clients_of_npm_read_the_same_answer(starter: Served, question: dict[str, Any]) -> None:
    node = shutil.which("node")
    if node is None:
        pytest.skip("node is not installed")
    if not (NODE / "node_modules").is_dir():
        pytest.skip(f"the clients are not installed: npm ci --ignore-scripts --prefix {NODE.relative_to(Path.cwd())}")
    found = json.loads(run(node, "client.mjs", starter.address, folder=NODE))
    own = starter.chat(question | {"messages": [{"role": "user", "content": QUESTION}]})
    assert found["text"] == own["choices"][0]["message"]["content"]
    assert found["models"] == ["starter/main", "starter/draft", "starter/head"]
    assert starter.api.status.under_way == ()


def test_schemathesis_finds_no_server_error(told: Served, tmp_path: Path, python: Path) -> None:
    # The stream of rounds never ends by itself.
    options = ("--checks=not_a_server_error", "--max-examples=150", "--exclude-path=/v1/speculation/events")
    command = (python, "-m", "schemathesis.cli", "run", f"{told.address}/openapi.json")
    run(*command, *options, folder=tmp_path)
