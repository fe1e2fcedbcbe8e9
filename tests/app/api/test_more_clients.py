"""Further clients, unmodified, each in a process of its own; they come with the extra `clients`, or from npm."""

from __future__ import annotations

import importlib.util
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.app.api.serving import Served
from tests.patience import PATIENCE_S

pytestmark = pytest.mark.campaign

NODE = Path(__file__).resolve().parent / "node_client"
QUESTION = "What is a draft model?"
LANGCHAIN = f"""
from langchain_openai import ChatOpenAI
model = ChatOpenAI(base_url=ADDRESS, api_key="none", model="starter/main", temperature=0, max_tokens=24)
whole = model.invoke({QUESTION!r}).content
assert whole == "".join(part.content for part in model.stream({QUESTION!r}))
print(whole)
"""
LITELLM = f"""
import litellm
asked = dict(model="openai/starter/main", api_base=ADDRESS, api_key="none", max_tokens=24, temperature=0,
             messages=[dict(role="user", content={QUESTION!r})])
whole = litellm.completion(**asked).choices[0].message.content
assert whole == "".join(part.choices[0].delta.content or "" for part in litellm.completion(stream=True, **asked))
print(whole)
"""
LLM = f"""
import sys
from llm.cli import cli
sys.argv = ["llm", "-m", "tandem", {QUESTION!r}, "-o", "max_tokens", "24", "-o", "temperature", "0"]
cli()
"""


def run(*command: str | Path, folder: Path | None = None, **environment: str) -> str:
    """Run a program in `folder` and return what it prints."""
    whole = {**os.environ, "OPENAI_API_KEY": "none", "LITELLM_LOCAL_MODEL_COST_MAP": "True", **environment}
    done = subprocess.run(
        command, env=whole, cwd=folder, capture_output=True, text=True, timeout=4 * PATIENCE_S, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def needs(package: str) -> None:
    if importlib.util.find_spec(package) is None:
        pytest.skip(f"{package} is not installed; the extra `clients` has it")


@pytest.mark.parametrize(
    ("package", "script"),
    [("langchain_openai", LANGCHAIN), ("litellm", LITELLM), ("llm", LLM)],
    ids=lambda one: one[:9],
)
def test_a_client_reads_the_same_answer(
    starter: Served, question: dict[str, Any], tmp_path: Path, package: str, script: str
) -> None:
    needs(package)
    (tmp_path / "extra-openai-models.yaml").write_text(
        f"- model_id: tandem\n  model_name: starter/main\n  api_base: {starter.address}/v1\n"
    )
    own = starter.chat(question | {"messages": [{"role": "user", "content": QUESTION}]})
    address = f"ADDRESS = {starter.address + '/v1'!r}\n"
    printed = run(sys.executable, "-c", address + script, LLM_USER_PATH=str(tmp_path))
    assert printed.strip() == own["choices"][0]["message"]["content"].strip()


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


def test_schemathesis_finds_no_server_error(told: Served, tmp_path: Path) -> None:
    needs("schemathesis")
    # The stream of rounds never ends by itself.
    options = ("--checks=not_a_server_error", "--max-examples=150", "--exclude-path=/v1/speculation/events")
    command = (sys.executable, "-m", "schemathesis.cli", "run", f"{told.address}/openapi.json")
    run(*command, *options, folder=tmp_path)
