"""Sentences for people: errors, figures, models, tools and verdicts, in the language of the window.

The engine and the services report codes with arguments; the words for them belong here, and nothing else does: these
functions take records and return text, without widgets and without side effects. A table (`sentences.Sentences`) has
one sentence for each code. Where a sentence has nothing to say, "" stands for it, and views hide what is empty.
"""
