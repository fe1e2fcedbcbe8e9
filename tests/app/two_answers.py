"""Two chats that answer at once, each with rounds of its own."""

from __future__ import annotations

from tests.app.scripts import ScriptedRound

COSTS_MORE = (("plain_ms", 24.6), ("round_ms", 41.9), ("tokens_per_round", 1.4))
# A text that the draft model knows well, and one that it does not, so that its answer goes on without.
OFTEN_RIGHT = (ScriptedRound(4, 4), ScriptedRound(5, 5), ScriptedRound(4, 3), ScriptedRound(5, 4))
SELDOM_RIGHT = (
    ScriptedRound(3, 0), ScriptedRound(3, 1), ScriptedRound(2, 0), ScriptedRound(2, 1), ScriptedRound(1, 0),
    *[ScriptedRound(0, 0, "main", "costs-more", COSTS_MORE)] * 30,
)  # fmt: skip

# The question of the second chat, and its answer.
SECOND = {
    "en": (
        "Who is the oldest poet that we know by name?",
        "Enheduanna, a priestess in Ur, some 4,300 years ago. Her hymns to the temples of Sumer were copied for "
        "centuries after her death.",
    ),
    "ko": (
        "이름이 알려진 가장 오래된 시인은 누구인가요?",
        "약 4,300년 전 우르의 여사제 엔헤두안나예요. 수메르의 신전들에 바친 찬가는 죽은 뒤에도 수백 년간 베껴졌어요.",
    ),
    "ja": (
        "名前のわかる最も古い詩人は誰ですか？",
        "およそ4,300年前のウルの女祭司、エンヘドゥアンナです。シュメールの神殿への賛歌は、死後何世紀も書き写されました。",
    ),
    "zh_CN": (
        "有名字可考的最早的诗人是谁？",
        "是大约4300年前乌尔的女祭司恩赫杜安娜。她献给苏美尔神庙的颂歌在她去世后的几个世纪里仍被人抄写。",
    ),
}
