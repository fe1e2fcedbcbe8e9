"""Questions and answers in four languages that pictures of the window show, and the rounds of an answer."""

from __future__ import annotations

from tests.app.scripts import ScriptedRound

QUESTIONS = {
    "en": "Where does bisect put an equal element, and how do I write the left version myself?",
    "ko": "bisect는 같은 원소를 어디에 넣고, 왼쪽 버전은 어떻게 직접 쓰나요?",
    "ja": "bisect は等しい要素をどこに入れますか？左側版は自分でどう書きますか？",
    "zh_CN": "bisect 会把相等的元素放在哪里？左侧版本怎么自己写？",
}
ANSWERS = {
    "en": """There are two answers, because there are two functions. `bisect_left` returns the position **before** any \
equal elements, `bisect_right` the position *after* them.

The left version keeps one invariant: everything before `lo` is smaller than the target.

```python
def left(items, target):
    # [lo, hi) is what is left to look at
    lo, hi = 0, len(items)
    while lo < hi:
        middle = (lo + hi) // 2
        if items[middle] < target:
            lo = middle + 1
        else:
            hi = middle
    return lo
```

Each step halves the range, so it takes:

- about 10 steps for 1,000 items
- about 20 for a million

| function | equal elements |
|---|---|
| `bisect_left` | after the result |
| `bisect_right` | before the result |
""",
    "ko": """답은 두 가지예요. 함수가 두 개이기 때문이에요. `bisect_left`는 같은 원소들 **앞**의 위치를, \
`bisect_right`는 그 *뒤*의 위치를 돌려줘요.

왼쪽 버전은 불변식 하나를 지켜요. `lo` 앞에 있는 것은 모두 찾는 값보다 작아요.

```python
def left(items, target):
    lo, hi = 0, len(items)
```
""",
    "ja": """答えは二つあります。関数が二つあるからです。`bisect_left` は等しい要素の**前**の位置を、\
`bisect_right` は*後ろ*の位置を返します。

左側版は一つの不変条件を守ります。`lo` より前はすべて目的の値より小さい、というものです。
""",
    "zh_CN": """有两个答案，因为有两个函数。`bisect_left` 返回相等元素**之前**的位置，`bisect_right` 返回*之后*的位置。

左侧版本保持一个不变式：`lo` 之前的元素都小于目标值。
""",
}
PATTERN = (
    ScriptedRound(4, 1), ScriptedRound(5, 5), ScriptedRound(5, 5), ScriptedRound(5, 5), ScriptedRound(4, 3),
    ScriptedRound(4, 3), ScriptedRound(4, 3), ScriptedRound(4, 0), ScriptedRound(5, 5), ScriptedRound(4, 3),
    ScriptedRound(4, 2), ScriptedRound(5, 5), ScriptedRound(4, 1), ScriptedRound(4, 4), ScriptedRound(7, 7, "ngram"),
    ScriptedRound(7, 3, "ngram"), ScriptedRound(4, 0), ScriptedRound(4, 0),
)  # fmt: skip
THOUGHTS_AND_FORMULAS = r"""<think>
The user wants the roots. I should give the formula and say where it comes from.
</think>

The roots of $ax^2 + bx + c = 0$ with $a \ne 0$ cost nothing but one square root:

$$x = \frac{-b \pm \sqrt{b^2 - 4ac}}{2a}$$

- The number \(\Delta = b^2 - 4ac\) says how many there are.
- $\text{속도} = \frac{\text{거리}}{\text{시간}}$ and $O(n \log n)$ stand in a line; $5 and $6 are money.

\[
A = \begin{pmatrix} a & b \\ c & d \end{pmatrix}
\]
"""
_COLUMNS = ("function", "stable", "memory", "best for", "worst case", "since", "in the standard library", "remarks")
_ROWS = (
    ("sorted", "yes", "a new list", "anything that can be iterated", "n log n", "2.4", "yes", "takes a key"),
    ("list.sort", "yes", "half a list", "lists that may change", "n log n", "1.5", "yes", "returns None"),
    ("heapq.nsmallest", "yes", "k elements", "the first few of many", "n log k", "2.4", "yes", "keeps the order"),
    ("bisect.insort", "yes", "none", "one more in a sorted list", "n", "2.1", "yes", "moves what lies behind"),
)
LONG_ANSWER = f"""There are four ways, and the table compares them.

| {" | ".join(_COLUMNS)} |
|{"---|" * len(_COLUMNS)}
{chr(10).join(f"| {' | '.join(row)} |" for row in _ROWS * 4)}

> Sort once, search often: a list that stays sorted is searched in a few steps.

1. Sort by several keys at once:

   ```python
   ranked = sorted(answers, key=lambda one: (-one.accept_rate, one.first_token_seconds, one.model_name.casefold()), \
reverse=False)
   ```

2. Look for the place of a key:

```rust
fn left<T: PartialOrd>(items: &[T], target: &T) -> usize {{ items.partition_point(|item| item < target) }}
```

## What to keep in mind

A *stable* sort keeps equal elements **in their order**, see [the documentation](https://docs.python.org/3/howto/sorting.html).
"""
