"""PDF files, and pages that are pictures.

A person gets the text of a page in the order in which it is read, with tables, raised and struck words, what was
filled in and noted, and attached files; the text of scans, where this computer recognizes it; and pages as pictures,
for models that see. Words that nobody sees are left out and counted: PDFium draws the page with and without them.

`words` and `objects` ask PDFium for what a page has; `marks`, `seen`, `doubles` and `strikes` decide which words are
read and how they are set; `lines` and `tables` put them in their order.

What belongs here: what to make of letters with places. What never does: fonts, encodings and drawing operators, which
PDFium reads.
"""
