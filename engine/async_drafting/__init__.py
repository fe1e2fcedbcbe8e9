"""A draft model in a process on the CPU that drafts while the main model verifies (arXiv:2603.03251).

`EngineSettings.async_drafter` turns it on. After each round `DraftingAhead` sends a `RoundOutcome`: the tokens that
were committed. `TreeDrafter` answers from its tree of likely outcomes, or with nothing, so that the engine drafts
itself, and prepares branches for the next one. The proposer `ahead` offers what arrives, and the controller measures
it like all others. A drafter that ends is started once more and then given up with a reason.
"""
