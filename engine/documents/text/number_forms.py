"""The forms of numbers of paragraphs, such as "iv", "d" and "라", by Office's names, or names like them."""

from __future__ import annotations

from string import ascii_lowercase, ascii_uppercase

# The names of forms in the documents of Hancom Office.
HANGUL_FORMS = {
    "DIGIT": "decimal",
    "CIRCLED_DIGIT": "decimalEnclosedCircle",
    "ROMAN_CAPITAL": "upperRoman",
    "ROMAN_SMALL": "lowerRoman",
    "LATIN_CAPITAL": "upperLetter",
    "LATIN_SMALL": "lowerLetter",
    "CIRCLED_LATIN_CAPITAL": "circledUpperLetter",
    "CIRCLED_LATIN_SMALL": "circledLowerLetter",
    "HANGUL_SYLLABLE": "ganada",
    "CIRCLED_HANGUL_SYLLABLE": "circledGanada",
    "HANGUL_JAMO": "chosung",
    "CIRCLED_HANGUL_JAMO": "circledChosung",
    "HANGUL_PHONETIC": "koreanDigital",
    "IDEOGRAPH": "chineseCounting",
    "CIRCLED_IDEOGRAPH": "ideographEnclosedCircle",
}
_LETTERS = {
    "lowerLetter": ascii_lowercase,
    "upperLetter": ascii_uppercase,
    "ganada": "가나다라마바사아자차카타파하",
    "chosung": "ㄱㄴㄷㄹㅁㅂㅅㅇㅈㅊㅋㅌㅍㅎ",
    "aiueo": "アイウエオカキクケコサシスセソタチツテトナニヌネノハヒフヘホマミムメモヤユヨラリルレロワヲン",
}
# How often a letter is repeated at most: after "z" come "aa", "bb" and so on.
_MOST_REPEATED = 30
_IDEOGRAPHS = ("", *"一二三四五六七八九")
_TENS = ("", "十", *(f"{digit}十" for digit in _IDEOGRAPHS[2:]))
_ROMAN = ("", "i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix")
_ROMAN_TENS = ("", "x", "xx", "xxx", "xl", "l", "lx", "lxx", "lxxx", "xc")
_ROMAN_HUNDREDS = ("", "c", "cc", "ccc")
# The numbers to 399, and those to 99 in ideographs, without 0.
_LOWER_ROMAN = [f"{c}{x}{i}" for c in _ROMAN_HUNDREDS for x in _ROMAN_TENS for i in _ROMAN][1:]
_COUNTED = [f"{tens}{ones}" for tens in _TENS for ones in _IDEOGRAPHS][1:]
_ENDINGS = ("th", "st", "nd", "rd", "th", "th", "th", "th", "th", "th")


def _ordinal(number: int) -> str:
    """Return "1st", "2nd", "11th" and so on, for a number below 100."""
    return f"{number}{'th' if 10 < number < 14 else _ENDINGS[number % 10]}"


# The numbers from 1 in each form that has more than digits; there are decimals for larger ones, and in other forms.
_FORMS: dict[str, list[str]] = {
    **{
        form: [letter * times for times in range(1, _MOST_REPEATED + 1) for letter in letters]
        for form, letters in _LETTERS.items()
    },
    "japaneseCounting": _COUNTED,
    "chineseCounting": _COUNTED,
    "chineseCountingThousand": _COUNTED,
    "taiwaneseCountingThousand": _COUNTED,
    "ideographDigital": _COUNTED,
    "lowerRoman": _LOWER_ROMAN,
    "upperRoman": [number.upper() for number in _LOWER_ROMAN],
    "decimalZero": [f"{number:02}" for number in range(1, 10)],
    "decimalEnclosedCircle": list("①②③④⑤⑥⑦⑧⑨⑩⑪⑫⑬⑭⑮⑯⑰⑱⑲⑳"),
    "circledUpperLetter": [chr(code) for code in range(ord("Ⓐ"), ord("Ⓩ") + 1)],
    "circledLowerLetter": [chr(code) for code in range(ord("ⓐ"), ord("ⓩ") + 1)],
    "circledGanada": [chr(code) for code in range(ord("㉮"), ord("㉻") + 1)],
    "circledChosung": [chr(code) for code in range(ord("㉠"), ord("㉭") + 1)],
    "ideographEnclosedCircle": [chr(code) for code in range(ord("㊀"), ord("㊉") + 1)],
    "koreanDigital": list("일이삼사오육칠팔구십"),
    "cardinalText": ["One", "Two", "Three", "Four", "Five", "Six", "Seven", "Eight", "Nine", "Ten"],
    "ordinalText": [
        "First",
        "Second",
        "Third",
        "Fourth",
        "Fifth",
        "Sixth",
        "Seventh",
        "Eighth",
        "Ninth",
        "Tenth",
    ],
    "ordinal": [_ordinal(number) for number in range(1, 100)],
}


def written(number: int, form: str) -> str:
    """Return a number in one of Office's forms; in those that are not known here, as a decimal."""
    if form == "none":
        return ""
    numbers = _FORMS.get(form.removesuffix("FullWidth"), [])
    return numbers[number - 1] if 0 < number <= len(numbers) else str(number)
