"""Sums with small numbers. The answer repeats the sum, so the model copies before it calculates."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import random

    from resources.starter.recipe.conversations import Turn
    from resources.starter.recipe.voice import Voice

FAMILY = "arithmetic"


def _pair(rng: random.Random, top: int) -> tuple[int, int]:
    if rng.random() < 0.5:
        top = min(top, 20)
    return rng.randint(0, top), rng.randint(0, top)


def _operands(operation: str, rng: random.Random) -> tuple[int, int, int, str]:
    """First and second number, result, and the sign between them."""
    if operation == "add":
        a, b = _pair(rng, 99)
        return a, b, a + b, "+"
    if operation == "subtract":
        b, a = sorted(_pair(rng, 99))
        return a, b, a - b, "-"
    a, b = rng.randint(0, 12), rng.randint(0, 12)
    if operation == "multiply":
        return a, b, a * b, "×"
    b = max(b, 1)
    return a * b, b, a, "÷"


def _calculation(voice: Voice, operation: str) -> tuple[Turn, int]:
    a, b, result, sign = _operands(operation, voice.rng)
    return voice.turn(operation, FAMILY, {"a": a, "b": b}, f"{a} {sign} {b} = {result}"), result


def arithmetic(voice: Voice) -> list[Turn]:
    """One sum, difference, product, quotient, comparison, double or half."""
    draw = voice.rng.random()
    if draw < 0.8:
        operation = voice.rng.choices(["add", "subtract", "multiply", "divide"], [3, 5, 3, 2])[0]
        return [_calculation(voice, operation)[0]]
    if draw < 0.9:
        a, b = voice.rng.sample(range(100), 2)
        slots = {"a": a, "b": b, "min": min(a, b), "max": max(a, b)}
        return [voice.turn(voice.rng.choice(["larger", "smaller"]), FAMILY, slots)]
    number = voice.rng.randint(1, 50)
    if voice.rng.random() < 0.5:
        return [voice.turn("double", FAMILY, {"a": number}, f"{number} × 2 = {number * 2}")]
    return [voice.turn("half", FAMILY, {"a": number * 2}, f"{number * 2} ÷ 2 = {number}")]


def chained_arithmetic(voice: Voice) -> list[Turn]:
    """A sum, then one or two more steps from its result."""
    turn, result = _calculation(voice, voice.rng.choice(["add", "subtract", "multiply"]))
    turns = [turn]
    for _ in range(voice.rng.randint(1, 2)):
        operation = voice.rng.choice(["then_add", "then_subtract", "then_multiply"])
        if operation == "then_multiply" and result <= 12:
            number = voice.rng.randint(2, 10)
            sign, following = "×", result * number
        elif operation == "then_subtract" and result > 1:
            number = voice.rng.randint(1, result)
            sign, following = "-", result - number
        else:
            operation, number = "then_add", voice.rng.randint(1, 20)
            sign, following = "+", result + number
        turns.append(voice.turn(operation, FAMILY, {"b": number}, f"{result} {sign} {number} = {following}"))
        result = following
    return turns
