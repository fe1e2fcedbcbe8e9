"""Dataclasses whose methods are compiled at their first call do what the decorator alone makes."""

from __future__ import annotations

import json
import subprocess
import sys

CLASSES = '''
from __future__ import annotations
from dataclasses import InitVar, dataclass, field

@dataclass(frozen=True, slots=True)
class Point:
    """Frozen, without a dictionary."""
    x: int
    y: float = 0.5
    tags: list[str] = field(default_factory=list, compare=False)
    seen: InitVar[int] = 0
    kept: int = field(init=False, default=3)

    def __post_init__(self, seen: int) -> None:
        if seen < 0:
            raise ValueError(seen)

@dataclass(order=True)
class Node:
    """Ordered, and may hold itself."""
    rank: int
    below: object = field(default=None, compare=False)
    hidden: int = field(default=1, repr=False, kw_only=True)

@dataclass(frozen=True)
class Base:
    """Frozen, with a dictionary."""
    a: str = "a"

@dataclass(frozen=True)
class Derived(Base):
    """Inherits, and is printed in its own way."""
    b: tuple[int, ...] = ()

    def __repr__(self) -> str:
        return "its own"

@dataclass(eq=False, slots=True)
class Plain:
    """Compared by identity."""
    a: int = 1
'''
# Run with the decorator as it is, and with compiling put off; the classes are those of the package in argv[2].
SCRIPT = """
import copy, dataclasses, inspect, json, pickle, sys, types
if sys.argv[1] == "deferred":
    import engine.deferred_methods
module = types.ModuleType(sys.argv[2] + ".of_the_test")
sys.modules[module.__name__] = module
exec(sys.argv[3], module.__dict__)
globals().update(vars(module))
print(Point.__init__.__code__.co_name, file=sys.stderr)
found = []

def note(call):
    try:
        found.append(repr(call()))
    except Exception as error:
        found.append(f"{type(error).__name__}: {error}")

loop = Node(1)
loop.below = loop
for call in (
    lambda: Point(1), lambda: Point(1, 2.0, ["a"], 4), lambda: Point(x=2, seen=-1), lambda: Point(),
    lambda: Point(1, 2, 3, 4, 5), lambda: Point(1, z=2), lambda: Point(1) == Point(1, tags=["other"]),
    lambda: Point(1) == 1, lambda: hash(Point(1)) == hash(Point(1)), lambda: hash(Node(1)),
    lambda: setattr(Point(1), "x", 2), lambda: delattr(Point(1), "x"), lambda: setattr(Base(), "a", 2),
    lambda: setattr(Base(), "other", 2), lambda: delattr(Derived(), "b"), lambda: loop,
    lambda: Node(1) < Node(2), lambda: Node(2) >= Node(1, hidden=3), lambda: Node(1) < 1, lambda: Node(1, 2, 3),
    lambda: sorted([Node(2), Node(1)]), lambda: Derived("x", (1,)), lambda: Derived() == Derived(),
    lambda: Derived() == Base(), lambda: dataclasses.asdict(Derived()), lambda: Plain() == Plain(),
    lambda: dataclasses.replace(Point(1), x=5, seen=1), lambda: pickle.loads(pickle.dumps(Point(7))),
    lambda: copy.deepcopy(Node(3)), lambda: Plain(3), lambda: inspect.signature(Point),
    lambda: [field.name for field in dataclasses.fields(Node)], lambda: Point.__match_args__,
    *(lambda name=name: getattr(Point.__init__, name) for name in (
        "__name__", "__qualname__", "__module__", "__annotations__", "__defaults__", "__kwdefaults__"
    )),
    lambda: Node.__init__.__kwdefaults__, lambda: Base.__repr__.__wrapped__.__qualname__,
):
    note(call)
print(json.dumps(found).replace(sys.argv[2] + ".of_the_test", "MODULE"))
"""
WHEN_CALLED_BY_MANY = """
import sys, threading
import engine.deferred_methods
sys.setswitchinterval(1e-6)
import types
for _ in range(20):
    module = types.ModuleType("app.of_the_test")
    sys.modules[module.__name__] = module
    exec(sys.argv[1], module.__dict__)
    together = threading.Barrier(8)
    def use():
        together.wait()
        assert module.Point(1, 2.0) == module.Point(1, y=2.0) and module.Node(1) < module.Node(2)
        done.append(1)
    done = []
    threads = [threading.Thread(target=use) for _ in range(8)]
    for thread in threads: thread.start()
    for thread in threads: thread.join()
    assert len(done) == 8
"""


def run(script: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-c", script, *arguments], capture_output=True, text=True, check=True)


def test_they_are_used_as_the_decorator_makes_them() -> None:
    whole, deferred = run(SCRIPT, "whole", "engine", CLASSES), run(SCRIPT, "deferred", "engine", CLASSES)
    assert json.loads(deferred.stdout) == json.loads(whole.stdout)
    compiled_by_the_decorator = sys.version_info >= (3, 13)
    assert deferred.stderr == ("__init__\n" if compiled_by_the_decorator else "_first_call\n")


def test_those_of_other_packages_are_left_alone() -> None:
    whole, deferred = run(SCRIPT, "whole", "engines", CLASSES), run(SCRIPT, "deferred", "engines", CLASSES)
    assert (deferred.stdout, deferred.stderr) == (whole.stdout, "__init__\n")


def test_threads_may_call_them_first_at_the_same_time() -> None:
    run(WHEN_CALLED_BY_MANY, CLASSES)
