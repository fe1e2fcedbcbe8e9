"""The models in memory and what is done for them between requests, on the engine's thread.

Loading, replacing and unloading, the budget of memory, calibration, the probe of rounding, teaching, and the stores of
finished turns belong here. Nothing here serves a request.
"""
