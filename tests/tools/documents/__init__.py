"""Documents that real programs write, with what each says, read by Tandem and by other readers.

`python -m tests.tools.documents --help` says how they are made and compared.
"""
