"""Words for models: names, verdicts on drafts, memory as a sum, and the state of downloads."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from PySide6.QtCore import QLocale, QObject

from app.conversations.measured import is_gain
from app.session.model_names import short_name
from app.settings.declarations import SETTINGS
from app.settings.engine_settings import own_sampling, recommended_of
from app.wording.errors import error_sentence, reason_sentence, unusable_sentence
from app.wording.figures import accepted_words, as_fast, capitalized, number, percent, times, times_between
from app.wording.hub import size_words
from app.wording.sentences import Sentences, translate
from app.wording.sources import recorded_name, source_name
from engine.gguf.names import change_of, tag_of

if TYPE_CHECKING:
    from app.conversations.request_history import Totals
    from app.library.entries import Entry
    from app.library.model_choices import ModelChoice
    from engine.advice.fit import FitReport
    from engine.advice.pairing import PairAdvice
    from engine.advice.speedup import SpeedupEstimate
    from engine.hub.download_state import DownloadStatus
    from engine.status import ModelInfo

_LICENCES = {"apache-2.0": "Apache 2.0", "mit": "MIT", "gemma": "Gemma"}
_LICENCES |= {f"llama3.{number}": f"Llama 3.{number}" for number in (1, 2, 3)}


def model_name(name: str, bits: int | None) -> str:
    """Return "Qwen3 8B · 4-bit", or the name alone if the weights are unquantised or unknown."""
    if bits in (None, 0, 16, 32):
        return name
    return translate("Models", "{name} · {bits}-bit").format(name=name, bits=bits)


def crowded_sentence() -> str:
    """Return words that say that models which were just loaded may make other programs slower."""
    return translate("Models", "The models take more memory than is free, so other apps may get slower.")


def recommendation_text(main: ModelInfo | None) -> str:
    """List the sampling that the authors of the loaded model recommend, and Tandem's own; "" without a model."""
    if main is None:
        return ""
    recommended = recommended_of(main.sampling)
    texts = (
        (translate("Models", "Recommended for {model}: {values}"), recommended),
        (translate("Models", "Tandem's own for {model}: {values}"), own_sampling(recommended)),
    )
    name = recorded_name(main.name)
    return "\n".join(text.format(model=name, values=_listed(values)) for text, values in texts if values)


def _listed(sampling: Mapping[str, float]) -> str:
    return " · ".join(
        f"{translate('Settings', SETTINGS[key].title)} {number(value, 0 if isinstance(value, int) else 2)}"
        for key, value in sampling.items()
    )


def entry_name(entry: Entry) -> str:
    if entry.is_starter:
        return recorded_name(entry.recorded_as)
    name = model_name(entry.name, entry.bits)
    return translate("Models", "{name} ({place})").format(name=name, place=entry.place) if entry.place else name


def pair_name(main: str, draft: str) -> str:
    """Return "Qwen3 8B + Qwen3 0.6B", or the main model's name alone without a draft."""
    return " + ".join(recorded_name(name) for name in (main, draft) if name)


def choice_name(choice: ModelChoice) -> str:
    """Return the first line of a row in a picker: the name of its model, or its effect if it has no model."""
    if choice.kind == "lookup":
        return capitalized(source_name("ngram"))
    if choice.kind == "none":
        return translate("Models", "No draft")
    if choice.kind in ("more", "fewer"):
        return translate("Models", "Get more…")
    if choice.kind == "unload":
        main = choice.pair.main if choice.pair is not None else None
        return translate("Models", "Unload {name}").format(name=recorded_name(main.name) if main is not None else "")
    return entry_name(choice.entry) if choice.entry is not None else ""


def choice_sentence(choice: ModelChoice) -> str:
    """Return the second line of a row in a picker: the state of a download, else what the choice is or has brought."""
    if choice.download is not None:
        return download_words(choice.download)
    if choice.kind == "unload":
        if choice.pair is None or choice.pair.draft is None:
            return translate("Models", "Frees the memory of this model.")
        return translate("Models", "Frees the memory of both models.")
    if choice.is_draft:
        return capitalized(_draft_sentence(choice))
    return facts_words(choice.entry, choice.measured) if choice.entry is not None else ""


def _draft_sentence(choice: ModelChoice) -> str:
    """Return why a draft cannot be used, or else what it has brought, or that it was not tried."""
    advice = choice.advice
    if choice.kind == "none":
        return ""
    if advice is not None and not advice.works:
        return verdict_words(advice)
    if choice.measured is not None:
        return "" if choice.counted is None else accepted_words(choice.counted)
    # A draft that is installed can be tried, so it has no estimate, which the measured figure would soon contradict.
    expected = advice.expected if advice is not None and choice.kind == "get" else None
    if expected is None:
        return translate("Models", "not tried")
    return _separated(translate("Models", "not tried"), _expected_words(expected))


def _expected_words(expected: SpeedupEstimate) -> str:
    """Return an estimate that says that it is one."""
    if not (expected.gains or expected.measured):
        return translate("Models", "expected: about the same speed")
    return translate("Models", "expected: {speed}").format(speed=pair_speed(expected, None))


def choice_gain(choice: ModelChoice) -> float | None:
    """Return how many times as fast as the main model alone it is with a draft; None if that is not known."""
    if choice.kind == "none":
        return 1.0
    return known_speedup(choice.measured) if choice.is_draft and choice.measured is not None else None


def draft_details(choice: ModelChoice) -> str:
    """Return lines on a draft for who wants to know more: its kind, how it suits the main model, and its size."""
    if choice.kind == "none":
        return translate("Models", "Plain decoding: the main model alone.")
    advice = choice.advice
    verdict = VERDICTS["lookup"] if advice is None else verdict_words(advice)
    size = translate("Models", "In memory: {sum}").format(sum=size_words(choice.memory)) if choice.memory else ""
    app = "" if choice.entry is None else choice.entry.app
    # A draft that cannot be used has its verdict in the row.
    shown_verdict = verdict if choice.usable else ""
    lines = (_kind_words(choice), shown_verdict, size, app)
    return "\n".join(line for line in lines if line)


def _kind_words(choice: ModelChoice) -> str:
    """Return the kind of a head or an adapter in words; "" for other models."""
    entry = choice.entry
    if entry is not None and entry.head:
        from engine.model_files.head_kinds import title_of

        return translate("Models", "{method} head").format(method=title_of(entry.head))
    return "LoRA" if entry is not None and entry.base else ""


def has_estimate(choice: ModelChoice) -> bool:
    """Whether the second line of a row of a main model has a speed-up that is estimated."""
    entry = choice.entry
    if choice.download is not None or choice.measured is not None:
        return False
    if entry is None or entry.installed or not entry.draft or _obstacle_words(entry):
        return False
    return entry.expected is not None


def verdict_words(advice: PairAdvice) -> str:
    """Return words that say why a draft suits the main model, or why not."""
    arguments = dict(advice.arguments)

    def figure(name: str) -> int:
        return int(arguments.get(name, 0))

    values = {
        "share": percent((figure("shared") or figure("share")) / 100),
        "size": size_words(figure("needed") - figure("free")),
        "model": short_name(str(arguments.get("model", "")))[0],
        "source": str(arguments.get("source", "")),
        "reason": reason_sentence(str(arguments["reason"])) if advice.verdict == "not-mlx" else "",
    }
    if advice.verdict == "other-main":
        values |= {"theirs": number(figure("head"), 0), "ours": number(figure("main"), 0)}
    code = str(arguments["what"]) if advice.verdict == "other-main" else advice.verdict
    if code == "too-large" and figure("share") > 100:
        code = "larger"
    return VERDICTS[code].format(**values)


VERDICTS = Sentences(
    "Models",
    {
        "same": "Same tokenizer.",
        "padded": "Same tokenizer (padded vocabulary).",
        "different": "Different tokenizer: text is re-encoded ({share} of tokens shared).",
        "unknown": "Its tokenizer has not been read yet.",
        "lookup": "Needs no draft model. Best for edits and code.",
        "head": "Head for this model.",
        "head-other": "Head for {model}: fewer draft tokens may be accepted.",
        "head-unchecked": "Published head for this model. Not checked yet.",
        "head-best": "Published head for this model, the fastest one according to {source}. Not checked yet.",
        "no-gain": "Head for this model.",
        "head-inside": "Head that comes with the original model. Only its part of the files is downloaded.",
        "layers": "Head for another model: made for {theirs} layers, this one has {ours}.",
        "width": "Head for another model: made for a width of {theirs}, this one's is {ours}.",
        "vocabulary": "Head for another model: made for a vocabulary of {theirs}, this one's is {ours}.",
        "too-large": "Too slow to help: each draft token takes {share} of a main-model step.",
        "larger": "Too slow: larger than the main model.",
        "no-room": "Won't fit alongside the main model ({size} short).",
        "incomplete": "Incomplete: download it again.",
        "not-mlx": "Cannot be used with this main model. {reason}",
    },
)


PURPOSES = Sentences(
    "Models",
    {
        "quick": "Quick",
        "all-round": "All-round",
        "best": "Best that fits",
        "built-in": "Built in",
        "installed": "Installed",
        "found": "On Hugging Face",
    },
)
"""The groups of models: by their purpose (app/library/entries.py), and by where they are."""


def estimate_words() -> str:
    """Return words that say once for a list that its speed-ups are estimates."""
    return translate("Models", "Speed-ups are estimates until they are measured.")


def known_speedup(measured: Totals) -> float | None:
    """Return the measured speed-up of a pair; None if it is not known, or only that no draft token was accepted."""
    is_of_none = measured.accept_rate == 0 and not is_gain(measured.speedup)
    return None if is_of_none else measured.speedup


def pair_speed(expected: SpeedupEstimate | None, measured: Totals | None) -> str:
    """Return what is measured of a pair on this computer, or else how fast it is by an estimate; "" without either.

    What shows it says that estimates are estimates.
    """
    if measured is not None:
        speedup = known_speedup(measured)
        gain = "" if speedup is None else translate("Models", "{gain} (measured)").format(gain=as_fast(speedup))
        return _separated(gain, accepted_words(measured) if measured.drafted else "")
    if expected is None:
        return ""
    if not (expected.gains or expected.measured):
        # Where drafts make answers slower, the controller leaves them out.
        return translate("Models", "about the same speed until it is measured")
    if expected.bounds is None:
        return translate("Models", "about {times} as fast").format(times=times(expected.speedup))
    # The range stays on one line.
    speed = times_between(*expected.bounds).replace(" ", "\u00a0")
    return translate("Figures", "{times} as fast").format(times=speed)


def _with_speed(advice: PairAdvice, measured: Totals | None, *, is_installed: bool = False) -> str:
    """Return words that say how fast a draft is, if that is known, and then the verdict on it.

    A draft that `is_installed` can be measured, so it has no estimate, which the measured figure would soon contradict.
    """
    expected = None if is_installed or not advice.works else advice.expected
    return _separated(pair_speed(expected, measured), verdict_words(advice))


def as_draft_words(advice: PairAdvice, main: str, measured: Totals | None = None) -> str:
    """Return the verdict on a search result as a draft for the main model named `main`."""
    text = translate("Models", "As draft for {main}: {verdict}")
    verdict = _with_speed(advice, measured, is_installed=advice.source == "installed")
    return text.format(main=main, verdict=verdict)


def _obstacle_words(entry: Entry) -> str:
    """Return what speaks against using a model on this Mac alone: it is damaged, too large or the starter; else ""."""
    if entry.partial:
        return translate("Models", "Incomplete: download it again.")
    if entry.problem:
        return unusable_sentence(entry.problem, entry.detail)
    if entry.is_starter:
        return translate("Models", "It only explains Tandem. Choose another model for real work.")
    if entry.verdict == "together":
        return translate("Models", "Too large for this Mac alone, but your Macs can run it together.")
    if entry.fit is not None and not entry.fit.fits:
        words = translate("Models", "Does not fit: it needs {size} more memory than this Mac can use.")
        return words.format(size=size_words(-entry.fit.free_after))
    return ""


def draft_words(entry: Entry, measured: Totals | None = None) -> str:
    """Return words on the draft or the head of a model, and its speed-up: measured, or expected before it is here."""
    head = entry.head_found
    expected = None if entry.installed else entry.expected
    if not entry.draft:
        return "" if head is None else translate("Models", "Its head: about the same speed until it is measured")
    if head is None or head.id != entry.draft:
        return _separated(translate("Models", "With its draft"), pair_speed(expected, measured))
    return _separated(translate("Models", "With its head"), pair_speed(expected, measured))


def facts_words(entry: Entry, measured: Totals | None = None) -> str:
    """Return why a model cannot be used, or what it can do, with its draft and its gain, and where it is."""
    if entry.mlx_name:
        words = translate("Models", "{name} with MLX weights is faster and needs no second copy on the disk.")
        return f"{words.format(name=entry.mlx_name)}\n{facts_words(replace(entry, mlx_name=''), measured)}"
    if obstacle := _obstacle_words(entry):
        return obstacle
    sees = translate("Models", "sees pictures") if entry.sees else ""
    converted = translate("Models", "GGUF, converted when it is first used") if entry.is_gguf_file else ""
    left_out = translate("Models", "without {files}").format(
        files=QLocale().createSeparatedList(list(entry.left_out[:3]))
    )
    parts = [
        draft_words(entry, measured),
        sees,
        converted,
        left_out if entry.left_out else "",
        entry.app,
        translate("Models", "gated") if entry.gated else "",
    ]
    return capitalized(_separated(*parts)) or _properties(entry)


def _properties(entry: Entry) -> str:
    """List a model's licence, context and downloads, if known."""
    parts = []
    if entry.licence:
        parts.append(_LICENCES.get(entry.licence, entry.licence))
    if entry.context:
        context = translate("Models", "{count}-token context").format(count=number(entry.context, 0))
        # The hyphen and the space do not break.
        parts.append(context.replace("-", "\u2011").replace(" ", "\u00a0"))
    if entry.downloads:
        parts.append(translate("Models", "downloads: {count}").format(count=number(entry.downloads, 0)))
    return _separated(*parts)


def quantisation_words(entry: Entry, word: str) -> str:
    """Return a choice among the models of a repository: Q4_K_M · 4.9 GB · `word`, and what its conversion changes."""
    if not entry.is_gguf_file:
        return _separated("MLX", size_words(entry.bytes), word)
    change = change_of(entry.id)
    changes = translate("Models", "changes weights by up to {percent}%") if change else ""
    return _separated(tag_of(entry.id), size_words(entry.bytes), word, changes.format(percent=number(100 * change, 1)))


def details_words(entry: Entry) -> str:
    """Return lines about a model: its properties, its head, its size on disk and its memory as a sum, if known."""
    lines = [_properties(entry)]
    head = entry.head_found
    if entry.draft and (head is None or head.id != entry.draft):
        lines.append(translate("Models", "Its draft: {name}").format(name=recorded_name(entry.draft_name)))
    if head is not None:
        unread = "" if head.facts.checked else translate("Models", "not checked yet")
        lines.append(_separated(translate("Models", "Its head: {size}").format(size=size_words(head.bytes)), unread))
    if entry.disk_bytes:
        lines.append(translate("Models", "On disk: {size}").format(size=size_words(entry.disk_bytes)))
    if entry.fit is not None and not entry.is_starter:
        lines.append(translate("Models", "In memory: {sum}").format(sum=fit_words(entry.fit)))
    if entry.source == "catalog" and not entry.config:
        lines.append(translate("Models", "What its context takes is known once it is downloaded."))
    return "\n".join(line for line in (*lines, origin_words(entry)) if line)


def origin_words(entry: Entry) -> str:
    """Return words that say what a folder that was made from a GGUF file has of it; "" for others."""
    if entry.gguf is None:
        return ""
    words = translate("Models", "The weights are those of the file {file}; the codes were kept.")
    if entry.gguf.requantised:
        words = translate(
            "Models",
            "The weights are those of the file {file}; the codes were quantized anew in {count} of {total} tensors.",
        )
    count = number(entry.gguf.requantised, 0)
    total = number(entry.gguf.tensors, 0)
    return words.format(file=entry.gguf.source, count=count, total=total)


def folder_words(folder: str, is_listed: bool) -> str:
    """Return how a folder whose path was entered is added, or that nothing usable is in one that was added."""
    added = translate("Models", "No models were found in {folder}.")
    return (added if is_listed else translate("Models", "Press Enter to add {folder}.")).format(folder=folder)


def _separated(*parts: str) -> str:
    """Join the parts that are not empty by a separator, which never begins a line."""
    # A line must not begin with the separator.
    return "\u00a0· ".join(part for part in parts if part)


def button_words(entry: Entry, download: DownloadStatus | None) -> str:
    """Return the words of the button that uses a model, or downloads it. `entry.head`: it is a head itself."""
    if download is not None and download.state == "paused":
        return translate("Models", "Resume")
    if download is not None and download.runs:
        return translate("Models", "Downloading…")
    if entry.installed and not entry.partial:
        return translate("Models", "Use this head") if entry.head else translate("Models", "Chat")
    return translate("Models", "Download")


def fit_words(fit: FitReport) -> str:
    """Return the memory as a sum: weights 4.6 GB + draft 0.4 GB + context 1.9 GB = 6.9 GB."""
    name, size, decimals = ("GB", 1e9, 1) if fit.needed >= 5e8 else ("MB", 1e6, 0)

    def words(amount: float) -> str:
        return f"{number(amount, decimals)}\u00a0{name}"

    shares = fit_shares(fit)
    weights, draft = (round(share / size, decimals) for share in shares[:2])
    # The last part is the total without the other two, so that the rounded sum adds up.
    needed = max(round(fit.needed / size, decimals), weights + draft) if shares[2] else weights + draft
    parts = [translate("Models", "weights {size}").format(size=words(weights))]
    if shares[1]:
        parts.append(translate("Models", "draft {size}").format(size=words(draft)))
    if shares[2]:
        memory_words = translate("Models", "context {size}") if fit.context else translate("Models", "workspace {size}")
        parts.append(memory_words.format(size=words(needed - weights - draft)))
    # The total stays on one line.
    sentence = " + ".join(parts) + f" =\u00a0{words(needed)}"
    return sentence if fit.context else translate("Models", "{sum} plus context").format(sum=sentence)


class FitShares(NamedTuple):
    """The bytes of the main model's weights, of the draft's weights, and of everything else."""

    main: int
    draft: int
    others: int


def fit_shares(fit: FitReport) -> FitShares:
    """Return the parts of the memory that a pair needs."""
    main = sum(term.bytes for term in fit.terms if term.code == "weights" and term.model == "main")
    draft = sum(term.bytes for term in fit.terms if term.code == "weights" and term.model == "draft")
    return FitShares(main, draft, fit.needed - main - draft)


def download_words(status: DownloadStatus) -> str:
    """Describe the state of a download."""
    done = size_words(status.bytes_done)
    total = size_words(status.bytes_total)
    done = translate("Models", "{done} of {total}").format(done=done, total=total)
    if status.waits_for_network:
        return translate("Models", "Waiting for a connection. The download then resumes by itself.")
    if status.state == "failed":
        return error_sentence(status.error) if status.error is not None else translate("Models", "Failed.")
    if status.state == "downloading":
        if status.attempt:
            return " · ".join((done, translate("Models", "reconnecting")))
        parts = [done, translate("Models", "{size}/s").format(size=size_words(int(status.bytes_per_second)))]
        if status.seconds_left is not None:
            parts.append(time_left(status.seconds_left))
        return " · ".join(parts)
    if status.state == "paused":
        goes_on = translate("Models", "resumes where it stopped, even after a restart")
        return f"{done} · {goes_on}" if status.bytes_total else goes_on
    return {
        "queued": translate("Models", "Waiting in queue"),
        "resolving": translate("Models", "Getting the file list…"),
        "verifying": translate("Models", "Verifying checksums…"),
        "ready": translate("Models", "Ready."),
    }[status.state]


def download_badge(status: DownloadStatus) -> tuple[str, str]:
    """Return the word for the state of a download, and the tone of its badge (app/widgets/badges.py)."""
    if status.waits_for_network:
        return translate("Models", "waiting"), "neutral"
    return {
        "queued": (translate("Models", "queued"), "neutral"),
        "resolving": (translate("Models", "starting"), "neutral"),
        "downloading": (translate("Models", "downloading"), "neutral"),
        "verifying": (translate("Models", "checking"), "neutral"),
        "ready": (translate("Models", "ready"), "draft"),
        "paused": (translate("Models", "paused"), "lookup"),
        "failed": (translate("Models", "failed"), "problem"),
    }[status.state]


def time_left(seconds: float) -> str:
    """Return words that say how long a download or a conversion takes from now on."""
    if seconds < 60:
        return translate("Models", "less than a minute left")
    minutes = round(seconds / 60)
    return CountedWords().minutes(minutes) if minutes < 90 else CountedWords().hours(round(minutes / 60))


class CountedWords(QObject):
    """Texts with plural forms, which Qt's extractor finds only in a class's own `tr`."""

    def minutes(self, count: int) -> str:
        return self.tr("about %Ln minute(s) left", "", count)

    def hours(self, count: int) -> str:
        return self.tr("about %Ln hour(s) left", "", count)
