"""The scheduler: which request is prefilled, decoded or waits, one step at a time on the engine's thread.

Queues, turns, pacing of prompts and the choice between decoding alone and in a batch belong here. How tokens are drawn
is `engine.decoders`' business, which models are loaded `engine.upkeep`'s.
"""
