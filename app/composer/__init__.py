"""What a person writes and chooses before asking.

The message box with its attachments, the buttons for thinking, tools and presets, the chat's system prompt and other
settings, how much of the context they take, and the page of an empty chat.

Nothing in here shows an answer or asks for one: `app.transcript` shows the turns of a chat, and the main window passes
what `Composer.sent` reports to the session.
"""
