"""The two ways to decode a generation: alone, or in a batch. A generation may move between them mid-answer.

In a batch, one pass verifies the proposals of all answers, whose caches are rows of shared buffers, each with its own
length. Joining copies caches into a row, and leaving copies them out. Caches that cannot be rows take turns.

Alone and in a batch, a plain round after a plain one starts before the result of the first is read. A round with draft
tokens starts only after the one before is counted: text, events and learning could wait until the next draft is under
way, and a lookup could be made for every possible outcome meanwhile. Counting took 0.35 ms on two cores, of which half
could wait, and a lookup 0.05 to 0.2 ms: less than 1 % of a round of 40 ms. Nobody would notice, so neither is done.

`speculative_decoder` decodes one generation, for which `answer_drafting` chooses and proposes; `batch_decoder` decodes
several. `round_clock` times the rounds of both.
"""
