"""Tells which questions the built-in Starter cannot answer. No Qt in here."""

from __future__ import annotations

import re

from app.session.chats import Turn

# The name in stored figures, and the words with which the Starter itself refuses, in its four languages.
STARTER = "starter/main"
_REFUSALS = ("choose a larger model", "더 큰 모델을 골라", "大きなモデルを選ぶと", "换一个大模型")
_OPERATOR = (
    r"(?:[-−+*/×⋅·÷^%x]|mod|times|plus|minus|(?:divided|multiplied) by"
    r"|더하기|빼기|곱하기|나누기|足す|引く|かける|割る|加上?|减去?|乘以?|除以)"
)
# Between two numbers, and after them.
_PARTICLE = r"(?:에서?|하고|과|와|と|に|から|を|和|与)"
_VERB = r"\w?\s*(?:곱|더하|더한|더해|빼|뺀|나누|나눈|足|引|掛|かけ|割|相[加减乘除]|的[和差积商])"
_BEYOND = re.compile(
    # Code, JSON, translation, languages that it does not write, and arithmetic with more than one digit a number.
    r"```|\bjson\b|\bdef \w+\(|\bclass \w+[:({]|\bfunction \w*\(|#include|[;{]\s*$"
    r"|\b(?:python|javascript|swift|sql)\b|\bC\+\+|コードを書"
    r"|\btranslat|번역|翻訳|翻译|\b(?:french|german|spanish|italian|portuguese|russian|arabic)\b"
    r"|(?:프랑스|독일|스페인|이탈리아|포르투갈|러시아|아랍)어|(?:フランス|ドイツ|スペイン|イタリア|ポルトガル|ロシア|アラビア)語"
    r"|(?:法|德|西班牙|意大利|葡萄牙|俄|阿拉伯)语(?!言)"
    rf"|\d{{2,}}\s*{_OPERATOR}\s*\d+|\d+\s*{_OPERATOR}\s*\d{{2,}}"
    rf"|(?:\d{{2,}}\s*{_PARTICLE}\s*\d+|\d+\s*{_PARTICLE}\s*\d{{2,}}){_VERB}",
    re.IGNORECASE | re.MULTILINE,
)


def repeats(turn: Turn) -> bool:
    """Whether the Starter was asked again: it learned one answer to each question, and so repeats its words."""
    return turn.answer.model == STARTER and turn.answer_node.count > 1


def is_beyond_starter(turn: Turn) -> bool:
    """Whether the Starter answered, and its answer cannot be relied on, or refuses."""
    answer = turn.answer
    if answer.model != STARTER:
        return False
    asked = bool(turn.attachments) or _BEYOND.search(turn.question) is not None
    return asked or any(words in answer.text for words in _REFUSALS)
