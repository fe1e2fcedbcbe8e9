"""Compare the noise of a key alone with the noise of the same key among others. Prints MLX's device."""

from __future__ import annotations

import mlx.core as mx

KEYS = 16
# How many keys are drawn from together.
WIDTHS = (1, 2, 3, 5, 8, KEYS)
# How many numbers are drawn for each key.
NUMBERS = 1000


def main() -> None:
    """Raises AssertionError with the width at which the noise differs."""
    keys = mx.stack([mx.random.key(number) for number in range(KEYS)])
    alone = mx.stack([noise(key) for key in keys])
    for width in WIDTHS:
        together = mx.vmap(noise)(keys[:width])
        assert mx.array_equal(together, alone[:width]), width
    print(mx.default_device())


def noise(key: mx.array) -> mx.array:
    """Return the noise of a key, (NUMBERS,)."""
    return mx.random.gumbel((NUMBERS,), key=key)


if __name__ == "__main__":
    main()
