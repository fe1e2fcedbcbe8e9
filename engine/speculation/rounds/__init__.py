"""One round: propose, verify, accept, commit, over the sequence of one text or a batch of them.

`round` has the round, with an example in shapes, and `drawing` draws its tokens, with rejection sampling. `sequence` is
a model's caches of one text with its committed tokens, `sequence_batch` several of them in one pass. `proposal` is the
interface of proposers. `passes`, `compiled_steps`, `interruptible` and `joint_prefill` run the model; `taps`,
`tap_choice` and `main_ports` let heads read it; `row_rule` says which widths of a pass are rounded like single rows.

Nothing here knows requests, chats, or which proposer is in use.
"""
