"""Drafting ahead: a draft model on a device of its own drafts while the main model verifies.

This is speculative speculative decoding (Kumar, Dao, May, arXiv:2603.03251; SGLang's ASYNC_SPEC). While a round is
verified, its outcome is guessed: how many draft tokens are accepted, and which token follows them. What would be
drafted after the likely outcomes is drafted already, so that the next proposal is there when the outcome is known.

Where a reader of the paper finds its parts:

- the handshake: `messages`. `messages.RoundOutcome` has the accepted tokens and the recovery token, the last of them;
  `messages.DraftReply` has the continuation that was prepared, or none.
- the tree cache: `tree_cache.TreeCache`. Its keys are outcomes: a number of accepted tokens (a "cut") and a recovery
  token. `tree_drafter` fills it, and the runner sends it as `messages.PreparedTree` while it grows: an outcome that is
  in it needs no answer, and so waits for no link.
- the fan-out, which gives likelier outcomes more of the tree: `deepening`. Each cut has branches for up to
  `EngineSettings.draft_ahead_branches` recovery tokens (the paper's F), and the likelier ones of all cuts are deepened
  first.
- the draft runner's loop: `runner`, a process of its own. `branches` reads the newest tokens of several branches
  in one pass.
- the second device: this computer's processor, or another computer, which `other_computer` reaches.
- the scheduler's side: `link` starts the runner and reaches it, and `drafting_ahead` is one answer's exchange with it.
  `rest` decides when the runner rests, and `worth` whether rounds are faster without it.
- verification, greedy and stochastic: `engine.speculation.rounds`, as for all draft tokens. The noise of a draw depends
  on its position alone, so a prepared token is right as often as one that is drafted after the outcome.

The runner is a process because MLX's default device belongs to the whole process: a thread that drafts on the CPU would
turn the engine's passes to the CPU, too. It loads a copy of the draft model, and is started only if there is memory for
that.

What never belongs here: the choice between sources (`engine.speculation.choosing`), and anything that decides which
tokens are committed.
"""
