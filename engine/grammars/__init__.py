"""Grammars that answers follow: their declaration, their compilation for a model, and their matching of an answer."""
