"""The turns of a chat: questions, answers, thoughts, calls of tools and the answers' tokens.

Only turns near the view have widgets: `transcript` -> `turn_column` -> `lazy_turn` -> `turn_view`. The blocks of an
answer (`answer_body`) come from `app.text`, are grouped into runs (`answer_runs`) and written into text documents
(`prose`, `document_writer`) or shown as code (`code_block`). The room `tints` shows which token wrote what. `shown_text`
has the texts that a search counts in.

Nothing in here asks, edits or stores: turns report what a person wants through `turn_owner.TurnOwner`, and whoever
makes the transcript does it.
"""
