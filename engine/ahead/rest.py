"""When the draft runner rests: in the rounds of one answer in which its draft tokens would be of no use.

On the computer of the main model a runner slows every round down, and its tokens are waited for.
"""

from __future__ import annotations

from enum import Enum

from engine.ahead.worth import Worth

# The percentages are changes of an answer's speed without the constant, in the worlds of tests/engine/ahead/worlds.py.

# The replies in a row that come too late or are not used, after which the runner pauses. Without pauses -28 % if the
# runner is too far away, at a fixed depth, where `Worth` is not asked. After one, -3.9 % on a second Mac
# (tests/engine/speculation/two_macs_chosen.py): the controller tries other drafts now and then.
MAX_MISSES = 4
# The rounds of the first pause, and of one after draft tokens were used. With LAST_PAUSE from the beginning -2.6 % if
# the link stalls shortly.
FIRST_PAUSE = 32
# Each further pause is twice as long, up to this. With FIRST_PAUSE only, -1.1 % at a fixed depth if the runner is too
# far away.
LAST_PAUSE = 512
# After this many replies that no sound runner sends, it rests for the remainder of the answer. Without it -1.5 % at a
# fixed depth.
MAX_BAD = 3


class Rest(Enum):
    """Why the runner rests; the values are states as in `RequestStats.ahead`."""

    BAD_REPLIES = "bad-replies"
    UNUSED = "resting-unused"
    SLOWER = "resting-slower"


class RestDecision:
    """Decides after each round of an answer whether the runner rests in the next one.

    `worth` learns from the rounds of all answers whether they are faster with the runner; None if that does not matter,
    because the person has fixed the depth.
    """

    def __init__(self, worth: Worth | None) -> None:
        self._worth = worth
        # Why the runner rests until the next decision; None while it works.
        self.now: Rest | None = None
        self._bad_replies = 0
        # How many replies in a row were of no use.
        self._useless = 0
        # The rounds that are left of a pause, and those that the next pause has.
        self._pause_left = 0
        self._next_pause = FIRST_PAUSE

    def count_used(self) -> None:
        """Count draft tokens that a round has verified."""
        self._useless = 0
        self._next_pause = FIRST_PAUSE

    def count_useless(self) -> None:
        """Count a reply of no use: it came too late, was bad, or its tokens were not used."""
        self._useless += 1

    def count_bad(self) -> None:
        """Count a message that no sound runner sends. A bad reply is of no use, either: it is counted there, too."""
        self._bad_replies += 1

    def decide(self) -> Rest | None:
        """Return why the runner rests in the next round, None if it works. To be called once after each round."""
        self._pause_left = max(0, self._pause_left - 1)
        if self._useless >= MAX_MISSES:
            self._useless = 0
            self._pause_left = self._next_pause
            self._next_pause = min(2 * self._next_pause, LAST_PAUSE)
        if self._bad_replies >= MAX_BAD:
            self.now = Rest.BAD_REPLIES
        elif self._pause_left:
            self.now = Rest.UNUSED
        elif self._worth is not None and not self._worth.works:
            self.now = Rest.SLOWER
        else:
            self.now = None
        return self.now

    def observe(self, seconds: float, tokens: float) -> None:
        """Learn from a round, as `Worth.observe` does, if the runner worked or rested in it to be compared."""
        if self._worth is not None and self.now in (None, Rest.SLOWER):
            self._worth.observe(seconds, tokens)

    @property
    def shown(self) -> Rest | None:
        """Why the runner rests, for people: short trials of the slower way do not change it."""
        if self.now not in (None, Rest.SLOWER):
            return self.now
        return None if self._worth is None or self._worth.pays else Rest.SLOWER
