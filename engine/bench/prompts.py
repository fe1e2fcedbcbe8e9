"""Benchmark prompts: five kinds of tasks in four languages, short enough for tiny models."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import msgspec
from msgspec import Meta, Struct

from engine.errors import BadRequest, require
from engine.grammars.grammar import Grammar


@dataclass(frozen=True)
class BenchPrompt:
    """One question: the kind of task, the language of the answer, and the grammar of the answer, if any."""

    kind: str
    language: str
    text: str
    grammar: Grammar | None = None
    # Whether it is read once, and every arm begins at its end.
    cached: bool = False


_CODE = """def total(items, tax):
    result = 0
    for item in items:
        result = result + item.price
    return result * tax
"""

BUILT_IN = (
    BenchPrompt("chat", "en", "What is speculative decoding, and why is it faster?"),
    BenchPrompt("chat", "ko", "추측 디코딩이 뭐예요? 왜 더 빠른가요?"),
    BenchPrompt("chat", "ja", "投機的デコーディングとは何ですか？なぜ速いのですか？"),
    BenchPrompt("chat", "zh", "推测解码是什么？为什么更快？"),
    BenchPrompt("code-edit", "en", f"Rename the variable result to amount in this code:\n{_CODE}"),
    BenchPrompt("code-edit", "ko", f"이 코드에서 변수 result의 이름을 amount로 바꿔 주세요.\n{_CODE}"),
    BenchPrompt("code-edit", "ja", f"このコードの変数 result を amount に変えてください。\n{_CODE}"),
    BenchPrompt("code-edit", "zh", f"请把这段代码里的变量 result 改名为 amount。\n{_CODE}"),
    BenchPrompt("copy", "en", "Repeat this text: The draft model guesses, and the main model checks every guess."),
    BenchPrompt("copy", "ko", "다음 문장을 그대로 반복해 주세요: 초안 모델이 추측하고 메인 모델이 모두 확인합니다."),
    BenchPrompt("copy", "ja", "次の文をそのまま繰り返してください：ドラフトモデルが推測し、メインモデルが確認します。"),
    BenchPrompt("copy", "zh", "请原样重复这句话：草稿模型先猜，主模型再逐个检查。"),
    BenchPrompt("list", "en", "Count from 1 to 20."),
    BenchPrompt("list", "ko", "1부터 20까지 세어 주세요."),
    BenchPrompt("list", "ja", "1から20まで数えてください。"),
    BenchPrompt("list", "zh", "请从1数到20。"),
    BenchPrompt("prose", "en", "Tell me what you can do, in a few sentences."),
    BenchPrompt("prose", "ko", "무엇을 할 수 있는지 몇 문장으로 알려 주세요."),
    BenchPrompt("prose", "ja", "できることを数文で教えてください。"),
    BenchPrompt("prose", "zh", "用几句话说说你能做什么。"),
)


class _PromptRow(Struct):
    text: Annotated[str, Meta(pattern=r"\S")]
    kind: str = "chat"
    language: str = ""
    schema: Any = None

    def prompt(self) -> BenchPrompt:
        grammar = None if self.schema is None else Grammar("json_schema", json.dumps(self.schema))
        return BenchPrompt(self.kind, self.language, self.text, grammar)


def read_prompts(path: Path) -> tuple[BenchPrompt, ...]:
    """Read prompts from a file: one JSON object a line with "text", and optionally "kind", "language" and "schema".

    "schema" is the JSON schema of the answer. Raises `BadRequest` if the file cannot be read or a line has no text.
    """
    try:
        lines = [line for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]
        rows = [msgspec.json.decode(line, type=_PromptRow) for line in lines]
    except (OSError, ValueError, msgspec.MsgspecError) as error:
        raise BadRequest("prompts", 'a file with one JSON object a line, each with a "text"', str(path)) from error
    require(bool(rows), "prompts", "a file with at least one prompt", str(path))
    return tuple(row.prompt() for row in rows)
