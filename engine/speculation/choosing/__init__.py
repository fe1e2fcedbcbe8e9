"""How many draft tokens each round gets, and from which source.

`costs` predicts seconds by rows and tokens, scaled by one factor, the level, which follows machine and context.
`texts` predicts accepted tokens of a text that is easy, mixed or hard to draft. `controller` takes the plan that
commits the most tokens a second, and `exploration` limits what its trials of other plans cost. `speedup` compares plain
rounds with their neighbours, and `kept` is on disk.

Several answers at once get one plan, with at most one drafter and one largest depth. Passes are learned by their rows
in all, drafting for several answers by their number. `plans` leaves out what keeps one of them waiting: none falls more
than a tenth behind plain decoding where as many gain by it, a little more where many do.

What all of this reaches in simulated worlds is recorded in expected.toml, which
`python -m tests.engine.speculation.ablation record` writes. `run FILE` in place of `record` measures what each constant
and each part gives; the sentences beside the constants say what is lost there without them.
"""
