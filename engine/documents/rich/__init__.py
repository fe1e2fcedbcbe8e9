"""RTF, as TextEdit, WordPad and Word write it.

A person gets texts in any character set, with tables, lists, links, notes, formulas and ticked boxes, and without
hidden and deleted words.

What belongs here: what control words of RTF 1.9.1 mean. What never does: formats that only hold a piece of RTF.
"""
