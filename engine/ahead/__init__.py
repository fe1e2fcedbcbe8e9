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
  first. How likely they are follows from how often drafts are accepted, which each outcome says.
- the depth (the paper's K): what the person or the controller chooses, as for all drafts.
- the draft runner's loop: `runner`, a process of its own. `branches` reads the newest tokens of several branches
  in one pass.
- the second device: this computer's processor, or another computer, as `EngineSettings.draft_ahead` says.
  `other_computer` starts a runner there as a rank of a cluster is started, over ssh, if that computer has the same
  versions and the same files of the draft model. It ends with its connection, and within seconds when the signs of life
  from here stop.
- the scheduler's side: `link` starts the runner and reaches it, and `drafting_ahead` is one answer's exchange with it.
  `rest` decides when the runner rests, and `worth` whether rounds are faster without it.
- verification, greedy and stochastic: `engine.speculation.rounds`, as for all draft tokens. The noise of a draw depends
  on its position alone, so a prepared token is right as often as one that is drafted after the outcome. Prepared tokens
  come without distributions, so none is accepted by rejection sampling (`engine.speculation.proposers.ahead`).
- the fallback after a miss: the engine drafts as without a runner, or decodes plainly. A round waits no longer for a
  prepared draft than drafting takes.
- Saguaro sampling, which biases drafts so that recovery tokens are easier to guess, is not here. A prepared token is
  accepted where the main model draws the same one, so a biased draft would only be accepted less. The runner knows the
  noise of the draws instead.

The controller weighs prepared drafts as a source of its own, by measured rounds. But a runner on this computer slows
every pass down, which no comparison of sources shows: so it works and rests by turns, mostly the way that is faster.
`python -m tests.engine.speculation.two_macs` prints what a second Mac would gain by published costs, and
`python -m tests.engine.speculation.two_macs_chosen` how much of that the controller finds.

The runner is a process because MLX's default device belongs to the whole process: a thread that drafts on the CPU would
turn the engine's passes to the CPU, too. It loads a copy of the draft model, and is started only if there is memory for
that.

What never belongs here: the choice between sources (`engine.speculation.choosing`), and anything that decides which
tokens are committed.
"""
