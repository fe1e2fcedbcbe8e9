"""A draft model in a process on the CPU that drafts while the main model verifies (arXiv:2603.03251).

After each round `DraftingAhead` sends the committed tokens as a `RoundOutcome`. `TreeDrafter` answers from its tree of
likely outcomes, or with nothing, so that the engine drafts itself. The proposer `ahead` offers what arrives.
"""
