"""The user's models: installed, recommended, on the Hub, being downloaded, and the drafts that suit each.

library.py is the window's side, on the Qt thread. hub_service.py and its parts do the work, block, and know no Qt.
entries.py describes a model as it is shown, model_choices.py the rows of the two pickers. Nothing here has words for
people (app/wording has), and nothing loads a model.
"""
