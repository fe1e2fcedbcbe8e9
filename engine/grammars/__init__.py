"""Grammars that answers follow: their declaration, their compilation for a model, and their matching of an answer.

`GrammarCompiler` first tries a grammar in a process with limits, then compiles it for the model's tokens. What
llguidance refuses of a schema is left out (`schemas`), and figures name it. `constraint` masks what each row may
draw; the draft model, heads and batches draw under the same masks. Where the grammar leaves no choice, the proposer
`grammar` proposes the forced text. An answer that may call functions is free text; `calls_in_text` holds each call in
it to the grammar, from the call's mark to its end.
"""
