"""Grammars that answers follow: their declaration, their compilation for a model, and their matching of an answer.

`GrammarCompiler` tries a grammar in a process with limits before it compiles it. What llguidance refuses of a schema
is left out and named in figures. `constraint` masks what each row may draw, also in drafts, heads and batches;
`calls_in_text` holds only the function calls in a free text to the grammar.
"""
