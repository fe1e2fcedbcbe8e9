"""HTML, and what is made of it or of lines: web pages, books (EPUB), mail, and notebooks.

A person gets a page as a browser shows it, without what style sheets hide; a book by its chapters; a mail with its
head, whichever part of it says more; and a notebook with the last state of its outputs.

What belongs here: what a page shows. What never does: fetching one.
"""
