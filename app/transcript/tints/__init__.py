"""Tokens of an answer made visible: tints below their letters, and the list of tokens with its legend.

`tints` knows which token wrote what and finds the letters in the views of an answer, `painted_tints` paints there,
`tint_styles` has the colours, and `tint_fade` says for how long tints stay after an answer. `token_view` shows the
tokens one by one instead of the answer, and `token_legend` says what the colours mean.
"""
