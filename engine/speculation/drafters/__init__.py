"""The models that draft for a main model: what they need in order to be used by a request.

`sources` loads nothing: it says what a draft model or a head is to the main model. `head_session` follows a
conversation with a head, `draft_rows` holds the draft sequences of a batch, `translation` maps ids between two
vocabularies, and `reduced_vocabulary` drafts with the likely tokens only. Choosing and proposing belong to `choosing`
and `proposers`.
"""
