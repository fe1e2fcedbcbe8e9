"""The local API in sentences: what a call does, and why nothing is served."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication, QObject

from app.wording import figures
from engine.errors import CodedError

if TYPE_CHECKING:
    from app.api.activity import Call


def call_line(call: Call) -> str:
    """One call in a line: who asked, what state it is in, and its figures."""
    translate = QCoreApplication.translate
    states = {
        "waiting": translate("LocalApi", "waiting"),
        "prefilling": translate("LocalApi", "reading the prompt"),
        "answering": translate("LocalApi", "answering"),
        "finished": translate("LocalApi", "finished"),
        "cancelled": translate("LocalApi", "stopped"),
        "failed": translate("LocalApi", "failed"),
    }
    parts = [call.client or translate("LocalApi", "unknown program"), states[call.state]]
    if call.tokens:
        parts.append(CountedCalls().tokens(call.tokens))
    if call.accept_rate is not None:
        parts.append(translate("LocalApi", "{rate} accepted").format(rate=figures.percent(call.accept_rate)))
    return " · ".join(parts)


def serving_sentence(requests: int, address: str) -> str:
    """What the mark in the header stands for."""
    translate = QCoreApplication.translate
    serves = translate("LocalApi", "The local API serves at {address}.").format(address=address)
    if not requests:
        return serves
    return f"{serves} {CountedCalls().requests(requests)}"


def problem_sentence(problem: CodedError) -> str:
    """Why nothing is served, and what to do."""
    translate = QCoreApplication.translate
    sentences = {
        "in-use": translate("LocalApi", "Another program uses port {port}. Choose another one."),
        "not-allowed": translate("LocalApi", "The system does not allow port {port}. Choose one above 1023."),
        "no-address": translate("LocalApi", "This computer has no address {host}."),
    }
    sentence = sentences.get(getattr(problem, "reason", ""), translate("LocalApi", "The local API could not start."))
    return sentence.format(**problem.arguments)


class CountedCalls(QObject):
    """Words with plural forms, which Qt's extractor finds only in a class's own `tr`."""

    def tokens(self, count: int) -> str:
        return self.tr("%n token(s)", "", count)

    def requests(self, count: int) -> str:
        return self.tr("%n request(s) under way.", "", count)
