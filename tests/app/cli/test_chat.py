"""`tandem chat` as a script sees it: exit codes, one JSON object a line, one sentence for an error."""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Protocol

import pytest

from app.__main__ import main
from app.cli.answers import TextOutput
from app.conversations.database.records import REPEATING
from app.conversations.measured import PairSpeeds
from app.session.help_matching import meant_by
from app.system.paths import speeds_file
from engine import Event, Failed, Finished, RequestStats, SamplingSettings, TokensCommitted
from engine.errors import EngineError, PromptTooLong
from engine.events import Token
from engine.grammars.grammar import choice_of
from engine.pictures.reading import digest_of
from engine.requests import MAX_DEPTH
from engine.settings import EngineSettings
from tests.app.cli.scripted_chat import KOREAN, ROUND, AnsweringEngine
from tests.app.pdf_files import pdf
from tests.app.picture_files import animation, picture
from tests.engine.documents.office_files import workbook
from tests.engine.documents.picture_documents import LARGE, SMALL, word
from tests.engine.documents.picture_documents import picture as inner_picture
from tests.mac_memory import report_memory
from tests.patience import PATIENCE_S

# What the help says to this question, and the question of the help.
ON_FOLDERS = "How do I make a foldr?"
(_FOLDERS,) = meant_by(ON_FOLDERS).facts
FOLDERS, FROM_FOLDERS = _FOLDERS.answers["en"], _FOLDERS.questions["en"]
TINY_MODEL = "tandem: a tiny model that came with Tandem. Choose a larger one: `tandem models search gemma`.\n"


def lines(capsys: pytest.CaptureFixture[str]) -> list[dict[str, Any]]:
    return [json.loads(line) for line in capsys.readouterr().out.splitlines()]


class Answering(Protocol):
    """Makes `tandem chat` answer with these lists of events."""

    def __call__(self, *answers: list[Event | BaseException], **options: Any) -> AnsweringEngine: ...


@pytest.fixture
def answering(monkeypatch: pytest.MonkeyPatch) -> Answering:
    def answer(*answers: list[Event | BaseException], **options: Any) -> AnsweringEngine:
        engine = AnsweringEngine(*answers, **options)
        monkeypatch.setattr("app.cli.chat.Engine", lambda _: engine)
        return engine

    return answer


@pytest.fixture
def engine(answering: Answering) -> AnsweringEngine:
    """Answers two questions."""
    return answering([*KOREAN], [*KOREAN])


@pytest.fixture
def pipe_in(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Callable[[str], None]]:
    """Makes a text the standard input."""
    with ExitStack() as opened:

        def pipe(text: str) -> None:
            (tmp_path / "input").write_text(text)
            monkeypatch.setattr("sys.stdin", opened.enter_context((tmp_path / "input").open()))

        yield pipe


def test_chat_prints_one_object_a_line_and_ends_with_finished(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["chat", "What is Tandem?", "--json", "--depth", "4", "--max-tokens", "24"]) == 0
    events = lines(capsys)
    assert events[0]["event"] == "prefill"
    last = events[-1]
    assert last["event"] == "finished"
    assert last["text"] == "".join(event["text"] for event in events if event["event"] == "tokens")
    assert last["ids"] == [token for event in events if event["event"] == "tokens" for token in event["ids"]]
    assert last["stats"]["drafted"] > 0


@pytest.mark.first
def test_chat_answers_on_standard_output_and_sums_up_on_standard_error(capsys: pytest.CaptureFixture[str]) -> None:
    # The names that `tandem models list` shows.
    assert main(["chat", "Hello!", "--main", "starter/main", "--draft", "starter/draft", "--max-tokens", "12"]) == 0
    out, err = capsys.readouterr()
    assert out.strip()
    assert "tokens" in err


def test_a_mac_whose_memory_is_in_use_answers_and_says_that_other_apps_may_get_slower(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    report_memory(monkeypatch, available=5 * 2**20)
    assert main(["chat", "Hello!", "--max-tokens", "2"]) == 0
    out, err = capsys.readouterr()
    assert out.strip()
    assert err.startswith("tandem: The models take more memory than is free, so other apps may get slower.\n")


def test_with_lines_each_line_of_standard_input_is_a_turn(
    capsys: pytest.CaptureFixture[str], pipe_in: Callable[[str], None]
) -> None:
    pipe_in("Hello!\n\nWhat is a draft model?\n")
    assert main(["chat", "--lines", "--json", "--max-tokens", "8"]) == 0
    finished = [event for event in lines(capsys) if event["event"] == "finished"]
    assert len(finished) == 2
    assert finished[1]["stats"]["cached_tokens"] > 0


def test_a_missing_model_is_one_line_and_exit_code_1(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["chat", "Hi", "--main", "no/such-model"]) == 1
    out, err = capsys.readouterr()
    assert out == ""
    assert err.count("\n") == 1
    assert "`tandem models download no/such-model` downloads it" in err


def test_a_missing_draft_is_an_error_before_anything_is_asked(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["chat", "Hi", "--draft", "no/such-draft", "--json"]) == 1
    [failed] = lines(capsys)
    assert (failed["event"], failed["code"]) == ("failed", "model-not-usable")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--temperature", "-1"], "must be"),
        (["--top-p", "0"], "must be"),
        (["--max-tokens", "-1"], "must be"),
        (["--depth", str(MAX_DEPTH + 1)], f"depth must be between 0 and {MAX_DEPTH}, not {MAX_DEPTH + 1}"),
        (["--temperature", "5.1"], "temperature must be between 0 and 5, not 5.1"),
    ],
)
def test_bad_settings_are_exit_code_2_before_a_model_is_loaded(
    arguments: list[str], words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["chat", "Hi", "--main", "no/such-model", *arguments]) == 2
    assert words in capsys.readouterr().err


@pytest.mark.parametrize("arguments", [["--depth", "many"], ["--method", "magic"], ["--no-such-option"]])
def test_bad_usage_is_exit_code_2(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stop:
        main(["chat", "Hi", *arguments])
    assert stop.value.code == 2
    capsys.readouterr()


def test_bytes_of_another_encoding_are_asked_as_far_as_they_can_be_read(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, answering: Answering
) -> None:
    # A shell passes Windows-1252 words as surrogates.
    assert main(["chat", "caf\udce9?", "--system", "caf\udce9", "--max-tokens", "2", "--json"]) == 0
    assert [event["event"] for event in lines(capsys)].count("finished") == 1
    engine = answering([*KOREAN])
    with io.TextIOWrapper(io.BytesIO(b"caf\xe9?\n"), encoding="utf-8") as stdin:
        monkeypatch.setattr("sys.stdin", stdin)
        assert main(["chat"]) == 0
    assert engine.asked == [["caf\ufffd?"]]


@pytest.mark.parametrize("form", [[], ["--json"]])
def test_letters_that_the_terminal_cannot_show_do_not_end_the_talk(
    monkeypatch: pytest.MonkeyPatch, engine: AnsweringEngine, pipe_in: Callable[[str], None], form: list[str]
) -> None:
    out = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    pipe_in("Hello?\n")
    monkeypatch.setattr("sys.stdout", out)
    assert main(["chat", *form]) == 0
    assert engine.asked == [["Hello?"]]
    printed = out.buffer.getvalue().decode("ascii")  # type: ignore[attr-defined]
    if form:
        assert json.loads(printed.splitlines()[-1])["text"] == "한글"
    else:
        assert "??" in printed


def test_ctrl_c_ends_the_answer_its_figures_are_shown_and_the_exit_code_is_130(
    answering: Answering, capsys: pytest.CaptureFixture[str]
) -> None:
    engine = answering([KeyboardInterrupt(), Finished("cancelled", "", (), RequestStats(generated_tokens=7))])
    assert main(["chat", "Hi"]) == 130
    assert engine.cancelled == 1
    assert "7 tokens" in capsys.readouterr().err
    # A second one ends the program.
    answering([KeyboardInterrupt(), KeyboardInterrupt()])
    assert main(["chat", "Hi"]) == 130
    assert capsys.readouterr().err.endswith("\n")


def test_a_question_that_failed_is_not_asked_again_with_the_next(
    answering: Answering, pipe_in: Callable[[str], None], capsys: pytest.CaptureFixture[str]
) -> None:
    engine = answering([Failed(EngineError("too long"), "half")], [*KOREAN], [*KOREAN])
    pipe_in("one\ntwo\nthree\n")
    assert main(["chat", "--lines"]) == 0
    assert engine.asked == [["one"], ["two"], ["two", "한글", "three"]]
    assert "tandem: Something went wrong in the engine." in capsys.readouterr().err


@pytest.mark.parametrize(
    ("prompt", "piped", "asked"),
    [
        ([], "one\n\ntwo\nthree\n", "one\n\ntwo\nthree"),
        (["-"], "one\n\ntwo\nthree\n", "one\n\ntwo\nthree"),
        (["Sum this up:"], "some text\n", "Sum this up:\n\nsome text"),
        (["Hi"], "", "Hi"),
    ],
)
def test_piped_text_is_one_question_and_follows_the_prompt(
    prompt: list[str], piped: str, asked: str, engine: AnsweringEngine, pipe_in: Callable[[str], None]
) -> None:
    pipe_in(piped)
    assert main(["chat", *prompt]) == 0
    assert engine.asked == [[asked]]


@pytest.mark.parametrize(("arguments", "words"), [([""], "is empty"), ([], "is empty"), (["Hi", "--lines"], "--lines")])
def test_a_question_that_is_none_gets_a_sentence_and_exit_code_2(
    arguments: list[str],
    words: str,
    engine: AnsweringEngine,
    pipe_in: Callable[[str], None],
    capsys: pytest.CaptureFixture[str],
) -> None:
    pipe_in(" \n")
    assert main(["chat", *arguments]) == 2
    assert engine.asked == []
    err = capsys.readouterr().err
    assert words in err
    assert err.count("\n") == 1


def test_input_beyond_any_context_is_refused(
    engine: AnsweringEngine, monkeypatch: pytest.MonkeyPatch, pipe_in: Callable[[str], None]
) -> None:
    monkeypatch.setattr("app.cli.chat._LONGEST_INPUT", 10)
    pipe_in("x" * 11)
    assert main(["chat"]) == 2
    assert engine.asked == []


def test_answers_are_sampled_as_the_models_authors_recommend_where_nothing_was_chosen(answering: Answering) -> None:
    for arguments, sampling in (
        ([], SamplingSettings(temperature=0.7, top_k=20)),
        (["--temperature", "0", "--seed", "5"], SamplingSettings(temperature=0.0, top_k=20, seed=5)),
    ):
        engine = answering([*KOREAN], sampling=(("temperature", 0.7), ("top_k", 20)))
        assert main(["chat", "Hi", *arguments]) == 0
        assert (engine.requests[0].sampling, engine.requests[0].max_tokens) == (sampling, None)


CHANNELS = "<|channel|>analysis<|message|>Hm, 4.<|end|><|start|>assistant<|channel|>final<|message|>It is 4."


@pytest.mark.parametrize(
    ("text", "opening", "reply", "thought"),
    [
        ("It is < 4.", "", "It is < 4.\n", ""),
        ("<think>\nHm, 4.\n</think>\n\nIt is 4.", "", "It is 4.\n", "Hm, 4.\n\n"),
        (CHANNELS, "", "It is 4.\n", "Hm, 4.\n\n"),
        # A mark that closes no thoughts is text: what was printed before it stays printed.
        ("Hm, 4.\n</think>\nIt is 4.", "", "Hm, 4.\n</think>\nIt is 4.\n", ""),
        ("Hm, 4.\n</think>\nIt is 4.", "<think>\n", "It is 4.\n", "Hm, 4.\n\n"),
        ("<think>\nHm", "", "\n", "Hm\n"),
        ("It is < 4 [a] <b>x</b>.", "", "It is < 4 [a] <b>x</b>.\n", ""),
    ],
)
def test_thoughts_are_no_part_of_the_answer_on_standard_output(
    text: str, opening: str, reply: str, thought: str, answering: Answering, capsys: pytest.CaptureFixture[str]
) -> None:
    stats = RequestStats(opening=opening)
    pieces: list[Event | BaseException] = [TokensCommitted(letter, (), ROUND, stats) for letter in text]
    answering([*pieces, Finished("stop", text, (), stats)])
    assert main(["chat", "2 and 2?"]) == 0
    printed = capsys.readouterr()
    assert printed.out == reply
    assert printed.err.startswith(thought)
    assert "<" not in printed.err


@pytest.mark.parametrize(
    ("words", "options", "budget"),
    [
        ([], {}, None),
        (["--thinking", "off"], {"enable_thinking": False}, None),
        (["--thinking-budget", "0"], {"enable_thinking": False}, 0),
        (["--thinking-budget", "300", "--thinking", "high"], {"enable_thinking": True}, 300),
        (["--thinking-budget", "auto", "--thinking", "high"], {"enable_thinking": True}, 24576),
    ],
)
def test_thinking_is_switched_and_limited_as_the_models_template_does(
    engine: AnsweringEngine, words: list[str], options: dict[str, bool], budget: int | None
) -> None:
    assert main(["chat", "Hello", *words]) == 0
    request = engine.requests[-1]
    assert (request.template_options, request.thinking_budget) == (options, budget)


@pytest.mark.parametrize(
    ("stats", "words"),
    [
        ({"accepted": 12, "main": "big", "draft": "small"}, "2.1x as fast, 12 of 30 drafts accepted"),
        # What one answer measured of itself is no figure.
        ({"accepted": 9, "speedup": 2.1, "speedup_low": 1.95, "speedup_high": 2.31}, "9 of 30 drafts accepted"),
        ({"drafted": 0, "tokens_per_round": 3.1}, "3.1 a round"),
        ({"tokens_per_round": 1.04}, "0 of 30 drafts accepted"),
        ({"drafted": 0, "same_text_cost": 0.12}, "the same text costs 12% of the speed"),
        ({"thinking_limit": 8}, "0 of 30 drafts accepted, the limit of 8 tokens ended its thoughts"),
    ],
)  # fmt: skip
def test_the_last_line_says_of_speculation_what_is_known(
    capsys: pytest.CaptureFixture[str], stats: dict[str, Any], words: str
) -> None:
    PairSpeeds(speeds_file()).add_comparison("big", "small", 2.1)
    TextOutput().event(
        Finished("stop", "Hello.", (1,), RequestStats(**{"generated_tokens": 40, "drafted": 30, **stats}))
    )
    assert capsys.readouterr().err == f"[40 tokens, {words}]\n"


@pytest.mark.parametrize(("rounding", "apart"), [("identical", ""), ("rounded", " apart from rounding")])
def test_what_is_so_of_all_answers_with_drafts_is_said_once_in_a_chat(
    capsys: pytest.CaptureFixture[str], rounding: str, apart: str
) -> None:
    show = TextOutput()
    stats = RequestStats(
        generated_tokens=60, drafted=64, accepted=62, accept_rate=0.96, decode_tps=234.0, tokens_per_round=8.6,
        ttft_s=0.03, rounding=rounding,
    )  # fmt: skip
    for _ in range(3):
        show.event(Finished("stop", "Hello.", (1,), stats))
    first, said, *more = capsys.readouterr().err.splitlines()
    assert said == f"[without drafts: 1 token a round, and the same text{apart}]"
    assert more == [first, first]
    # One line of a terminal.
    assert len(first) < 80


@pytest.mark.parametrize("options", [[], ["--file"], ["--main"]])
def test_the_starter_answers_a_question_about_tandem_with_the_help(
    answering: Answering, capsys: pytest.CaptureFixture[str], tmp_path: Path, options: list[str]
) -> None:
    has_help = not options
    if options == ["--file"]:
        (tmp_path / "notes.txt").write_text("Nothing of Tandem.")
        options = ["--file", str(tmp_path / "notes.txt")]
    if options == ["--main"]:
        options = ["--main", str(tmp_path)]
    engine = answering([Finished("stop", FOLDERS, (), RequestStats(main="starter/main"))])
    assert main(["chat", ON_FOLDERS, *options]) == 0
    (request,) = engine.requests
    assert request.grammar == (choice_of([FOLDERS]) if has_help else None)
    assert request.speculation.proposes_forced is not has_help
    assert capsys.readouterr().err.endswith(
        f"]\ntandem: from Tandem's help, which speaks of its window: {FROM_FOLDERS}\n"
    )


def test_the_starter_offers_the_questions_that_may_have_been_meant(
    answering: Answering, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = "does it work ofline"
    said, *others = meant_by(asked).facts
    answering([Finished("stop", said.answers["en"], (), RequestStats(main="starter/main"))])
    assert main(["chat", asked]) == 0
    offered = " ".join(fact.questions["en"] for fact in others)
    assert capsys.readouterr().err.endswith(f"{said.questions['en']}\ntandem: did you mean: {offered}\n")


SKY = "Why is the sky blue?"
BEYOND = "That is beyond me: I'm only a tiny guide to Tandem."


@pytest.mark.parametrize(
    ("model", "question", "text", "reason", "says_gain"),
    [
        ("org/other", SKY, BEYOND, "stop", True),
        ("starter/main", ON_FOLDERS, FOLDERS, "stop", True),
        # Refusals and loops are easy to draft, so their speed says nothing of other answers.
        ("starter/main", SKY, BEYOND, "stop", False),
        ("org/other", SKY, "a a a a", REPEATING, False),
    ],
)
def test_the_gain_of_a_pair_stands_below_answers_whose_speed_counts(
    answering: Answering, capsys: pytest.CaptureFixture[str], model: str, question: str, text: str, reason: str,
    says_gain: bool,
) -> None:  # fmt: skip
    PairSpeeds(speeds_file()).add_comparison(model, "small", 2.1)
    stats = RequestStats(generated_tokens=40, drafted=30, accepted=28, accept_rate=0.9, main=model, draft="small")
    answering([Finished(reason, text, (), stats)])
    main(["chat", question])
    err = capsys.readouterr().err
    assert "28 of 30 drafts accepted" in err
    assert ("2.1x as fast" in err) is says_gain


def test_an_answer_that_was_given_before_says_nothing_of_the_gain(
    answering: Answering, pipe_in: Callable[[str], None], capsys: pytest.CaptureFixture[str]
) -> None:
    PairSpeeds(speeds_file()).add_comparison("big", "small", 2.1)
    stats = RequestStats(generated_tokens=40, drafted=30, accepted=28, accept_rate=0.9, main="big", draft="small")
    answering(*[[Finished("stop", text, (), stats)] for text in ("One.", "Two.", "One.")])
    pipe_in("a\nb\nc\n")
    assert main(["chat", "--lines"]) == 0
    lines = [line for line in capsys.readouterr().err.splitlines() if "accepted" in line]
    assert ["as fast" in line for line in lines] == [True, True, False]


@pytest.mark.parametrize("options", [[], ["--same-text"]])
def test_the_same_text_is_asked_for_by_an_option(engine: AnsweringEngine, options: list[str]) -> None:
    main(["chat", "Hello", *options])
    assert [asked.speculation.same_text for asked in engine.requests] == [bool(options)]


def test_pictures_go_with_the_first_question(
    engine: AnsweringEngine, pipe_in: Callable[[str], None], tmp_path: Path
) -> None:
    red = picture()
    (tmp_path / "red.png").write_bytes(red)
    pipe_in("What is this?\nAnd that?\n")
    assert main(["chat", "--lines", "--image", str(tmp_path / "red.png")]) == 0
    part, text = {"type": "image", "digest": digest_of(red)}, {"type": "text", "text": "What is this?"}
    assert [asked[::2] for asked in engine.asked] == [[[part, text]], [[part, text], "And that?"]]
    assert [request.pictures for request in engine.requests] == [{digest_of(red): red}] * 2


@pytest.mark.parametrize(
    ("content", "words"),
    [(None, "there is no picture"), (b"text", "its format is not supported"), (animation(), "animated")],
)
def test_what_is_no_picture_is_refused_before_a_model_is_loaded(
    engine: AnsweringEngine, tmp_path: Path, capsys: pytest.CaptureFixture[str], content: bytes | None, words: str
) -> None:
    if content is not None:
        (tmp_path / "file.png").write_bytes(content)
    assert main(["chat", "Hi", "--image", str(tmp_path / "file.png")]) != 0
    assert engine.asked == []
    assert words in capsys.readouterr().err


@pytest.mark.full
def test_files_come_before_the_first_question(engine: AnsweringEngine, pipe_in: Callable[[str], None]) -> None:
    page = Path(__file__).parents[2] / "engine/documents/files/python-docx.docx"
    pipe_in("Who leads?\nAnd then?\n")
    assert main(["chat", "--lines", "--file", str(page)]) == 0
    first, second = engine.asked[0][0], engine.asked[1]
    assert first.startswith("python-docx.docx\n```")
    assert "| Kim | 1" in first
    assert first.endswith("\n\nWho leads?")
    assert (second[0], second[-1]) == (first, "And then?")


def test_files_that_are_too_long_are_said_to_be_read_in_part(
    answering: Answering, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "a.txt").write_text("words " * 100)
    for options, said in ((("--file", str(tmp_path / "a.txt")), True), ((), False)):
        answering([Failed(PromptTooLong(9000, 8192), "")])
        assert main(["chat", "Hi", *options]) == 1
        assert ("--pages FIRST-LAST" in capsys.readouterr().err) == said


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [("a.docx", b"PK\x03\x04", "damaged"), ("a.bin", b"\0\1\2", "not text")],
)
def test_a_file_without_a_text_is_refused_before_a_model_is_loaded(
    engine: AnsweringEngine,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    name: str,
    content: bytes,
    words: str,
) -> None:
    (tmp_path / name).write_bytes(content)
    assert main(["chat", "Hi", "--file", str(tmp_path / name)]) != 0
    assert engine.asked == []
    assert f"{name} cannot be attached: {words}" in capsys.readouterr().err


def test_a_file_that_is_not_there_is_named_as_it_was_typed(
    engine: AnsweringEngine, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["chat", "Hi", "--file", str(tmp_path / "gone.txt")]) == 2
    assert engine.asked == []
    assert f"there is no file {tmp_path / 'gone.txt'}" in capsys.readouterr().err


def test_a_model_that_is_not_there_is_said_before_an_empty_question(
    engine: AnsweringEngine, pipe_in: Callable[[str], None], capsys: pytest.CaptureFixture[str]
) -> None:
    pipe_in("")
    assert main(["chat", "--main", "nobody/nothing"]) != 0
    assert engine.asked == []
    err = capsys.readouterr().err
    assert "nobody/nothing" in err
    assert "empty" not in err


def test_the_terminal_says_which_parts_of_a_file_are_read(
    engine: AnsweringEngine, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "a.xlsx").write_bytes(workbook(Sales=2, Costs=2))
    pdf("One.", "Two.", "Three.").write(tmp_path / "b.pdf")
    files = ("--file", str(tmp_path / "a.xlsx"), "--file", str(tmp_path / "b.pdf"))
    assert main(["chat", "Hi", *files, "--sheets", "Costs", "--pages", "2-3"]) == 0
    assert "## Costs" in engine.asked[0][0]
    assert "Two.\n\nThree.\n\n[Left out: page 1]" in engine.asked[0][0]
    told = capsys.readouterr().err
    assert "a.xlsx: left out: sheet Sales\n" in told
    assert "b.pdf: left out: page 1\n" in told
    book = str(Path(__file__).parents[2] / "engine/documents/files/ebooklib.epub")
    assert main(["chat", "Hi", "--file", book, "--chapters", "둘째 장"]) == 0
    assert "# 둘째 장\n\n끝." in engine.asked[1][0]
    assert "ebooklib.epub: left out: chapter 1\n" in capsys.readouterr().err
    assert main(["chat", "Hi", *files, "--pages", "some"]) != 0
    assert "--pages some: write the first and the last page" in capsys.readouterr().err


class Typed(io.StringIO):
    """What a person types into a terminal."""

    def isatty(self) -> bool:
        return True


def looping(begin: str = "Rain: ", reason: str = "cancelled") -> list[Event | BaseException]:
    """Return the events of an answer that repeats itself."""
    words = [begin, *(" Rim", "-a", "-r") * 200]
    events: list[Event | BaseException] = [
        TokensCommitted(word, (Token(number, word, "main", number, 0, 0.0),), ROUND, RequestStats())
        for number, word in enumerate(words)
    ]
    return [*events, Finished(reason, "".join(words), (), RequestStats(generated_tokens=len(words)))]


def test_an_answer_that_repeats_itself_is_stopped_with_a_line_and_exit_code_1(
    answering: Answering, capsys: pytest.CaptureFixture[str]
) -> None:
    engine = answering(looping(), looping())
    assert main(["run", "starter", "A haiku about rain."]) == 1
    out, err = capsys.readouterr()
    assert engine.cancelled == 1
    assert out.startswith("Rain:  Rim-a-r")
    assert err.endswith("tandem: the answer repeats itself, so it was stopped.\n")
    assert main(["run", "starter", "A haiku about rain.", "--json"]) == 1
    out, err = capsys.readouterr()
    assert json.loads(out.splitlines()[-1])["reason"] == "repeating"
    assert err == ""


def test_an_answer_that_ends_by_itself_or_repeats_little_is_not_stopped(
    answering: Answering, capsys: pytest.CaptureFixture[str]
) -> None:
    engine = answering(looping(reason="stop"), [*looping()[:60], Finished("stop", "Rain", (), RequestStats())])
    assert main(["run", "starter", "A haiku?", "--json"]) == 0
    assert json.loads(capsys.readouterr().out.splitlines()[-1])["reason"] == "stop"
    assert main(["run", "starter", "A haiku?"]) == 0
    assert engine.cancelled == 1
    assert "repeats" not in capsys.readouterr().err


def test_a_chat_goes_on_after_a_paused_answer_and_continue_lets_it_go_on(
    answering: Answering, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    more: list[Event | BaseException] = [Finished("stop", " at last.", (), RequestStats())]
    engine = answering(looping(), more, [*KOREAN], looping(), [KeyboardInterrupt(), *looping()[-1:]], [*KOREAN])
    typed = ["/continue", "Rain?", "/continue", "/continue", "And?", "Rain again?", "/continue", "And then?"]
    monkeypatch.setattr("sys.stdin", Typed("\n".join(typed)))
    assert main(["run", "starter"]) == 0
    err = capsys.readouterr().err
    assert err.count("so it is paused: /continue lets it go on.") == 2
    assert err.count("tandem: no answer is paused.") == 2
    loop = looping()[-1]
    assert isinstance(loop, Finished)
    assert engine.asked[1] == ["Rain?", loop.text]
    # The next question comes after all of the answer.
    assert engine.asked[2] == ["Rain?", f"{loop.text} at last.", "And?"]
    # Ctrl-C leaves it as it was paused.
    assert engine.asked[5][-3:] == ["Rain again?", loop.text, "And then?"]


def test_a_question_to_the_starter_is_asked_again_with_a_model_that_is_named(
    answering: Answering, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    refused = Finished("stop", BEYOND, (), RequestStats(main="starter/main"))
    engine = answering([refused], [KeyboardInterrupt(), *KOREAN[1:]], [*KOREAN], [*KOREAN])
    typed = ["/again", SKY, "/again", "/again org/other", "And at night?"]
    monkeypatch.setattr("sys.stdin", Typed("\n".join(typed)))
    assert main(["run", "starter"]) == 0
    err = capsys.readouterr().err
    assert err.count("tandem: nothing was asked yet.") == 1
    # Below the answer of the Starter, and below none of the others.
    assert err.count(TINY_MODEL) == 1
    assert "other, no draft model" in err
    # Ctrl-C leaves the earlier answer, and the new model gets the question without it.
    assert engine.asked == [[SKY], [SKY], [SKY], [SKY, "한글", "And at night?"]]


@pytest.mark.parametrize("command", [["chat"], ["run", "starter"]], ids=lambda command: command[0])
@pytest.mark.parametrize(
    ("options", "place", "branches"),
    [
        ([], "off", 3),
        (["--draft-ahead", "here"], "here", 3),
        (["--draft-ahead", "me@studio", "--draft-ahead-branches", "1"], "me@studio", 1),
    ],
)
def test_the_engine_drafts_ahead_as_the_options_say(
    monkeypatch: pytest.MonkeyPatch, command: list[str], options: list[str], place: str, branches: int
) -> None:
    opened = []

    def open_engine(settings: EngineSettings) -> AnsweringEngine:
        opened.append((settings.draft_ahead, settings.draft_ahead_branches))
        return AnsweringEngine([*KOREAN])

    monkeypatch.setattr("app.cli.chat.Engine", open_engine)
    assert main([*command, *options, "hi"]) == 0
    assert opened == [(place, branches)]


@pytest.mark.parametrize(
    ("states", "patience_s", "says_so"),
    [
        (["starting", "starting", "ready"], PATIENCE_S, False),
        (["starting", "not-usable"], PATIENCE_S, False),
        (["starting"], 0.1, True),
    ],
)
def test_one_question_waits_for_the_runner_and_says_if_it_is_not_there(
    engine: AnsweringEngine,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    states: list[str],
    patience_s: float,
    says_so: bool,
) -> None:
    engine.states = states
    monkeypatch.setattr("app.cli.conversation._RUNNER_S", patience_s)
    assert main(["chat", "--draft-ahead", "here", "hi"]) == 0
    said = capsys.readouterr().err
    assert ("still starting" in said) == says_so
    assert len(engine.states) == 1


def test_a_chat_does_not_wait_for_the_runner(
    engine: AnsweringEngine, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    engine.states = ["starting"]
    monkeypatch.setattr("app.cli.conversation._RUNNER_S", PATIENCE_S)
    monkeypatch.setattr("sys.stdin", Typed("hi"))
    assert main(["chat", "--draft-ahead", "here"]) == 0
    assert "still starting" not in capsys.readouterr().err


@pytest.mark.parametrize("sees", [True, False])
def test_pictures_in_a_file_go_to_a_model_that_sees(
    engine: AnsweringEngine, capsys: pytest.CaptureFixture[str], tmp_path: Path, sees: bool
) -> None:
    engine.sees = sees
    (tmp_path / "report.docx").write_bytes(word())
    assert main(["chat", "--file", str(tmp_path / "report.docx"), "What do they show?"]) == 0
    ((asked,),) = engine.asked
    (request,) = engine.requests
    shown = [digest_of(inner_picture(size)) for size in (SMALL, LARGE)]
    if sees:
        assert [part.get("digest") for part in asked] == [*shown, None]
        assert set(request.pictures) == set(shown)
    else:
        assert isinstance(asked, str)
        assert not request.pictures
        assert "can't see pictures" in capsys.readouterr().err


@pytest.mark.parametrize("sees", [True, False])
def test_the_pages_of_a_pdf_are_named_to_a_model_that_sees_them(
    engine: AnsweringEngine, tmp_path: Path, sees: bool
) -> None:
    engine.sees = sees
    with (tmp_path / "note.pdf").open("wb") as file:
        pdf("Total 485").write(file)
    assert main(["chat", "--file", str(tmp_path / "note.pdf"), "What does it show?"]) == 0
    ((asked,),) = engine.asked
    text = asked[-1]["text"] if sees else asked
    assert text.startswith("[Pictures of page 1 of note.pdf]\n\n") is sees
    assert "Total 485" in text


@pytest.mark.parametrize("sees", [True, False])
def test_a_document_of_pictures_alone_is_said_not_to_be_seen(
    engine: AnsweringEngine, capsys: pytest.CaptureFixture[str], tmp_path: Path, sees: bool
) -> None:
    engine.sees = sees
    (tmp_path / "photo.docx").write_bytes(word(text=""))
    main(["chat", "--file", str(tmp_path / "photo.docx"), "What do they show?"])
    (request,) = engine.requests
    assert set(request.pictures) == {digest_of(inner_picture(size)) for size in (SMALL, LARGE)}
    assert ("there is nothing else in photo.docx" in capsys.readouterr().err) is not sees
