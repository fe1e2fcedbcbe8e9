"""Judges which draft models suit a main model, with a reason for each candidate, before any weight is fetched."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from engine.advice.catalog import Catalog
from engine.advice.fit import check_fit, size_of, stored_bits
from engine.advice.speedup import WORTH_IT, SpeedupEstimate, estimate_speedup, flat_speedup, is_copy, size_share
from engine.errors import ModelNotUsable
from engine.files.bounded_json import UntrustedJsonError
from engine.hub.repository_names import head_name, is_content_hash
from engine.machine.row_costs import keeps_weights
from engine.model_files.config import read_config, text_config
from engine.model_files.head_kinds import MTP
from engine.model_files.model import HeadFacts, Model
from engine.model_files.tokenizer_files import VocabularyComparison, compare, read_folder

# Imported with the first head that is judged, because the window's start imports this module.
if TYPE_CHECKING:
    from engine.heads.config import HeadConfig
    from engine.heads.fit import Mismatch

# Verdicts. same: identical ids. padded: the same ids, one model has more rows or a few more tokens. different: works
# by re-encoding, slower. unknown: its tokenizer has not been read yet. lookup: no draft model, proposals from the text.
# head: a head made for the main model. head-other: made for another, of the same shape. head-unchecked: published for
# the main model, but nothing of it has been read. head-best: as that, and published as the fastest. head-inside: the
# makers ship it with the main model. other-main: a head that cannot draft for this main model.
_UNREAD = ("head-unchecked", "head-best", "head-inside")
WORKING = ("same", "padded", "different", "unknown", "lookup", "head", "head-other", *_UNREAD, "no-gain")
VERDICTS = (*WORKING, "other-main", "too-large", "no-room", "incomplete", "not-mlx")
# Words at the end of a repository's name that name its packing, not its model.
_PACKING = frozenset(
    {
        "mlx", "bf16", "fp16", "f16", "fp8", "mxfp4", "mxfp8", "nvfp4", "dwq", "qat", "gptq", "awq", "int4", "int8",
        "gguf", "q2", "q3", "q4", "q5", "q6", "q8", "2bit", "3bit", "4bit", "5bit", "6bit", "8bit", "meta",
        "mtplx", "bare", "optimized", "speed", "quality",
    }
)  # fmt: skip

# What publishers add to the name of a main model for its heads.
OF_HEADS = re.compile(r"[-_](?:MTP|DFlash2?|DSpark|assistant|speculator|EAGLE-?3)(?![a-z0-9])", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class PairAdvice:
    """A candidate's verdict (one of `VERDICTS`) with its arguments, and the expected speedup.

    Arguments: padded (extra tokens), different (shared, percent), too-large (share, percent of the main model's work),
    no-room (needed, free), incomplete and not-mlx (reason, detail), head-other (model), head-best (source), other-main
    (what, head, main: layers, width or vocabulary that the head expects and the main model has). `expected` is None
    without a basis for an estimate: how often a model of another tokenizer agrees is only known of pairs in the
    catalog.
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
    main: Model,
    candidates: Iterable[Model],
    context: int,
    limit: int,
    measured: Mapping[str, float] | None = None,
    element_bytes: float = 2.0,
) -> list[PairAdvice]:
    """Return a verdict for every candidate and for lookup, most useful first, with the best one marked.

    Without a measurement, only a draft of the catalog's for `main`, or of its family and tokenizer, can be the best.

    `limit` is the bytes that both may use, `element_bytes` the bytes of a number in their caches.
    `measured` has the speed-ups that were measured on this machine with this main model, by id. A candidate that occurs
    twice counts once, from the first of these sources: installed, catalog, search.
    """
    order = ("installed", "catalog", "search")
    unique: dict[str, Model] = {}
    for candidate in sorted(candidates, key=lambda model: order.index(model.origin)):
        if candidate.id != main.id:
            unique.setdefault(candidate.id, candidate)
    judge = _Judge(main, context, limit, measured or {}, element_bytes)
    advice = [judge.verdict(candidate) for candidate in unique.values()]
    advice.append(PairAdvice("", "lookup", "lookup", (), 0, None))
    advice.sort(key=_rank)
    # A head, a draft model that the catalog names for the main model, or a model of its family.
    related = {
        candidate.id
        for candidate in unique.values()
        if candidate.head or candidate.id in main.drafts or candidate.family == main.family
    }
    best = next(
        (index for index, candidate in enumerate(advice) if _is_recommendable(candidate, candidate.id in related)), None
    )
    return [replace(candidate, best=index == best) for index, candidate in enumerate(advice)]


def with_files(model: Model) -> Model:
    """Return an installed model with what its small files say. Raises `ModelNotUsable` without a configuration."""
    size = model.weight_bytes or model.bytes
    model = replace(model, weight_bytes=size, active_bytes=model.active_bytes or size)
    if model.problem:
        return model
    if not model.head:
        return replace(model, config=read_config(model.config_path), tokenizer_digest=_digest_in(model.config_path))
    from engine.heads.fit import memory_config
    from engine.heads.folder import inspect_head

    try:
        head = inspect_head(Path(model.path)).config
    except ModelNotUsable as error:
        return replace(model, problem=error.reason, detail=error.detail)
    return replace(model, config=memory_config(head), facts=facts_of(head))


def facts_of(config: HeadConfig) -> HeadFacts:
    """Return the facts of a head whose tensors are known."""
    exact = config.main_layers is not None
    return HeadFacts(config.least_layers, exact, config.tap_width, config.vocabulary, config.made_for)


def against(facts: HeadFacts, config: Mapping[str, Any], vocabulary: int | None) -> Mismatch | None:
    """Return why the head cannot draft for the main model with this config.json, or None."""
    from engine.heads.fit import mismatch

    text = text_config(config)
    layers, width = (text[name] if type(text.get(name)) is int else 0 for name in ("num_hidden_layers", "hidden_size"))
    head = facts.layers, facts.width, facts.vocabulary
    return mismatch(head, (layers, width, vocabulary or 0), exact=facts.exact)


def same_model(name: str, other: str) -> bool:
    """Return whether two repositories hold the same model, in any packing, by their names."""
    return _bare(name) == _bare(other) != ("",)


def is_named_after(head: str, main: str) -> bool:
    """Return whether a head is part of the main model's repository, or is named after it as publishers do."""
    bare = bare_name(main).lower()
    name = head.rpartition("/")[2].lower()
    is_part = head == head_name(main) or head.startswith(f"{main}/")
    return is_part or (name.startswith(bare) and OF_HEADS.match(name, len(bare)) is not None)


def bare_name(repository: str) -> str:
    """Return the name of the model in a repository, without its organisation and the words of its packing."""
    name = repository.rpartition("/")[2]
    while name.replace("_", "-").rpartition("-")[2].lower() in _PACKING:
        name = name[: max(name.rfind("-"), name.rfind("_"), 0)]
    return name


def _bare(repository: str) -> tuple[str, ...]:
    words = bare_name(repository).lower().replace("_", "-").split("-")
    return tuple(words[1:] if words[0] == "meta" else words)


class _Verdict(NamedTuple):
    """What a draft model is good for."""

    # One of VERDICTS.
    code: str
    # The names and values that the sentence for the code needs.
    arguments: tuple[tuple[str, int | str], ...] = ()
    # The speed-up to expect; None if it is unknown.
    expected: SpeedupEstimate | None = None


@dataclass(frozen=True)
class _Judge:
    """Judges candidates for one main model; vocabularies are read only if needed, and compared once."""

    main: Model
    context: int
    limit: int
    measured: Mapping[str, float]
    element_bytes: float
    compared: dict[tuple[str, str], VocabularyComparison] = field(default_factory=dict)

    def verdict(self, draft: Model) -> PairAdvice:
        verdict = self._decide(draft)
        return PairAdvice(draft.id, draft.origin, verdict.code, verdict.arguments, draft.weight_bytes, verdict.expected)

    def _decide(self, draft: Model) -> _Verdict:
        """Judge a draft model by its files, its size and its vocabulary, in this order."""
        if draft.problem:
            code = "incomplete" if draft.problem == "incomplete" else "not-mlx"
            return _Verdict(code, (("reason", draft.problem), ("detail", draft.detail)))
        main = size_of(self.main, self.element_bytes)
        drafting = size_of(draft, self.element_bytes)
        fit = check_fit(main, drafting, self.context, self.limit)
        if not fit.fits:
            return _Verdict("no-room", (("needed", fit.needed), ("free", max(0, self.limit))))
        if draft.head:
            return self._head_verdict(draft)
        expected = self._expected(draft, "same")
        most = expected.speedup
        if not is_copy(draft, self.main):
            most = max(expected.most, flat_speedup(self.main, draft))
        if most < WORTH_IT and not expected.measured:
            share = round(100 * size_share(draft, self.main))
            return _Verdict("too-large", (("share", share),), expected)
        comparison = self._relation(draft)
        if comparison is None:
            return _Verdict("unknown", expected=expected)
        if comparison.relation == "different":
            shared = round(100 * comparison.shared)
            known = draft.id in self.main.drafts or expected.measured
            expected_of_different = self._expected(draft, "different") if known else None
            return _Verdict("different", (("shared", shared),), expected_of_different)
        if comparison.relation == "extended" or self.main.vocabulary_size != draft.vocabulary_size:
            return _Verdict("padded", (("extra", comparison.extra),), expected)
        return _Verdict("same", expected=expected)

    def _head_verdict(self, draft: Model) -> _Verdict:
        """Decide as `_decide` does, for a head that fits into memory."""
        main = self.main
        facts = draft.facts
        wrong = against(facts, main.config, main.vocabulary_size)
        if wrong is not None:
            return _Verdict("other-main", (("what", wrong.what), ("head", wrong.head), ("main", wrong.main)))
        expected = self._expected(draft, "same")
        if keeps_weights() and not (expected.gains or expected.measured):
            # Published costs of this Mac's chip say so.
            return _Verdict("no-gain", expected=expected)
        if not facts.checked:
            # Nothing is known yet on which an estimate could be based.
            known = expected if expected.measured else None
            if facts.best_by:
                return _Verdict("head-best", (("source", facts.best_by),), known)
            code = "head-inside" if facts.inside else "head-unchecked"
            return _Verdict(code, expected=known)
        if facts.made_for and not same_model(facts.made_for, main.id):
            return _Verdict("head-other", (("model", facts.made_for),), expected)
        return _Verdict("head", expected=expected)

    def _relation(self, draft: Model) -> VocabularyComparison | None:
        """Compare the vocabularies; None if one of them is not known."""
        main = self.main
        if main.tokenizer and main.tokenizer == draft.tokenizer:
            return VocabularyComparison("same")
        if main.tokenizer_digest and main.tokenizer_digest == draft.tokenizer_digest:
            return VocabularyComparison("same")
        # Models with one tokenizer are compared once.
        key = (draft.tokenizer, "") if draft.tokenizer else ("", draft.id)
        if key in self.compared:
            return self.compared[key]
        ours = _vocabulary_of(main)
        theirs = _vocabulary_of(draft)
        if ours is not None and theirs is not None:
            self.compared[key] = compare(ours, theirs)
            return self.compared[key]
        named = main.tokenizer_name and main.tokenizer_name == draft.tokenizer_name
        return VocabularyComparison("same") if named else None

    def _expected(self, draft: Model, relation: str) -> SpeedupEstimate:
        if (measured := self.measured.get(draft.id)) is not None:
            return SpeedupEstimate(measured, measured=True)
        return estimate_speedup(self.main, draft, relation)


def _digest_in(folder: Path) -> str:
    """Return the hash of tokenizer.json, which names its blob in the Hub's cache; "" outside of it."""
    try:
        digest = os.path.basename(os.readlink(folder / "tokenizer.json"))
    except OSError:
        return ""
    return digest if is_content_hash(digest) else ""


def _vocabulary_of(model: Model) -> dict[str, int] | None:
    if model.read_vocabulary is not None:
        return model.read_vocabulary()
    try:
        return read_folder(model.config_path) if model.path else None
    except UntrustedJsonError:
        return None


def candidates(main: Model, installed: Iterable[Model], catalog: Catalog) -> tuple[Model, list[Model]]:
    """Return the main model and its candidates: small installed models and suggestions of the catalog.

    The catalog suggests models that it names for this main model, and models with the same tokenizer.
    """
    known = catalog.models.get(main.id)
    name = known.tokenizer_name if known else ""
    suggested = known.drafts if known else ()
    if main.source != "catalog":
        main = replace(with_files(main), tokenizer_name=name, drafts=suggested)
    names = {model.id: model.tokenizer_name for model in catalog.models.values()}
    chosen = [
        replace(with_files(model), tokenizer_name=names.get(model.id, ""))
        for model in installed
        # The starter's draft model was trained for the starter's main model only.
        if (model.source != "starter" or main.source == "starter")
        and ("draft" in model.kinds or model.head or (model.problem == "incomplete" and model.id in names))
    ]
    chosen += _published_heads(main, chosen, catalog)
    chosen += [
        model
        for model in catalog.models.values()
        if "draft" in model.roles and (model.id in suggested or (name and model.tokenizer_name == name))
    ]
    return main, chosen


def published_head(main: Model, catalog: Catalog) -> Model | None:
    """Return the head, the catalog's or its makers', that should be the fastest for a main model, even if no gain."""
    heads = _published_heads(main, (), catalog)
    # The size of the makers' own is estimated, and the catalog's may be the same one.
    published = any(head.head == MTP and not head.facts.inside for head in heads)
    return _fastest(main, [head for head in heads if not (published and head.facts.inside)])


def installed_head(main: Model, installed: Iterable[Model], catalog: Catalog) -> Model | None:
    """Return the head that should be the fastest for a main model, with its files read; None if there is none.

    It is one of the `installed` heads that are made for the main model, by the catalog or by their names, and can draft
    for it. `main` must have its `config`.
    """
    made_for = {head.id: head.facts.made_for for head in catalog.heads.values()}
    heads = [
        with_files(head)
        for head in installed
        if head.head and (is_named_after(head.id, main.id) or same_model(made_for.get(head.id, ""), main.id))
    ]
    usable = [head for head in heads if not head.problem]
    fitting = [head for head in usable if against(head.facts, main.config, main.vocabulary_size) is None]
    return _fastest(main, fitting)


def _fastest(main: Model, heads: Iterable[Model]) -> Model | None:
    return max(heads, key=lambda head: estimate_speedup(main, head, "same").speedup, default=None)


def _published_heads(main: Model, chosen: Iterable[Model], catalog: Catalog) -> list[Model]:
    """Return the catalog's heads for a main model, best first, and the one inside unless it is among `chosen`."""
    heads = [head for head in catalog.heads.values() if same_model(head.facts.made_for, main.id)]
    return sorted(heads, key=lambda head: not head.facts.best_by) + _head_inside(main, chosen)


def _head_inside(main: Model, chosen: Iterable[Model]) -> list[Model]:
    """Return the MTP head that the makers of `main` ship with it, unless installed; its size is estimated."""
    from engine.heads.mtp_config import shipped_bytes

    size = shipped_bytes(main.config, main.weight_bytes, main.active_bytes, stored_bits(main.config))
    name = head_name(main.id)
    here = {model.id for model in chosen if model.head == MTP}
    is_inside = name in here or any(id_.startswith(f"{main.id}/") for id_ in here)
    if not size or main.source not in ("cache", "catalog") or is_inside:
        return []
    facts = HeadFacts(made_for=main.id, checked=False, inside=True)
    return [Model(name, "catalog", bytes=size, weight_bytes=size, active_bytes=size, head=MTP, facts=facts)]


class _PairingRank(NamedTuple):
    """How candidates are sorted: the first difference counts, and the smaller one comes first.

    The groups are: -1 measured to be faster, 0 estimated to be faster, 1 the same with an unknown tokenizer, 2 lookup,
    and 3 all others.
    """

    group: int
    # Within a group: the negative speed-up, or the place of the verdict in VERDICTS. Candidates that have not been read
    # come before all others of their group, in the order in which they are given: the catalog's best is first.
    place: float = 0.0
    weight_bytes: int = 0
    id: str = ""


def _rank(candidate: PairAdvice) -> _PairingRank:
    """Return the sort key of a candidate."""
    if candidate.verdict == "lookup":
        return _PairingRank(2)
    if candidate.verdict in _UNREAD and candidate.expected is None:
        return _PairingRank(0, place=-10.0)
    if candidate.works and candidate.expected is not None and candidate.expected.speedup >= WORTH_IT:
        # An installed model wins a near tie.
        head_start = 0.03 if candidate.source == "installed" else 0.0
        group = 1 if candidate.verdict == "unknown" else 0
        if candidate.expected.measured:
            group = -1
        return _PairingRank(group, -(candidate.expected.speedup + head_start), candidate.weight_bytes, candidate.id)
    return _PairingRank(3, float(VERDICTS.index(candidate.verdict)), candidate.weight_bytes, candidate.id)


def _is_recommendable(candidate: PairAdvice, related: bool) -> bool:
    """Whether a candidate may be marked as the best.

    An unknown tokenizer, an unchecked head, and a draft that is not `related` to the main model need a measurement
    first; lookup never does.
    """
    if candidate.verdict == "lookup":
        return True
    measured = candidate.expected is not None and candidate.expected.measured
    known = candidate.verdict not in ("head-other", "head-unchecked", "head-inside")
    return (measured or (related and known)) and _rank(candidate).group <= 0
