"""The engine and the scripted one have the methods of the protocol, so that a front end can use any of them."""

from __future__ import annotations

import inspect
import subprocess
import sys

import pytest

from engine import Engine, EngineClient
from tests.app.scripted_engine import ScriptedEngine

METHODS = [name for name, value in vars(EngineClient).items() if inspect.isfunction(value) and name[0] != "_"]
VALUES = [name for name, value in vars(EngineClient).items() if isinstance(value, property)]


def test_the_protocol_names_every_public_member_of_the_engine() -> None:
    public = {name for name in dir(Engine) if not name.startswith("_")}
    assert public == {*METHODS, *VALUES}


@pytest.mark.parametrize("implementation", [Engine, ScriptedEngine])
@pytest.mark.parametrize("name", METHODS)
def test_every_implementation_has_the_methods_of_the_protocol(name: str, implementation: type) -> None:
    expected = inspect.signature(getattr(EngineClient, name))
    assert inspect.signature(getattr(implementation, name)) == expected


def test_the_protocol_and_what_crosses_it_need_no_mlx() -> None:
    script = "import engine.client, sys; sys.exit('mlx' in sys.modules or 'mlx.core' in sys.modules)"
    subprocess.run([sys.executable, "-c", script], check=True)
