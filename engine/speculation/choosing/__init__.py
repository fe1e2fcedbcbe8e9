"""How many draft tokens each round gets, and from which source.

`costs` predicts seconds: of a pass by its rows, of drafting and catch-up by their tokens, each with a variance. One
factor, the level, scales all: a slower machine or a longer context changes one number. On a Mac, a pass of more rows
than were measured should cost what `engine.machine.row_costs` has for the chip. `texts` predicts accepted tokens; it
models a text as easy, mixed or hard to draft. `controller` takes the plan that commits the most tokens a second.
`speedup` compares runs of plain rounds with their neighbours. `kept` keeps all of this on disk; in Low Power Mode or
heat, rounds are compared anew.
"""
