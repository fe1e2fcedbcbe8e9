"""How many of one unit another one holds, in whole numbers."""

# How many of the second unit one of the first holds, and the largest number asked for.
FACTORS = (
    ("kilometre", "metre", 1000, 30),
    ("metre", "centimetre", 100, 30),
    ("centimetre", "millimetre", 10, 50),
    ("kilogram", "gram", 1000, 30),
    ("tonne", "kilogram", 1000, 20),
    ("litre", "millilitre", 1000, 20),
    ("year", "month", 12, 12),
    ("week", "day", 7, 12),
    ("day", "hour", 24, 7),
    ("hour", "minute", 60, 12),
    ("minute", "second", 60, 12),
    ("foot", "inch", 12, 12),
)
