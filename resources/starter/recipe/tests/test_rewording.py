"""Needs torch, which only the recipe's extra brings."""

from pathlib import Path

import pytest

torch = pytest.importorskip("torch", reason="needs torch (recipe)")

from tokenizers import Tokenizer  # noqa: E402

from resources.starter.recipe import rewording  # noqa: E402
from resources.starter.recipe.content import Content, Followup, Topic, read_content  # noqa: E402
from resources.starter.recipe.conversations import Conversation, Turn  # noqa: E402
from resources.starter.recipe.export import load_model  # noqa: E402
from resources.starter.recipe.model import MAIN  # noqa: E402
from resources.starter.recipe.rewording import giving, is_of_before, shortened, unsaid_answers, without  # noqa: E402

STARTER = Path(__file__).parents[2]


def chat(*answers: str) -> Conversation:
    return Conversation("en", tuple(Turn("?", answer, "topic") for answer in answers))


CHATS = [chat("old", "new"), chat("old"), chat("new", "new too"), chat("new"), chat("new too")]


def test_what_changed_is_given_so_many_times_and_what_did_not_by_itself_never() -> None:
    # The third has an answer more of which only one was given.
    assert list(giving({"new", "new too"}, CHATS, 1)) == [CHATS[0], CHATS[2]]
    assert list(giving({"new", "new too"}, CHATS, 2)) == [CHATS[0], CHATS[2], CHATS[4]]


def test_what_is_kept_gives_nothing_that_changed() -> None:
    assert list(without({"new", "new too"}, CHATS)) == [CHATS[1]]
    assert list(shortened({"new"}, CHATS[:3])) == [chat("old"), chat("old"), chat("new too")]


@pytest.fixture(scope="module")
def tokenizer() -> Tokenizer:
    return Tokenizer.from_file(str(STARTER / "main" / "tokenizer.json"))


def test_a_beginning_is_of_before_that_no_text_has_or_one_that_changed(tokenizer: Tokenizer) -> None:
    answer = read_content("en").topics["is-it-free"].answer
    own, other = ((ids, [True] * len(ids)) for ids in (tokenizer.encode(text).ids for text in (answer[:20], "It pays")))

    assert not is_of_before(own, tokenizer, set())
    assert is_of_before(own, tokenizer, {answer})
    assert is_of_before(other, tokenizer, set())


def test_an_answer_that_changed_is_unsaid(monkeypatch: pytest.MonkeyPatch, tokenizer: Tokenizer) -> None:
    known = read_content("en").topics["is-it-free"]
    changed = Topic("changed", known.questions, "Something else.", (Followup(known.followups[0].questions, "New."),))
    table = Content({"is-it-free": known, "changed": changed}, known, known)
    monkeypatch.setattr(rewording, "LANGUAGES", ("en",))
    monkeypatch.setattr(rewording, "read_content", lambda _: table)
    main = load_model(MAIN, STARTER / "main").eval()

    assert unsaid_answers(main, tokenizer, seed=1) == {"Something else.", "New."}
