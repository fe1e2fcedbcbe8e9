"""Texts of answers and files, before anything is painted: no Qt in here.

The modules `thinking`, `answer_parts` and `stray_calls` separate an answer into thoughts, content and calls. `blocks`
splits content into code and prose while it is written; `spans`, `plain_blocks` and `code_spans` help it. `markdown` is
the parser, `shown` makes paragraphs of its tokens, and `places` finds those paragraphs in the source. `file_texts`
reads attached files.
"""
