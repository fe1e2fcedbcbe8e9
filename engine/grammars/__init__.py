"""Grammars that answers follow: what a caller asks for, compiled for a model, walked along an answer."""
