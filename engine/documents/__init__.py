"""The text of documents and of text files, as a language model reads it.

`reading` runs `document.document_text` in a sandbox: files come from anywhere, and parsers are not trusted. In it,
`formats` says by what a file is known and what reads it, and `parts` which pages, slides and sheets are. A reader
walks through its format (`word`, `slides`, `sheets`, `open_document`, `hangul`, `rich_text`, `web_page`, `book`, `pdf`,
`mail`, `notebook`) and gives each element a role of `roles`, of which `marked_text` makes Markdown. The pictures that
it meets go to `inner_pictures`, which returns the files of the largest for models that see; of a PDF file, these are
pages, which `pdf_pictures` renders. Text that nobody sees is left out and counted: `unseen` says what that is, and the
modules of each format whose names end in `letters` find out how its letters look. `encodings` decodes text files that
do not declare their encoding.

What belongs here: formats that become text. What never does: pictures as a model sees them (`engine/pictures`), access
to files and folders (`engine/files`), words for a person, and anything that a document names but does not contain.
"""
