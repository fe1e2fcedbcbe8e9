"""The window and the servers of tools that campaigns attack, as the tests of the app have them."""

from tests.app.conftest import (
    current_translations,
    english_and_light,
    no_other_accounts,
    nothing_is_left,
    open_window,
    patient_notices,
    patient_waits,
    qapp_args,
    qapp_cls,
    trays,
)
from tests.app.tools.conftest import hosts

__all__ = [
    "current_translations",
    "english_and_light",
    "hosts",
    "no_other_accounts",
    "nothing_is_left",
    "open_window",
    "patient_notices",
    "patient_waits",
    "qapp_args",
    "qapp_cls",
    "trays",
]
