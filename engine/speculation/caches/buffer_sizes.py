"""The sizes of cache buffers, in tokens. Does not import MLX, because memory is estimated before that is loaded."""

from __future__ import annotations

# mlx-lm's caches grow by this many tokens at a time.
GROWTH_TOKENS = 256
# Above this size, the memory that doubling a buffer would waste weighs more than the time of another trace.
_MOST_GROWTH_TOKENS = 8192


def compiled_buffer_tokens(tokens: int) -> int:
    """Return the buffer size, in tokens, of a compiled pass that holds `tokens` tokens.

    Each size needs its own trace, so there are few sizes: up to 8192 each is twice the one before; above, they
    are the multiples of 8192.
    """
    size = GROWTH_TOKENS
    while size < min(tokens, _MOST_GROWTH_TOKENS):
        size *= 2
    return size if size >= tokens else -(-tokens // _MOST_GROWTH_TOKENS) * _MOST_GROWTH_TOKENS
