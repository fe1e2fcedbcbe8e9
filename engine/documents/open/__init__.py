"""OpenDocument texts, sheets and slides.

A person gets the same as of Office's formats: structure, numbers as they are shown, notes and tracked changes, without
what nobody sees.

What belongs here: what elements of OpenDocument 1.4 mean. What never does: how parts are found.
"""
