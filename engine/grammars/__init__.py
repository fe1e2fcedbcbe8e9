"""Grammars that answers follow: their declaration, their compilation for a model, and their matching of an answer.

`engine.main_model.grammar_compiler` tries a grammar in a process with limits before it compiles it. The parts of a
schema that llguidance refuses are left out and named in figures. `constraint` masks the tokens that each row may draw,
also in drafts, heads and batches; `calls_in_text` holds only the function calls in a free text to the grammar.
"""
