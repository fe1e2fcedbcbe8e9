"""The user's settings: declared once, kept in one JSON file, and turned into the settings of the engine.

A setting is declared in `declarations`, with its default, range, words and page; the settings window, the settings of a
chat, the terminal and the file all follow from that. Work on Tandem's own data that is no chat belongs here, too: its
folders, their size, moving and removing them, the check of this Mac, and the release feed. Pages and other widgets
never do: they are in `app.settings_window`; only `control` and `window_geometry` know Qt.
"""
