"""The scheduler: which request is prefilled, decoded or waits, one step at a time on the engine's thread.

Short prompts that wait are read in one pass. Long ones are read in chunks, a few layers at a time, so that answers and
commands get their turn in between; `pacing` chooses the sizes from measured speeds.

Queues, turns, pacing of prompts and the choice between decoding alone and in a batch belong here. How tokens are drawn
is `engine.decoders`' business, which models are loaded `engine.upkeep`'s.
"""
