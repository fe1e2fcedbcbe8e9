"""What all readers of documents have in common: the text that they make, and what values of theirs mean.

A person gets one Markdown from all formats: headings, lists, tables, notes and links by their roles, raised, lowered
and struck letters with marks, numbers as sheets show them, formulas as LaTeX, the parts that were chosen, and a last
line that says what was left out.

What belongs here: what two formats share, without how a file of either is built. What never does: the names of a
format's elements and parts.
"""
