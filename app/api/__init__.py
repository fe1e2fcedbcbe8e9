"""The local API: how programs on this computer, or in the network, ask the engine over HTTP.

Here is what serves: the HTTP server and its guard, the routes, how a call waits for its answer, and how the answer is
written. `requests` reads what is common to all bodies, `dialects` has a module for each API that programs speak.
Nothing here imports Qt, and no call decides what is downloaded or where a file is written.
"""
