"""What every dialect needs to read a request: bodies, messages, tools, settings, and the errors that refuse them.

Nothing here serves: these modules turn JSON into the engine's requests, and the engine's figures and errors into JSON.
They import neither a dialect nor anything else of `app.api`.
"""
