"""The forms in which families of models write calls of functions: reading them from answers, and grammars for them.

`table` has an entry for each form; `form` is what an entry consists of, and `response_template` makes one of what a
model's files describe. `reading`, `named_values` and `tagged` read calls, `writing` and `tagged_writing` make grammars
of them; `schema` reads the parameters of functions; `stray` and `unfinished` find calls in texts that were cut or that
use another form. Running calls belongs to `app.tools`.
"""
