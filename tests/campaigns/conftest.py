"""The window and the servers of tools that campaigns attack, as the tests of the app have them."""

from tests.app.api.conftest import serve
from tests.app.conftest import (
    current_translations,
    no_other_accounts,
    nothing_is_left,
    open_window,
    patient_waits,
    qapp_args,
    qapp_cls,
    trays,
)
from tests.app.tools.conftest import ended_at_once, hosts
from tests.engine.conftest import tiny_main
from tests.engine.hub.conftest import hub

__all__ = [
    "current_translations",
    "ended_at_once",
    "hosts",
    "hub",
    "no_other_accounts",
    "nothing_is_left",
    "open_window",
    "patient_waits",
    "qapp_args",
    "qapp_cls",
    "serve",
    "tiny_main",
    "trays",
]
