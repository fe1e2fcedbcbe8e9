"""llm, the command: a question with options, against the model that its file of models names."""

import sys

from llm.cli import cli

sys.argv = ["llm", "-m", "tandem", sys.argv[1], "-o", "max_tokens", "24", "-o", "temperature", "0"]
cli()
