"""The two ways to decode a generation: alone, or in a batch. A generation may move between them mid-answer.

In a batch, one pass verifies the proposals of all answers, whose caches are rows of shared buffers, each with its own
length. Joining copies caches into a row, and leaving copies them out. Caches that cannot be rows take turns.

`speculative_decoder` decodes one generation, for which `answer_drafting` chooses and proposes; `batch_decoder` decodes
several. `round_clock` times the rounds of both.
"""
