"""The settings window: a list of pages, a search over all of them, and the pages.

A page that only has rows of declared settings is a `table_page.TablePage` of `app.settings.declarations`; one that
shows more, or does something, has a module of its own, which `pages` builds when the page is first opened.
`settings_applier` applies what is chosen to the window and the session. The settings themselves, and what they mean to
the engine, are never here: they are in `app.settings`.
"""
