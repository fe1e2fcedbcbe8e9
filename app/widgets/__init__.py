"""Theme, style sheet, icons, and widgets that know nothing of Tandem.

A widget belongs here if another program could use it as it is: it imports no session, no store, no engine and no
sentences. One that shows a model, a chat or a figure belongs in the room that it is shown in.
"""
