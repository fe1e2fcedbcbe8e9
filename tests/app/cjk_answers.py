"""Answers in Chinese, Japanese and Korean as models write them, with the spans that they emphasise.

Beside them stand brackets, quotation marks and full stops, where delimiters of CommonMark neither open nor close.
"""

from __future__ import annotations

ANSWERS = {
    "zh": """\
# **深度学习（Deep Learning）**简介

**结论：**深度学习适合**“大数据”**时代，但是**计算成本高。**因此要先估算。

1. **注意：**正文从这里开始。
2. 使用**“引号”**时，要**成对（pair）**出现。
3. **`batch_size`**决定显存，~~越大越好。~~其实不然。

> **提示！**引用里也一样，*重点：*看这里。

| **优点：**速度 | 缺点 |
|---|---|
| 含**「重点」**内容 | **50%**以上 |
""",
    "ja": """\
## **機械学習（ML）**の基本

**機械学習（ML）**の鍵は**「計算資源」**が足りることです。**太字です。**次の文も読めます。

- **手順１：**準備する
- これは*強調。*の例で、~~古い説明（旧）~~は使いません。

> **注意！**必ず**『公式文書』**を読んでください。
""",
    "ko": """\
### **기계 학습(ML)**의 핵심

이 설정은 **중요(important)**는 물론이고 **"블랙박스"**라고 불립니다. 정확도는 **50%**가 넘습니다.

1. **`pip install`**을 실행하고 *강조(주)*가 보이는지 봅니다.
2. ~~삭제(주)~~가 맞습니다. **'따옴표'**를 씁니다.

> **주의!**이 문장도 **결과: 성공.**입니다.
""",
}

# The texts that are bold, italic or struck, in their order.
STRONG = {
    "zh": (
        *("深度学习（Deep Learning）", "结论：", "“大数据”", "计算成本高。", "注意：", "“引号”", "成对（pair）"),
        *("batch_size", "提示！", "优点：", "「重点」", "50%"),
    ),
    "ja": ("機械学習（ML）", "機械学習（ML）", "「計算資源」", "太字です。", "手順１：", "注意！", "『公式文書』"),
    "ko": (
        *("기계 학습(ML)", "중요(important)", '"블랙박스"', "50%", "pip install", "'따옴표'", "주의!", "결과: 성공."),
    ),
}
ITALIC = {"zh": ("重点：",), "ja": ("強調。",), "ko": ("강조(주)",)}
STRUCK = {"zh": ("越大越好。",), "ja": ("古い説明（旧）",), "ko": ("삭제(주)",)}
