"""Counts how many outputs of llama.cpp's tests are split as their authors say: thoughts, reply and calls.

`python -m tests.tools.real_answers FOLDER` fetches the tests into FOLDER and prints the figures, and each output that
is split in another way. Each output is fed to the API's `AnswerParts` whole and a character at a time, with the form of
calls and the opening mark that a model with its template would have.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

from transformers.utils import logging

from app.text.answer_parts import AnswerParts
from engine.call_forms.table import call_form
from engine.errors import TemplateFailed
from engine.model_files.thought_marks import opened_thought
from engine.tokenizers.prompt_texts import tool_format_of
from engine.tokenizers.prompts import local_decoder, render
from engine.tokenizers.thinking import thinking_of
from tests.tools.llama_cases import LlamaCase, read_cases
from tests.tools.real_material import CASES, LLAMA, fetch, load_with, templates

# Control tokens that end a turn: the engine stops at them.
_ENDS = re.compile(r"(?:<\|(?:eot|role_end|END_OF_TURN_TOKEN|return|call)\|>|<end_turn>)$")


class Model:
    """What a model with a chat template would tell the API; `written` are its outputs."""

    def __init__(self, template: str, written: str, folder: Path) -> None:
        self._tokenizer = load_with(template, folder, written)
        self._thinking = thinking_of(self._tokenizer)
        self.form = tool_format_of(self._tokenizer)

    def opening(self, case: LlamaCase) -> str:
        """Return the mark that opens thoughts at the end of the prompt."""
        chosen = "on" if case.set.get("enable_thinking", True) else "off"
        options = self._thinking.options(chosen) or {"enable_thinking": chosen == "on"}
        messages = [{"role": "user", "content": "Hey there!"}]
        for tools in (case.tools, []):
            try:
                prompt = render(self._tokenizer, messages, options, tools)
            except TemplateFailed:
                continue
            return opened_thought(local_decoder(self._tokenizer)(prompt))
        return ""


def found(case: LlamaCase, model: Model, step: int) -> tuple[str, str, list[Any]]:
    """Return the thoughts, the reply and the calls of an output that arrives in pieces of `step` characters."""
    form = call_form(model.form) if model.form and case.tools else None
    parts, opening, output = AnswerParts(form, case.tools), model.opening(case), _ENDS.sub("", case.output)
    for start in range(0, len(output), step):
        parts.add(output[start : start + step], opening)
    parts.add("", opening, ended=True)
    calls = [(call.name, json.loads(call.arguments)) for call in parts.calls]
    return parts.reasoning.strip(), parts.content.strip(), calls


def expected(case: LlamaCase) -> tuple[str, str, list[Any]]:
    """Return what the authors of the tests say."""
    calls = [(name, json.loads(arguments)) for name, arguments in case.calls]
    return case.reasoning.strip(), case.content.strip(), calls


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--template", default="", help="only templates with this in their name")
    chosen = parser.parse_args()
    logging.set_verbosity_error()
    texts = templates(chosen.folder)
    cases = read_cases((fetch(LLAMA, chosen.folder) / CASES).read_text(encoding="utf-8"))
    models: dict[str, Model] = {}
    counted: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as place:
        for case in cases:
            if case.skipped or chosen.template not in case.template:
                counted[f"left out, {case.skipped or 'not chosen'}"] += 1
                continue
            if case.template not in models:
                written = "".join(other.output for other in cases if other.template == case.template)
                models[case.template] = Model(texts[case.template], written, Path(place) / str(len(models)))
            model = models[case.template]
            wanted, results = expected(case), [found(case, model, step) for step in (len(case.output), 1)]
            right = all(result == wanted for result in results)
            counted["right" if right else f"wrong, {(model.form and 'with') or 'without'} a form of calls"] += 1
            if not right:
                print(f"--- {case.template} ({model.form or 'no form'})\n{case.output!r}\n  wanted {wanted}")
                print("\n".join(f"  found  {result}" for result in results if result != wanted))
    print(*(f"{count:4} {name}" for name, count in counted.most_common()), sep="\n", file=sys.stderr)


if __name__ == "__main__":
    main()
