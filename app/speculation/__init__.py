"""The live panel: how an answer was sped up, in figures, charts and rounds; and the comparison of speeds.

Everything shown is taken from the statistics that the engine reports. Nothing in here decides how the engine
speculates, and no text of an answer depends on it.
"""
