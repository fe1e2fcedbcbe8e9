"""The command tandem in a terminal: a module for each command, with the functions add_parser and run.

app/__main__.py names the commands. run returns the exit code; a CodedError that it raises becomes a sentence. A
module imports Qt, MLX and other slow packages inside its functions, because every start imports all parsers.
"""
