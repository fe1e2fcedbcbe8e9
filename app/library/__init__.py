"""The user's models: installed, recommended, on the Hub, being downloaded, and the drafts that suit each.

`Library` is the window's side, on the Qt thread. `HubService` and its parts do the work, block, and know no Qt.
`entries` describes a model as it is shown, `model_choices` the rows of the two pickers. Nothing here has words for
people (`app.wording` has), and nothing loads a model.
"""
