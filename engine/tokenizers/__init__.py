"""Tokenizers: loading them, prompts by their chat templates, calls and thoughts, and the text of answers."""
