"""The pair in resources/starter: its files, and what its evaluation measures."""

import json
from hashlib import sha256
from pathlib import Path
from random import Random

import pytest

from app.session.tandem_help import is_refusal
from engine.model_files.generation_config import recommended_sampling
from resources.starter.recipe.content import (
    LANGUAGES,
    read_beyond_held_out,
    read_content,
    read_held_out,
    read_newcomer,
    read_short_held_out,
)
from resources.starter.recipe.evaluation import Outcome, Pair, judge, tallies
from resources.starter.recipe.help_file import answers_file
from resources.starter.recipe.limit_checks import ask_beyond, at_length
from resources.starter.recipe.short_messages import ask_short
from resources.starter.recipe.templates import draw
from tests.engine.tiers import by_tier

STARTER = Path(__file__).parents[2] / "resources" / "starter"
MODELS = ("main", "draft")
# Just below the measured shares of answers about drafts that are those of the texts, word for word.
SAID_AS_WRITTEN = {"en": 0.6, "ko": 0.6, "ja": 0.6, "zh": 0.75}
FOLDERS = (*MODELS, "head")
LARGEST_BYTES, LARGEST_HEAD_BYTES = 25_000_000, 4_000_000

# A few points below the measurements in resources/starter/recipe/README.md.
RIGHT = {"en": 0.86, "ko": 0.91, "ja": 0.83, "zh": 0.86}
ACCEPT_RATE = 0.91
# Of the 60 questions of newcomers, those that the weights answer word for word.
NEWCOMERS = {"en": 58, "ko": 57, "ja": 54, "zh": 57}


@pytest.fixture(scope="module")
def pair() -> Pair:
    return Pair.load(STARTER)


# The files are pinned, so that some of the questions show whether anything has changed.
SHARES = [
    pytest.param(4, id="every fourth", marks=pytest.mark.full),
    pytest.param(1, id="all", marks=pytest.mark.campaign),
]


@pytest.fixture(scope="module", params=SHARES)
def outcomes(pair: Pair, request: pytest.FixtureRequest) -> list[Outcome]:
    return judge(pair, [one for language in LANGUAGES for one in read_held_out(language)[:: request.param]])


def ask(pair: Pair, *turns: str, system: str | None = None) -> str:
    messages = [{"role": "system", "content": system}] if system else []
    answer = ""
    for turn in turns:
        messages.append({"role": "user", "content": turn})
        ((answer, _),) = pair.answers([messages])
        messages.append({"role": "assistant", "content": answer})
    return answer


def test_the_folders_hold_exactly_the_pinned_files() -> None:
    pinned = dict(reversed(line.split("  ")) for line in (STARTER / "SHA256SUMS").read_text().splitlines())
    found = {
        path.relative_to(STARTER).as_posix(): sha256(path.read_bytes()).hexdigest()
        for name in FOLDERS
        for path in (STARTER / name).iterdir()
    }

    assert found == pinned


@pytest.mark.full
def test_the_help_is_as_the_content_says() -> None:
    assert json.loads((STARTER / "main" / "answers.json").read_text(encoding="utf-8")) == answers_file()


@pytest.mark.parametrize(("names", "largest"), [(MODELS, LARGEST_BYTES), (("head",), LARGEST_HEAD_BYTES)])
def test_both_models_together_and_the_head_stay_small(names: tuple[str, ...], largest: int) -> None:
    assert sum(path.stat().st_size for name in names for path in (STARTER / name).iterdir()) <= largest


@pytest.mark.parametrize("name", MODELS)
def test_both_models_recommend_to_take_the_likeliest_token(name: str) -> None:
    # Without a recommendation, the window would draw at random among answers that were learned by heart.
    assert dict(recommended_sampling(STARTER / name)) == {"temperature": 0.0}


def test_the_head_is_made_for_main() -> None:
    main, head = (json.loads((STARTER / name / "config.json").read_text()) for name in ("main", "head"))

    for field in ("hidden_size", "vocab_size", "rope_theta"):
        assert head[field] == main[field], field
    assert head["num_target_layers"] == main["num_hidden_layers"]
    assert head["dflash_config"]["mask_token_id"] == main["pad_token_id"]
    assert max(head["dflash_config"]["target_layer_ids"]) < main["num_hidden_layers"]


def test_main_and_draft_share_one_tokenizer_and_one_context() -> None:
    for name in ("tokenizer.json", "tokenizer_config.json"):
        assert (STARTER / "main" / name).read_bytes() == (STARTER / "draft" / name).read_bytes()
    main, draft = (json.loads((STARTER / name / "config.json").read_text()) for name in MODELS)
    for field in ("vocab_size", "eos_token_id", "max_position_embeddings", "model_type"):
        assert main[field] == draft[field], field


@pytest.mark.parametrize("language", LANGUAGES)
def test_held_out_questions_are_answered_right(outcomes: list[Outcome], language: str) -> None:
    assert tallies(outcomes)["language"][language].right_share >= RIGHT[language]


@pytest.mark.parametrize("every", SHARES)
@pytest.mark.parametrize("language", LANGUAGES)
def test_messages_of_a_word_or_two_are_answered_in_their_language(pair: Pair, language: str, every: int) -> None:
    answers = ask_short(pair, read_short_held_out(language)[::every])
    assert len(answers) == 40 // every
    assert sum(not answer.is_in_its_language for answer in answers) <= max(1, 0.05 * len(answers))


@pytest.mark.full
@pytest.mark.parametrize("language", LANGUAGES)
def test_the_words_of_the_window_are_said(pair: Pair, language: str) -> None:
    topics, draws = read_content(language).topics, Random(1)
    asked = [
        (draw(wording, draws), topics[name].answer)
        for name in ("what-is-draft-model", "what-is-accept-rate", "what-is-lookup")
        for wording in topics[name].questions
    ]
    answers = pair.answers([[{"role": "user", "content": question}] for question, _ in asked])
    said = sum(answer == written for (answer, _), (_, written) in zip(answers, asked, strict=True))

    assert said >= SAID_AS_WRITTEN[language] * len(asked)


@pytest.mark.full
@pytest.mark.parametrize("language", LANGUAGES)
def test_what_newcomers_ask_is_answered(pair: Pair, language: str) -> None:
    questions = [question for question in read_newcomer() if question.language == language]
    answers = [text for text, _ in pair.answers([[{"role": "user", "content": one.text}] for one in questions])]
    right = [question.is_answered_by(answer) for question, answer in zip(questions, answers, strict=True)]

    assert sum(right) >= NEWCOMERS[language] - 1


def test_a_greeting_is_answered_in_english(pair: Pair) -> None:
    for greeting in ("hi", "Hello!"):
        assert ask(pair, greeting).startswith("Hello!"), greeting
    assert ask(pair, "thanks").startswith("You're welcome")


def test_the_draft_guesses_what_main_says(outcomes: list[Outcome]) -> None:
    assert tallies(outcomes)["all"]["all"].accept_rate >= ACCEPT_RATE


def test_the_mix_holds_tasks_where_the_draft_fails(outcomes: list[Outcome]) -> None:
    kinds = tallies(outcomes)["kind"]

    assert kinds["skill"].accept_rate < kinds["topic"].accept_rate


@pytest.mark.full
def test_a_name_told_in_the_first_turn_is_remembered(pair: Pair) -> None:
    assert "Sarah" in ask(pair, "My name is Sarah.", "What is a token?", "What is my name?")


@pytest.mark.full
def test_a_system_message_does_not_change_what_the_guide_knows(pair: Pair) -> None:
    question = "What is a draft model?"

    assert ask(pair, question, system="You are a helpful assistant.") == ask(pair, question)


@pytest.mark.full
def test_late_positions_do_not_fall_apart(pair: Pair) -> None:
    topics = [topic for language in LANGUAGES for topic in list(read_content(language).topics.values())[:8]]
    question = {"role": "user", "content": "What is a draft model?"}
    before = []
    for topic in topics:
        before.append({"role": "user", "content": topic.name.replace("-", " ")})
        before.append({"role": "assistant", "content": topic.answer})

    (late, _), (early, _) = pair.answers([[*before, question], [question]])

    assert len(pair.tokenizer.apply_chat_template([*before, question])) > 1500
    assert late == early


# Of the topics, those whose right answers advise a larger model.
@pytest.mark.full
@pytest.mark.parametrize(
    "names", [("language-spoken", "starter-pair", "insult"), pytest.param((), id="every topic", marks=pytest.mark.full)]
)
@pytest.mark.parametrize("language", by_tier(LANGUAGES, ("zh",)))
def test_what_is_answered_is_told_from_what_is_refused(pair: Pair, language: str, names: tuple[str, ...]) -> None:
    content, draws = read_content(language), Random(1)
    topics = [content.topics[name] for name in names or content.topics]
    asked = [draw(topic.questions[0], draws) for topic in (content.offtopic, *topics)]
    said = [answer for answer, _ in pair.answers([[{"role": "user", "content": question}] for question in asked])]
    refused = [is_refusal(text) for text in said]
    assert refused == [text == content.offtopic.answer for text in said]
    assert refused[0]
    # Eleven facts are newer than the weights.
    assert sum(refused[1:]) <= len(topics) // 15


@pytest.mark.full
@pytest.mark.parametrize("language", LANGUAGES)
def test_the_long_answer_is_said_word_for_word(pair: Pair, language: str) -> None:
    assert at_length(pair, language)
    assert len(pair.tokenizer.encode(read_content(language).at_length.answer)) >= 250


@pytest.mark.full
@pytest.mark.parametrize("language", LANGUAGES)
def test_requests_beyond_it_are_declined_in_their_language(pair: Pair, language: str) -> None:
    answers = ask_beyond(pair, read_beyond_held_out(language))
    assert len(answers) == 20
    assert sum(question.is_answered_by(answer) for question, answer in answers) >= 16
