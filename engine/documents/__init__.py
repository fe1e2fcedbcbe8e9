"""The text of documents and of text files, as a language model reads it.

`reading` runs `document.document_text` in a sandbox: files come from anywhere, and parsers are not trusted. In it,
`formats` says by what a file is known and what reads it. A reader walks through its format and gives each element a
role, of which `text.marked_text` makes Markdown; text that nobody sees is left out and counted. `text` and `archives`
are what readers share, and none of the readers in `office`, `open`, `rich`, `pages` and `pdf` imports another one.

A format or a case enters if a person would notice it in a file of their own within a month, and not for one input that
shows it. All others are read by a library that is kept well, or the file is not readable, and says so.

What belongs here: formats that become text. What never does: pictures as a model sees them (`engine/pictures`), access
to files and folders (`engine/files`), words for a person, and anything that a document names but does not contain.
"""
