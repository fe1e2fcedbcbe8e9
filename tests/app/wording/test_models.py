"""Every verdict has a sentence in every language; no menu is empty, and every grey row says why."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtWidgets import QLabel

from app.library.entries import Entry, with_places
from app.system.language import LANGUAGES
from app.widgets.application import Application
from app.wording import models as wording
from app.wording.errors import MODEL_REASONS
from engine.advice.fit import FitReport, MemoryTerm
from engine.advice.pairing import VERDICTS, WORKING, PairAdvice
from engine.advice.speedup import SpeedupEstimate
from engine.errors import ModelNotUsable
from tests.app.conftest import OpenShown
from tests.app.shown_library import ADVICE

ARGUMENTS = (
    ("extra", 4), ("shared", 41), ("share", 49), ("needed", 22_500_000_000), ("free", 21_300_000_000),
    ("reason", "unknown-architecture"), ("detail", "model.safetensors"),
    ("model", "Qwen/Qwen3-14B"), ("what", "layers"), ("head", 36), ("main", 28),
)  # fmt: skip


def advice(verdict: str, reason: str = "unknown-architecture") -> PairAdvice:
    arguments = tuple((key, reason if key == "reason" else value) for key, value in ARGUMENTS)
    return PairAdvice("org/draft", "catalog", verdict, arguments, 10**9, SpeedupEstimate(1.4))


def in_every_language(qapp: Application, sentence: object) -> list[str]:
    said = []
    for language in LANGUAGES:
        qapp.language.choose(language)
        said.append(sentence())  # type: ignore[operator]
    return said


@pytest.mark.parametrize(
    ("main", "draft", "name"),
    [
        ("starter/main", "starter/draft", "Starter + Starter draft"),
        ("starter/main", "", "Starter"),
        ("starter/main", "starter/head", "Starter + Starter head"),
        ("mlx-community/Qwen3-8B-4bit", "mlx-community/Qwen3-0.6B-4bit", "Qwen3 8B + Qwen3 0.6B"),
    ],
)
@pytest.mark.usefixtures("qapp")
def test_figures_name_a_pair_as_the_pickers_do(main: str, draft: str, name: str) -> None:
    assert wording.pair_name(main, draft) == name


@pytest.mark.usefixtures("qapp")
@pytest.mark.parametrize(
    ("parts", "words"),
    [
        ((330_000_000, 0, 330_000_000), "weights 0.3 GB + context 0.4 GB = 0.7"),
        ((5_960_000_000, 660_000_000, 660_000_000), "weights 6.0 GB + draft 0.7 GB + context 0.6 GB = 7.3"),
        ((840_000_000, 60_000_000, 360_000_000), "weights 0.8 GB + draft 0.1 GB + context 0.4 GB = 1.3"),
    ],
)
def test_the_parts_of_memory_add_up_as_they_are_shown(parts: tuple[int, int, int], words: str) -> None:
    codes = (("weights", "main"), ("weights", "draft"), ("cache", "main"))
    terms = tuple(MemoryTerm(*code, size) for code, size in zip(codes, parts, strict=True))
    assert wording.fit_words(FitReport(terms, 8192, 10**10)).replace("\u00a0", " ") == f"{words} GB"


@pytest.mark.usefixtures("qapp")
def test_models_of_one_name_are_told_apart_by_their_publisher_or_folder() -> None:
    paths = {"mlx-community/gemma3": "hub/a", "other/gemma3": "hub/b", "gemma3": "mine/gemma3", "qwen3": "mine/qwen3"}
    entries = [Entry(id_, "folder", id_.rpartition("/")[2], path, installed=True) for id_, path in paths.items()]
    names = [wording.entry_name(entry) for entry in with_places(entries)]
    assert names == ["gemma3 (mlx-community)", "gemma3 (other)", "gemma3 (mine)", "qwen3"]
    twins = [Entry("gemma3", "folder", "gemma3", f"{disk}/mine/gemma3", installed=True) for disk in ("a", "b")]
    assert [entry.place for entry in with_places(twins)] == ["a/mine/gemma3", "b/mine/gemma3"]


@pytest.mark.usefixtures("qapp")
def test_an_adapter_without_its_main_model_has_the_remedy() -> None:
    entry = Entry("pirate", "folder", "pirate", "mine/pirate", problem="no-base", detail="org/smol")
    words = wording.facts_words(entry)
    assert "org/smol" in words
    assert "Put the adapter into the folder of its main model." in words


@pytest.mark.parametrize("verdict", VERDICTS)
def test_every_verdict_is_a_sentence_of_its_own(qapp: Application, verdict: str) -> None:
    said = in_every_language(qapp, lambda: wording.verdict_words(advice(verdict)))
    assert len(set(said)) == len(LANGUAGES)
    assert all(sentence and "{" not in sentence for sentence in said)
    said = in_every_language(qapp, lambda: wording.as_draft_words(advice(verdict), "Qwen3 8B"))
    assert all("Qwen3 8B" in sentence and "{" not in sentence for sentence in said)


def test_every_reason_why_a_model_cannot_be_used_has_words(qapp: Application) -> None:
    for what in ("layers", "width", "vocabulary"):
        arguments = (("what", what), ("head", 1234), ("main", 36))
        one = PairAdvice("org/head", "catalog", "other-main", arguments, 10**9, None)
        said = in_every_language(qapp, lambda one=one: wording.verdict_words(one))
        assert len(set(said)) == len(LANGUAGES), what
        assert all("1,234" in sentence and "36" in sentence for sentence in said)
    assert set(MODEL_REASONS) >= set(ModelNotUsable.REASONS)
    for reason in ModelNotUsable.REASONS:
        said = in_every_language(qapp, lambda reason=reason: wording.verdict_words(advice("not-mlx", reason)))
        assert len(set(said)) == len(LANGUAGES), reason


def test_a_menu_without_a_draft_and_every_row_that_cannot_be_chosen_say_why(
    open_shown: OpenShown, qapp: Application
) -> None:
    window, library, _ = open_shown()
    bad = [verdict for verdict in VERDICTS if verdict not in WORKING]
    broken = (replace(one, verdict=verdict, arguments=ARGUMENTS) for one, verdict in zip(ADVICE, bad, strict=False))
    library.shown_advice = tuple(broken)
    window.header.draft.click()
    picker = window.picker("draft")
    grey = [index for index, choice in enumerate(picker.choices) if not choice.usable]
    assert len(grey) >= 3
    for index in grey:
        assert any(label.text().endswith(".") for label in picker.row(index).findChildren(QLabel))
    picker.picker.close_overlay()
    library.shown_advice = tuple(one for one in ADVICE if one.verdict == "lookup")
    window.header.draft.click()
    picker = window.picker("draft")
    assert [choice.kind for choice in picker.choices] == ["lookup", "none"]
    said = in_every_language(qapp, lambda: (picker.picker.refresh(), picker.note_text)[1])
    assert said[0] == "No matching draft model is installed or in the catalog. Prompt lookup needs none."
    assert len(set(said)) == len(LANGUAGES)


def test_a_choice_says_what_its_conversion_changes(qapp: Application) -> None:
    entry = Entry("org/a/a-Q3_K_M", "search", bytes=4_000_000_000, is_gguf_file=True)
    said = in_every_language(qapp, lambda: wording.quantisation_words(entry, ""))
    assert said[0].replace("\u00a0", " ") == "Q3_K_M · 4.0 GB · changes weights by up to 3.2%"
    assert len(set(said)) == len(LANGUAGES)
    assert "%" not in wording.quantisation_words(replace(entry, id="org/a/a-Q4_K_M"), "")
