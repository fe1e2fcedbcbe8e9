"""The `tandem` command in a terminal: a module for each command, with `add_parser` and `run`.

`app.__main__` names the commands. `run` returns the exit code; a `CodedError` that it raises becomes a sentence. A
module imports Qt, MLX and other slow packages inside its functions, because every start imports all parsers.
"""
