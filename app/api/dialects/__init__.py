"""The APIs that programs speak: OpenAI's, Anthropic's and Ollama's, and the routes that only this API has.

A module has the bodies of its routes and the form of their replies. What two dialects read in the same way is in
`app.api.requests`; how an answer is waited for and counted is in `app.api`.
"""
