"""The local API: how programs on this computer, or in the network, ask the engine over HTTP.

Here is what serves: the HTTP server and its guard, the routes, how a call waits for its answer, and how the answer is
written. `requests` reads what is common to all bodies, `dialects` has a module for each API that programs speak.
The way of a call:

1. `server` runs uvicorn on a thread of its own. `guard` refuses calls by their headers before the body is read.
2. `requests.bodies` reads the body within limits as the struct that the endpoint declares. First,
   `requests.lenient_content`, `dialects.response_items` and `dialects.anthropic_blocks` rewrite what programs send, and
   name what they skip. `requests.constraints` maps the fields by which other servers hold an answer to a format, or
   refuses them.
3. `calls` loads the named main model beside the others if necessary. The body makes the `calls.PreparedCall`:
   requests for the engine, which name the model's folder, and a writer of answers in the endpoint's form.
4. `answering` brings events from the engine's thread to the server's loop, and cancels the answers of a client that
   leaves or does not read. `app.text.answer_parts` separates thoughts, reply and calls of functions;
   `requests.kept_thoughts` gives the thoughts to the next call's prompt, and `requests.schema_check` checks what the
   grammar had to leave out of a schema.
5. `activity` counts calls for the window and the log. The request history gets their figures, never their content.

Nothing here imports Qt, and no call decides what is downloaded or where a file is written.
"""
