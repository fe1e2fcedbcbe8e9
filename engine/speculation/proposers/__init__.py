"""Proposers: sources of draft tokens, one module each; `engine.methods` lists them."""
