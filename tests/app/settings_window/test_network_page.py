"""The test of the connection in the network settings, and its result in words."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from pytestqt.qtbot import QtBot

from app.library.library import Library
from app.settings_window.network_page import NetworkPage
from app.widgets.labels import SentenceLabel
from app.widgets.layouts import settle_layouts
from app.wording.hub import HUB_REASONS
from tests.fakehub.server import FakeHub, Fault


@pytest.fixture
def page(library: Library, qtbot: QtBot) -> Iterator[NetworkPage]:
    page = NetworkPage(library, lambda: "Nothing leaves this computer.")
    qtbot.addWidget(page)
    page.show()
    yield page
    library.close()


def test_it_says_below_its_rows_what_leaves_this_computer(page: NetworkPage) -> None:
    [label] = [one for one in page.findChildren(SentenceLabel) if "leaves" in one.text()]
    settle_layouts()
    assert label.isVisible()
    assert label.geometry().top() > page.test_row.geometry().bottom()


def press(page: Any, qtbot: QtBot) -> str:
    page.test.click()
    assert page.test_row.help.text() == "Testing…"
    assert not page.test.isEnabled()
    qtbot.waitUntil(lambda: page.test.isEnabled())
    return str(page.test_row.help.text())


def test_it_tells_a_mirror_that_answers_and_what_it_makes_of_the_token(
    page: NetworkPage, hub: FakeHub, qtbot: QtBot
) -> None:
    hub.tokens.add("hf_right")
    assert press(page, qtbot) == "Connected."
    page.token.field.setText("hf_right")
    assert press(page, qtbot) == "Connected. Token valid (account tester)."
    assert page.token.field.text() == ""
    page.token.field.setText("hf_wrong")
    assert press(page, qtbot) == "Connected. Token rejected: it is wrong, expired or revoked."
    hub.api_faults["/api/whoami-v2"] = Fault(status=404)
    assert press(page, qtbot) == "Connected. The server does not report whether the token is valid."


def test_it_tries_what_stands_in_the_fields_and_says_why_that_does_not_work(
    page: Any, library: Library, hub: FakeHub, qtbot: QtBot
) -> None:
    page.control("proxy").setText(hub.endpoint)
    page.control("hub_endpoint").setText("http://hub.invalid")
    assert press(page, qtbot) == "Connected."
    assert library.settings.values.proxy == hub.endpoint
    page.control("proxy").setText("")
    page.control("hub_endpoint").setText(hub.endpoint)
    hub.api_faults["/api/models"] = Fault(wrong_bytes=True)
    assert "does not respond like Hugging Face" in press(page, qtbot)
    page.control("hub_endpoint").setText("no address")
    assert "does not respond like Hugging Face" in press(page, qtbot)


def test_offline_it_connects_to_nobody_and_says_so(
    page: NetworkPage, library: Library, hub: FakeHub, qtbot: QtBot
) -> None:
    library.settings.change(work_offline=True)
    before = list(hub.requests)
    assert press(page, qtbot) == HUB_REASONS["kept-offline"]
    assert hub.requests == before
