"""The main window, its pages and actions, its start, and what joins the parts of the app.

The only room of the front end that knows all others: it makes the widgets of `composer`, `transcript`, `sidebar`,
`speculation`, `models` and `settings_window` and connects them to the services of `session`. No other room imports it
but `cli`, which starts it. What two windows could use belongs in `widgets`. The parts of one chat (its search, attached
files, printing) are in `chat_parts`.
"""
