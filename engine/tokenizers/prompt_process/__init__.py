"""A process of its own that runs what a stranger's folder says about prompts: its tokenizer and its chat template."""
