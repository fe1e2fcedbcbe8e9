"""Titles name the subject of a chat."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.conversations.titles import WIDEST, title_of_exchange


@pytest.mark.parametrize(
    ("question", "title"),
    [
        ("What is speculative decoding?", "What is speculative decoding?"),
        ("Hi! Could you please explain how KV caches work? I read a lot.", "Explain how KV caches work"),
        ("please, tell me about the **Fast Fourier Transform**", "the Fast Fourier Transform"),
        ("Why is 3.14 not in main.py. Really", "Why is 3.14 not in main.py"),
        ("# Heading\n- item one", "Heading"),
        ("[the docs](https://example.org/x) are wrong", "the docs are wrong"),
        ("```python\nprint(1)\n```\nWhy does this fail?", "Why does this fail?"),
        ("```python\nprint(1)\n```", "print(1)"),
        ("초안 모델에 대해 자세히 알려 주세요.", "초안 모델"),
        ("안녕하세요! 파이썬으로 정렬 함수를 만들어 줘", "파이썬으로 정렬 함수를"),
        ("오늘 날씨 어때?", "오늘 날씨 어때?"),
        ("投機的デコーディングについて教えてください。", "投機的デコーディング"),
        ("すみません、この文章を英語に翻訳をお願いします", "この文章を英語に翻訳"),
        ("请帮我写一封道歉信,谢谢", "写一封道歉信"),
        ("请问什么是草稿模型?", "什么是草稿模型"),
        ("| what | is it |\n| --- | --- |\n| a | b |", "what"),
        ("- [ ] *buy* milk", "buy milk"),
        ("What is 17*23*2, and what is __init__?", "What is 17*23*2, and what is __init__?"),
        ("Look at https://example.org/a and <b>sum</b> it up", "Look at and sum it up"),
        ("please", "please"),
        ("iPhone vs Pixel", "iPhone vs Pixel"),
        ("npm install fails", "npm install fails"),
        ("Hi, npm install fails", "npm install fails"),
        ("`npm` cannot be found", "npm cannot be found"),
        ("bisect는 어떻게 쓰나요?", "bisect는 어떻게 쓰나요?"),
        ("Tell me all", "Tell me all"),
        ("Can you tell me about eBay fees", "eBay fees"),
        ("Please tell me about npm", "npm"),
        ("could you please fix main.py", "fix main.py"),
        ("I want to know how heat pumps work", "How heat pumps work"),
        ("Tell me a story", "A story"),
        ("how do i import", "how do i import"),
        ("I'd like you to write a haiku", "Write a haiku"),
        ("안녕하세요", "안녕하세요"),
        ("<think>hidden</think>visible words", "visible words"),
    ],
)
def test_courtesies_and_markup_go_and_the_matter_stays(question: str, title: str) -> None:
    assert title_of_exchange(question) == title


def test_a_greeting_and_a_page_of_text_take_the_answers_heading() -> None:
    assert title_of_exchange("hello!", "Hi.\n\n## **Three** things I can do\n...") == "Three things I can do"
    assert title_of_exchange("hello!", "Hi.") == "hello"
    assert title_of_exchange("Lorem ipsum. " * 100, "# Summary of the page") == "Summary of the page"


def test_long_lines_are_cut_at_a_word() -> None:
    title = title_of_exchange("How does the depth controller decide " + "how many tokens to guess " * 5)
    assert title == "How does the depth controller decide how many…"


@settings(max_examples=40)
@given(st.text(max_size=200), st.text(max_size=50))
def test_a_title_is_one_line_of_bounded_width(question: str, answer: str) -> None:
    title = title_of_exchange(question, answer)
    width = sum(2 if unicodedata.east_asian_width(character) in "WF" else 1 for character in title)
    assert width <= WIDEST + 1
    assert "\n" not in title
