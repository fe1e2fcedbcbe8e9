"""The buttons below a message: which are painted while the pointer is elsewhere."""

from __future__ import annotations

from app.chat.action_row import ActionRow
from tests.app.chat.conftest import Show


def is_painted(row: ActionRow, action: str) -> bool:
    picture = row.button(action).grab().toImage()
    return len({picture.pixel(x, y) for x in range(picture.width()) for y in range(picture.height())}) > 1


def test_the_arrows_beside_a_version_are_always_painted(show: Show[ActionRow]) -> None:
    row = show(ActionRow((("copy", "copy"),), align_right=False))
    row.show_version(1, 2)
    row.set_lit(False)
    assert [is_painted(row, action) for action in ("previous", "next", "copy")] == [True, True, False]
    row.set_lit(True)
    assert is_painted(row, "copy")
