"""Judges which draft models suit a main model, with a reason for each candidate, before any weight is fetched."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from engine.advice.catalog import Catalog, CatalogHead, CatalogModel
from engine.advice.fit import ModelSize, check_fit, stored_bits
from engine.advice.heads import HeadFacts, against, facts_of, facts_of_config, same_model
from engine.advice.speedup import (
    WORTH_IT,
    ModelCost,
    SpeedupEstimate,
    estimate_head_speedup,
    estimate_speedup,
    flat_speedup,
)
from engine.errors import ModelNotUsable
from engine.files.bounded_json import UntrustedJsonError
from engine.hub.repository_names import head_name, is_content_hash
from engine.hub.values import RemoteModel
from engine.model_files.architecture import mlx_lm_module
from engine.model_files.config import is_quantised, read_config, text_config
from engine.model_files.discovery import InstalledModel
from engine.model_files.head_kinds import can_run, is_chained, kind_of_config
from engine.model_files.tokenizer_files import VocabularyComparison, compare, read_folder

# Verdicts. same: identical ids. padded: the same ids, one model has more rows or a few more tokens. different: works
# by re-encoding, slower. unknown: its tokenizer has not been read yet. lookup: no draft model, proposals from the text.
# head: a head made for the main model. head-other: made for another, of the same shape. head-unchecked: published for
# the main model, but nothing of it has been read. head-inside: the makers ship it with the main model. other-main: a
# head that cannot draft for this main model.
_UNREAD = ("head-unchecked", "head-inside")
WORKING = ("same", "padded", "different", "unknown", "lookup", "head", "head-other", *_UNREAD)
VERDICTS = (*WORKING, "other-main", "too-large", "no-room", "incomplete", "not-mlx")


@dataclass(frozen=True)
class PairModel:
    """A model from any source, as pairing sees it. Unknown figures are 0.

    `source` is installed, catalog or search. `read_vocabulary` returns ids by token string, or None if unknown; it is
    called only if nothing else decides. `tokenizer` is a fingerprint, `tokenizer_name` the catalog's name of it,
    `tokenizer_digest` the hash of tokenizer.json. `problem` is the reason why the model cannot be used, with `detail`.
    `head` is set for heads; if their tensors are known, `config` comes from `engine.heads.fit.memory_config`. `bits` is
    the quantisation, 16 or 32 for plain weights. `drafts` are the ids of the drafts that the catalog names for it.
    """

    id: str
    source: str
    weight_bytes: int
    active_bytes: int
    config: Mapping[str, Any] = field(default_factory=dict)
    read_vocabulary: Callable[[], dict[str, int] | None] = lambda: None
    vocabulary_size: int = 0
    tokenizer: str = ""
    tokenizer_name: str = ""
    tokenizer_digest: str = ""
    problem: str = ""
    detail: str = ""
    head: HeadFacts | None = None
    bits: int | None = None
    drafts: tuple[str, ...] = ()

    @property
    def family(self) -> str:
        """The family of its architecture: qwen3 for qwen3, qwen3_moe and qwen3_next; "" if unknown."""
        return str(self.config.get("model_type", "")).partition("_")[0]

    @property
    def cost(self) -> ModelCost:
        return ModelCost(self.weight_bytes, self.active_bytes, self.bits)


@dataclass(frozen=True, slots=True)
class PairAdvice:
    """A candidate's verdict (one of `VERDICTS`) with its arguments, and the expected speedup.

    Arguments: padded (extra tokens), different (shared, percent), too-large (share, percent of the main model's work),
    no-room (needed, free), incomplete and not-mlx (reason, detail), head-other (model), other-main (what, head, main:
    layers, width or vocabulary that the head expects and the main model has). `expected` is None without a basis for an
    estimate: how often a model of another tokenizer agrees is only known of pairs in the catalog.
    """

    id: str
    source: str
    verdict: str
    arguments: tuple[tuple[str, int | str], ...]
    weight_bytes: int
    expected: SpeedupEstimate | None
    best: bool = False

    @property
    def works(self) -> bool:
        return self.verdict in WORKING


def advise(
    main: PairModel,
    candidates: Iterable[PairModel],
    context: int,
    limit: int,
    measured: Mapping[str, float] | None = None,
    element_bytes: float = 2.0,
) -> list[PairAdvice]:
    """Return a verdict for every candidate and for lookup, most useful first, with the best one marked.

    Without a measurement, only a draft of the catalog's for `main`, or of its family and tokenizer, can be the best.

    `limit` is the bytes that both may use, `element_bytes` those of a number in their caches.
    `measured` has the speed-ups that were measured on this machine with this main model, by id. A candidate that occurs
    twice counts once, from the first of these sources: installed, catalog, search.
    """
    order = ("installed", "catalog", "search")
    unique: dict[str, PairModel] = {}
    for candidate in sorted(candidates, key=lambda model: order.index(model.source)):
        if candidate.id != main.id:
            unique.setdefault(candidate.id, candidate)
    judge = _Judge(main, context, limit, measured or {}, element_bytes)
    advice = [judge.verdict(candidate) for candidate in unique.values()]
    advice.append(PairAdvice("", "lookup", "lookup", (), 0, None))
    advice.sort(key=_rank)
    related = {candidate.id for candidate in unique.values() if judge.are_related(candidate)}
    best = next((index for index, one in enumerate(advice) if _is_recommendable(one, one.id in related)), None)
    return [replace(one, best=index == best) for index, one in enumerate(advice)]


def from_installed(model: InstalledModel, tokenizer_name: str = "") -> PairModel:
    """Return an installed model for pairing; its vocabulary is read when it is needed."""
    problem = model.problem or ("" if model.complete else "incomplete")
    if model.head:
        return _installed_head(model, problem)
    return PairModel(
        model.id,
        "installed",
        model.weight_bytes or model.disk_bytes,
        model.active_bytes or model.weight_bytes or model.disk_bytes,
        {} if problem else read_config(model.config_path),
        lambda: _vocabulary_of(model.config_path),
        model.vocabulary_size or 0,
        model.tokenizer,
        tokenizer_name,
        _digest_in(model.config_path),
        problem,
        model.detail,
        bits=model.bits,
    )


def from_catalog(model: CatalogModel) -> PairModel:
    """Return a model of the catalog for pairing."""
    return PairModel(
        model.id,
        "catalog",
        model.bytes,
        model.active_bytes,
        model.memory_config,
        vocabulary_size=model.vocabulary_size,
        tokenizer_name=model.tokenizer,
        bits=model.bits,
        drafts=model.drafts,
    )


def _installed_head(model: InstalledModel, problem: str) -> PairModel:
    found = PairModel(
        model.id, "installed", model.weight_bytes or model.disk_bytes, model.active_bytes, problem=problem,
        detail=model.detail, head=HeadFacts(model.head),
    )  # fmt: skip
    if problem:
        return found
    from engine.heads.fit import memory_config
    from engine.heads.folder import inspect_head

    try:
        head = inspect_head(Path(model.path)).config
    except ModelNotUsable as error:
        return replace(found, problem=error.reason, detail=error.detail)
    return replace(found, config=memory_config(head), head=facts_of(head))


def from_catalog_head(head: CatalogHead) -> PairModel:
    """Return a head of the catalog for pairing."""
    facts = HeadFacts(head.kind, made_for=head.made_for, checked=head.checked)
    return PairModel(head.id, "catalog", head.bytes, head.bytes, head=facts)


def from_remote(model: RemoteModel) -> PairModel:
    """Return a repository, whose small files have been read, for pairing."""
    if (kind := kind_of_config(model.config)) is not None:
        problem = "" if can_run(kind) else "unknown-head"
        return PairModel(
            model.id, "search", model.weight_bytes, model.weight_bytes, problem=problem,
            detail=kind if problem else "", head=facts_of_config(model.config, kind),
        )  # fmt: skip
    size = text_config(model.config).get("vocab_size")
    known = mlx_lm_module(model.config) is not None
    return PairModel(
        model.id,
        "search",
        model.weight_bytes,
        model.weight_bytes,
        model.config,
        model.read_vocabulary,
        size if type(size) is int else 0,
        tokenizer_digest=model.tokenizer_digest,
        problem="" if known else "unknown-architecture",
        detail="" if known else str(model.config.get("model_type", "")),
        bits=None if is_quantised(model.config) else 16,
    )


class _Judge:
    """Judges candidates for one main model; vocabularies are read only if needed, and compared once."""

    def __init__(
        self,
        main: PairModel,
        context: int,
        limit: int,
        measured: Mapping[str, float],
        element_bytes: float,
    ) -> None:
        self._main = main
        self._measured = {name: SpeedupEstimate(speedup, measured=True) for name, speedup in measured.items()}
        self._context, self._limit, self._element_bytes = context, limit, element_bytes
        self._compared: dict[tuple[str, str], VocabularyComparison] = {}

    def are_related(self, draft: PairModel) -> bool:
        """Whether a draft is a head, one that the catalog names for the main model, or a model of its family."""
        main = self._main
        return draft.head is not None or draft.id in main.drafts or draft.family == main.family

    def verdict(self, draft: PairModel) -> PairAdvice:
        code, arguments, expected = self._decide(draft)
        return PairAdvice(draft.id, draft.source, code, arguments, draft.weight_bytes, expected)

    def _decide(self, draft: PairModel) -> tuple[str, tuple[tuple[str, int | str], ...], SpeedupEstimate | None]:
        if draft.problem:
            code = "incomplete" if draft.problem == "incomplete" else "not-mlx"
            return code, (("reason", draft.problem), ("detail", draft.detail)), None
        fit = check_fit(self._size(self._main), self._size(draft), self._context, self._limit)
        if not fit.fits:
            return "no-room", (("needed", fit.needed), ("free", max(0, self._limit))), None
        if draft.head is not None:
            return self._head_verdict(draft, draft.head)
        expected = self._expected(draft, "same")
        most = expected.speedup
        if not draft.cost.is_copy_of(self._main.cost):
            most = max(expected.most, flat_speedup(self._main.cost, draft.cost))
        if most < WORTH_IT and not expected.measured:
            share = round(100 * draft.cost.step / self._main.cost.step)
            return "too-large", (("share", share),), expected
        comparison = self._relation(draft)
        if comparison is None:
            return "unknown", (), expected
        if comparison.relation == "different":
            shared = round(100 * comparison.shared)
            known = draft.id in self._main.drafts or expected.measured
            return "different", (("shared", shared),), self._expected(draft, "different") if known else None
        if comparison.relation == "extended" or self._main.vocabulary_size != draft.vocabulary_size:
            return "padded", (("extra", comparison.extra),), expected
        return "same", (), expected

    def _head_verdict(
        self, draft: PairModel, facts: HeadFacts
    ) -> tuple[str, tuple[tuple[str, int | str], ...], SpeedupEstimate | None]:
        main = self._main
        wrong = against(facts, main.config, main.vocabulary_size)
        if wrong is not None:
            return "other-main", (("what", wrong.what), ("head", wrong.head), ("main", wrong.main)), None
        chained = is_chained(facts.kind)
        expected = self._measured.get(draft.id) or estimate_head_speedup(main.cost, draft.weight_bytes, chained=chained)
        if not facts.checked:
            # Nothing is known yet on which an estimate could be based.
            code = "head-inside" if facts.inside else "head-unchecked"
            return code, (), expected if expected.measured else None
        if facts.made_for and not same_model(facts.made_for, main.id):
            return "head-other", (("model", facts.made_for),), expected
        return "head", (), expected

    def _relation(self, draft: PairModel) -> VocabularyComparison | None:
        """Compare the vocabularies; None if one of them is not known."""
        main = self._main
        if main.tokenizer and main.tokenizer == draft.tokenizer:
            return VocabularyComparison("same")
        if main.tokenizer_digest and main.tokenizer_digest == draft.tokenizer_digest:
            return VocabularyComparison("same")
        key = (draft.tokenizer, draft.id if not draft.tokenizer else "")
        if key in self._compared:
            return self._compared[key]
        ours, theirs = main.read_vocabulary(), draft.read_vocabulary()
        if ours is not None and theirs is not None:
            self._compared[key] = compare(ours, theirs)
            return self._compared[key]
        named = main.tokenizer_name and main.tokenizer_name == draft.tokenizer_name
        return VocabularyComparison("same") if named else None

    def _expected(self, draft: PairModel, relation: str) -> SpeedupEstimate:
        main, measured = self._main, self._measured.get(draft.id)
        return measured or estimate_speedup(main.cost, draft.cost, relation)

    def _size(self, model: PairModel) -> ModelSize:
        return ModelSize(model.id, model.weight_bytes, model.config, self._element_bytes)


def _digest_in(folder: Path) -> str:
    """Return the hash of tokenizer.json, which names its blob in the Hub's cache; "" outside of it."""
    try:
        digest = os.path.basename(os.readlink(folder / "tokenizer.json"))
    except OSError:
        return ""
    return digest if is_content_hash(digest) else ""


def _vocabulary_of(folder: Path) -> dict[str, int] | None:
    try:
        return read_folder(folder)
    except UntrustedJsonError:
        return None


def candidates(
    main: InstalledModel | CatalogModel, installed: Iterable[InstalledModel], catalog: Catalog
) -> tuple[PairModel, list[PairModel]]:
    """Return the main model and its candidates: small installed models and suggestions of the catalog.

    The catalog suggests models that it names for this main model, and models with the same tokenizer.
    """
    known = catalog.models.get(main.id)
    name = known.tokenizer if known else ""
    suggested = known.drafts if known else ()
    if isinstance(main, CatalogModel):
        subject = from_catalog(main)
    else:
        subject = replace(from_installed(main, name), drafts=suggested)
    names = {model.id: model.tokenizer for model in catalog.models.values()}
    found = [
        from_installed(model, names.get(model.id, ""))
        for model in installed
        # The starter's draft model was trained for the starter's main model only.
        if (model.source != "starter" or (isinstance(main, InstalledModel) and main.source == "starter"))
        and ("draft" in model.kinds or model.head or (model.problem == "incomplete" and model.id in names))
    ]
    found += [from_catalog_head(head) for head in catalog.heads.values() if same_model(head.made_for, main.id)]
    found += _head_inside(main, subject, found)
    found += [
        from_catalog(model)
        for model in catalog.models.values()
        if "draft" in model.roles and (model.id in suggested or (name and model.tokenizer == name))
    ]
    return subject, found


def _head_inside(
    main: InstalledModel | CatalogModel, subject: PairModel, found: Iterable[PairModel]
) -> list[PairModel]:
    """Return the MTP head that the makers of `main` ship with it, unless installed; its size is estimated."""
    from engine.heads.mtp_config import shipped_bytes

    size = shipped_bytes(subject.config, subject.weight_bytes, subject.active_bytes, stored_bits(subject.config))
    repository = isinstance(main, CatalogModel) or main.source == "cache"
    name = head_name(main.id)
    here = {one.id for one in found if one.head is not None and one.head.kind == "mtp"}
    if not size or not repository or name in here or any(id_.startswith(f"{main.id}/") for id_ in here):
        return []
    facts = HeadFacts("mtp", made_for=main.id, checked=False, inside=True)
    return [PairModel(name, "catalog", size, size, head=facts)]


def _rank(one: PairAdvice) -> tuple[int, float, int, str]:
    """Return the sort key: those measured to be faster, by speed-up, those estimated to be, lookup, and the rest.

    Among the estimated ones, those whose tokenizer is unknown are last.
    """
    if one.verdict == "lookup":
        return (2, 0.0, 0, "")
    if one.verdict in _UNREAD and one.expected is None:
        # In the order of the candidates: the catalog's is best first.
        return (0, -10.0, 0, "")
    if one.works and one.expected is not None and one.expected.speedup >= WORTH_IT:
        # An installed model wins a near tie.
        head_start = 0.03 if one.source == "installed" else 0.0
        group = -1 if one.expected.measured else 1 if one.verdict == "unknown" else 0
        return (group, -(one.expected.speedup + head_start), one.weight_bytes, one.id)
    return (3, float(VERDICTS.index(one.verdict)), one.weight_bytes, one.id)


def _is_recommendable(one: PairAdvice, related: bool) -> bool:
    """Return whether it may be marked as the best.

    An unknown tokenizer, an unchecked head, and a draft that is not `related` to the main model need a measurement.
    """
    if one.verdict == "lookup":
        return True
    measured = one.expected is not None and one.expected.measured
    return (measured or (related and one.verdict not in ("head-other", *_UNREAD))) and _rank(one)[0] <= 0
