"""Other programs that can use the local API: what each needs in its settings, and writing that into its file.

Nothing here runs such a program or serves the API. A file is changed only after the person has seen the new text,
and can be taken back. No Qt.
"""
