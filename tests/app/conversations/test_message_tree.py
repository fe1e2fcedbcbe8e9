"""The message tree against a plain-Python tree, over random sequences of everything that changes one."""

from __future__ import annotations

import shutil
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, consumes, invariant, rule, run_state_machine_as_test

from app.conversations.database.errors import NotFound
from app.conversations.database.records import AnswerSource
from app.conversations.deletions import Deletion
from app.conversations.opening import open_store
from engine.stats import RequestStats
from tests.app.conversations.conftest import Clock

WORDS = st.text(st.sampled_from("초안草a é\n"), max_size=6)


# Compared by identity: two messages may have the same text.
@dataclass(eq=False)
class Node:
    role: str
    text: str
    state: str
    parent: Node | None
    children: list[Node] = field(default_factory=list)
    selected: Node | None = None

    @property
    def siblings(self) -> list[Node]:
        assert self.parent is not None
        return self.parent.children


@dataclass
class Deleted:
    """What was deleted, its index among its siblings, and the former parents of what moved up."""

    chat: int
    node: Node
    position: int
    moved: list[tuple[Node, Node | None]]


@dataclass
class Tree:
    """A chat: an invisible root whose children are the first messages."""

    root: Node = field(default_factory=lambda: Node("root", "", "complete", None))
    trashed: bool = False

    def path(self) -> list[Node]:
        shown = []
        node = self.root.selected
        while node is not None:
            shown.append(node)
            node = node.selected
        return shown


def grow(parent: Node, role: str, text: str, state: str = "complete") -> Node:
    node = Node(role, text, state, parent)
    parent.children.append(node)
    parent.selected = node
    return node


class TreeMachine(RuleBasedStateMachine):
    chats = Bundle("chats")

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp())
        self.clock = Clock()
        self.store, _damaged = open_store(self.folder / "chats.db", self.clock)
        self.trees: dict[int, Tree] = {}
        self.nodes: dict[int, Node] = {}
        self.deletions: list[Deletion] = []
        self.deleted: list[Deleted] = []

    def teardown(self) -> None:
        self.store.close()
        shutil.rmtree(self.folder)

    def pick(self, data: st.DataObject, chat: int, *states: str, role: str = "") -> int | None:
        """A message of the chat in one of these states."""
        mine = {message.id for message in self.store.messages.all(chat)}
        fitting = sorted(
            message
            for message in mine
            if (not states or self.nodes[message].state in states) and role in ("", self.nodes[message].role)
        )
        return data.draw(st.sampled_from(fitting)) if fitting else None

    @rule(target=chats)
    def create(self) -> int:
        chat = self.store.conversations.create()
        self.trees[chat] = Tree()
        return chat

    @rule(chat=chats, text=WORDS)
    def turn(self, chat: int, text: str) -> None:
        path = self.trees[chat].path()
        parent = path[-1] if path else self.trees[chat].root
        self.nodes[self.store.messages.add_user_turn(chat, text)] = grow(parent, "user", text)

    @rule(chat=chats, data=st.data())
    def answer(self, chat: int, data: st.DataObject) -> None:
        message = self.pick(data, chat, role="user")
        if message is not None:
            node = grow(self.nodes[message], "assistant", "", "streaming")
            self.nodes[self.store.answers.start(message, AnswerSource())] = node

    @rule(chat=chats, text=WORDS, data=st.data())
    def stream(self, chat: int, text: str, data: st.DataObject) -> None:
        message = self.pick(data, chat, "streaming")
        if message is not None:
            self.store.answers.append(message, text)
            self.nodes[message].text += text

    @rule(chat=chats, text=WORDS, fails=st.booleans(), data=st.data())
    def end(self, chat: int, text: str, fails: bool, data: st.DataObject) -> None:
        message = self.pick(data, chat, "streaming")
        if message is not None:
            if fails:
                self.store.answers.finish(message, None, None, text, error=("internal", {}))
            else:
                self.store.answers.finish(message, "stop", RequestStats(), text)
            self.nodes[message].text += text
            self.nodes[message].state = "failed" if fails else "complete"

    @rule(chat=chats, data=st.data())
    def resume(self, chat: int, data: st.DataObject) -> None:
        message = self.pick(data, chat, "complete", "failed", "interrupted", role="assistant")
        if message is not None:
            self.store.answers.resume(message, AnswerSource())
            self.nodes[message].state = "streaming"

    @rule(chat=chats, text=WORDS, data=st.data())
    def edit(self, chat: int, text: str, data: st.DataObject) -> None:
        message = self.pick(data, chat)
        if message is not None:
            original = self.nodes[message]
            assert original.parent is not None
            self.nodes[self.store.messages.edit(message, text)] = grow(original.parent, original.role, text)

    @rule(chat=chats, data=st.data())
    def regenerate(self, chat: int, data: st.DataObject) -> None:
        message = self.pick(data, chat, role="assistant")
        if message is not None:
            original = self.nodes[message]
            assert original.parent is not None
            node = grow(original.parent, "assistant", "", "streaming")
            self.nodes[self.store.answers.regenerate(message, AnswerSource())] = node

    @rule(chat=chats, data=st.data())
    def select(self, chat: int, data: st.DataObject) -> None:
        message = self.pick(data, chat)
        if message is not None:
            self.store.messages.select(message)
            node: Node | None = self.nodes[message]
            while node is not None and node.parent is not None:
                node.parent.selected = node
                node = node.parent

    @rule(chat=chats, data=st.data())
    def delete_question(self, chat: int, data: st.DataObject) -> None:
        message = self.pick(data, chat, role="user")
        if message is None:
            return
        node = self.nodes[message]
        answers = [child for child in node.children if child.role == "assistant"]
        others = [child for child in node.children if child.role != "assistant"]
        moved = others + [child for answer in answers for child in answer.children]
        shown = node.selected if node.selected not in answers else node.selected.selected
        self.deleted.append(Deleted(chat, node, node.siblings.index(node), [(one, one.parent) for one in moved]))
        node.siblings[node.siblings.index(node) : node.siblings.index(node) + 1] = moved
        for one in moved:
            one.parent = node.parent
        self.reselect(self.deleted[-1], shown)
        self.deletions.append(self.store.deletions.delete_question(message))

    @rule(chat=chats, data=st.data())
    def delete_answer(self, chat: int, data: st.DataObject) -> None:
        message = self.pick(data, chat, role="assistant")
        if message is None:
            return
        node = self.nodes[message]
        self.deleted.append(Deleted(chat, node, node.siblings.index(node), []))
        node.siblings.remove(node)
        self.reselect(self.deleted[-1], None)
        self.deletions.append(self.store.deletions.delete_answer(message))

    def reselect(self, deleted: Deleted, shown: Node | None) -> None:
        """Select what took the place of a deleted message, or the sibling at its index."""
        parent = deleted.node.parent
        if parent.selected is deleted.node:
            last = len(parent.children) - 1
            parent.selected = shown or (parent.children[min(deleted.position, last)] if parent.children else None)

    @rule()
    def undo(self) -> None:
        if not self.deletions:
            return
        deletion, deleted = self.deletions.pop(), self.deleted.pop()
        if deleted.chat not in self.trees:
            with pytest.raises(NotFound):
                self.store.deletions.restore(deletion)
            return
        self.store.deletions.restore(deletion)
        node = deleted.node
        for one, parent in deleted.moved:
            node.siblings.remove(one)
            one.parent = parent
        node.siblings.insert(deleted.position, node)
        while node.parent is not None:
            node.parent.selected = node
            node = node.parent

    @rule(chat=consumes(chats))
    def purge(self, chat: int) -> None:
        self.store.conversations.trash(chat)
        self.store.conversations.purge_trash()
        del self.trees[chat]

    @rule()
    def restart(self) -> None:
        self.store.close()
        self.clock.now += 1.0
        self.store, _damaged = open_store(self.folder / "chats.db", self.clock)
        for node in self.nodes.values():
            if node.state == "streaming":
                node.state = "interrupted"

    @invariant()
    def every_chat_shows_what_the_model_shows(self) -> None:
        assert {chat.id for chat in self.store.conversations.view()} == set(self.trees)
        for chat, tree in self.trees.items():
            shown = self.store.messages.path(chat)
            expected = tree.path()
            assert [(m.role, m.content, m.state) for m in shown] == [(n.role, n.text, n.state) for n in expected]
            for message, node in zip(shown, expected, strict=True):
                assert node.parent is not None
                assert message.sibling_count == len(node.parent.children)
                assert node.parent.children[message.position] is node


@pytest.mark.full
def test_the_store_behaves_as_a_plain_tree() -> None:
    run_state_machine_as_test(TreeMachine, settings=settings(max_examples=8, stateful_step_count=20))


@pytest.mark.campaign
def test_the_store_behaves_as_a_plain_tree_for_long() -> None:
    thorough = settings(derandomize=False, database=None, suppress_health_check=list(HealthCheck))
    run_state_machine_as_test(TreeMachine, settings=settings(thorough, max_examples=300, stateful_step_count=60))
