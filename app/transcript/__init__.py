"""The turns of a chat: questions, answers, thoughts, calls of tools and the answers' tokens.

Only turns near the view have widgets: `transcript` -> `turn_column` -> `lazy_turn` -> `turn_view`. The blocks of an
answer (`answer_body`) come from `app.text`, are grouped into runs (`answer_runs`) and written into text documents
(`prose`, `document_writer`) or shown as code (`code_block`). The room `tints` shows which token wrote what, and
`shown_text` has the texts that a search counts in.

A body (`answer_body.AnswerBody`) shows a whole answer or its thoughts. It has runs of blocks; a run has a view, its
text widget, once it is near the visible part of the chat. `turn_texts` lists the texts of a turn, `turn_highlights`
marks the matches of a search in them, and `tints.turn_tokens` the tokens.

Nothing in here asks, edits or stores: turns report what a person wants through `turn_owner.TurnOwner`, and whoever
makes the transcript does it.
"""
