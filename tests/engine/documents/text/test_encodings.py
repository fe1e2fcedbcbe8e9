"""Text files in every known encoding, and the encodings that are guessed."""

from __future__ import annotations

import pytest

from engine.documents.document import document_text
from engine.documents.text.encodings import decode

LANGUAGES = ["en", *(pytest.param(language, marks=pytest.mark.full) for language in ("ko", "ja", "zh_CN"))]


def read(content: bytes, language: str = "") -> str:
    decoded = decode(content, language)
    assert decoded is not None
    return decoded[0]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32"])
def test_text_is_read_in_every_unicode_encoding(encoding: str) -> None:
    assert decode("草稿 초안".encode(encoding)) == ("草稿 초안", "")


@pytest.mark.parametrize("encoding", ["UTF-16-LE", "UTF-16-BE"])
def test_utf_16_without_a_mark_is_read_if_it_is_mostly_ascii(encoding: str) -> None:
    assert decode("Name;Café\r\n김;1\r\n".encode(encoding)) == ("Name;Café\r\n김;1\r\n", encoding)
    assert decode("a\0b\x01".encode(encoding)) is None


@pytest.mark.parametrize(
    ("encoding", "name", "text"),
    [
        ("cp949", "EUC-KR", "이름,나이\n김철수,32\n박영희,28\n"),
        ("cp949", "EUC-KR", "오늘은 날씨가 좋아요. 뷁은 드문 글자예요."),
        ("cp932", "Shift_JIS", "今日は投機的デコーディングについて説明します。"),
        ("cp932", "Shift_JIS", "氏名,年齢\n山田太郎,32\n佐藤花子,28\n"),
        ("euc_jp", "EUC-JP", "今日は投機的デコーディングについて説明します。"),
        ("iso2022_jp", "ISO-2022-JP", "会議は明日です。"),
        ("gbk", "GB18030", "姓名,年龄\n王小明,32\n李红,28\n"),
        ("gb18030", "GB18030", "床前明月光，疑是地上霜。举头望明月，低头思故乡。"),
        ("big5", "Big5", "床前明月光，疑是地上霜。舉頭望明月，低頭思故鄉。"),
        ("latin-1", "Windows-1252", "Grüße aus Köln, schöne Straße"),
        ("cp1252", "Windows-1252", "C’est l’été : « où est passé le garçon ? » 5 €"),
        ("cp932", "Shift_JIS", "構図表α、予約構図表"),
        ("cp1252", "Windows-1252", "Nombre;Año;Ciudad\nMuñoz;1990;Málaga\nPérez;1985;León\n"),
        ("cp1252", "Windows-1252", "Il caffè è più buono in città."),
        ("cp1252", "Windows-1252", "DESCRIPCIÓN DE LA VERSIÓN"),
        ("cp1252", "Windows-1252", "It’s John’s “plan” – really… 21°C ± 0.5; 3,50 €; 2 m²"),
        ("mac_roman", "MacRoman", "It’s John’s “plan” – really… 21°C ± 0.5; 3,50 €; n° 3"),
        ("cp1252", "Windows-1252", "Name;Straße\nMüller;Große Gasse\n"),
        ("mac_roman", "MacRoman", "Name;Straße\nMüller;Große Gasse\n"),
        ("mac_roman", "MacRoman", "¿Señor Núñez? ¡María, mañana! L’été, « où » : cœur, São João, più"),
        ("mac_roman", "MacRoman", "Blåbær;Tromsø;ÖSTERREICH;Käse"),
        ("cp1250", "Windows-1250", "Jméno;Město\nJiří;Plzeň\n"),
        ("iso8859_2", "ISO-8859-2", "Łódź;Kraków;Gdańsk\n"),
        ("cp1250", "Windows-1250", "Dobrý den, děkuji za vaši zprávu."),
        ("iso8859_2", "ISO-8859-2", "Zażółć gęślą jaźń"),
        ("cp1251", "Windows-1251", "Привет, как дела?"),
        ("koi8_r", "KOI8-R", "Привет, как дела?"),
        ("cp1253", "Windows-1253", "Καλημέρα, τι κάνετε;"),
    ],
)
@pytest.mark.parametrize("language", LANGUAGES)
def test_text_in_an_old_encoding_is_read_and_says_which(encoding: str, name: str, text: str, language: str) -> None:
    assert decode(text.encode(encoding), language) == (text, name)


@pytest.mark.parametrize("language", ["en", "ja"])
def test_a_short_table_in_euc_jp_is_read_where_the_window_is_not_chinese_or_korean(language: str) -> None:
    text = "氏名,年齢\n山田太郎,32\n"
    assert decode(text.encode("euc_jp"), language) == (text, "EUC-JP")


@pytest.mark.parametrize(
    ("encoding", "language", "text", "elsewhere"),
    [
        ("cp949", "ko_KR", "암호:", "鞠龋:"),
        ("euc_jp", "ja", "売上,利益", "卿惧,网弊"),
        ("gb18030", "zh_CN", "chage [选项] 登录", "chage [朞淃] 되쩌"),
    ],
)
def test_what_two_encodings_read_alike_is_in_that_of_the_window(
    encoding: str, language: str, text: str, elsewhere: str
) -> None:
    assert read(text.encode(encoding), language) == text
    assert read(text.encode(encoding), "en") == elsewhere


@pytest.mark.parametrize("encoding", ["cp932", "euc_jp"])
@pytest.mark.parametrize("text", ["ありがとうございます", "コマンドが見つかりません"])
def test_japanese_in_kana_is_no_noise(encoding: str, text: str) -> None:
    assert read(text.encode(encoding), "en") == text


@pytest.mark.parametrize(
    ("encoding", "name", "text"),
    [
        ("cp949", "EUC-KR", "BMP 파일을 열 수 없습니다."),
        ("cp949", "EUC-KR", "a line of a log\n" * 2000 + "오늘은 날씨가 좋아요."),
        ("latin-1", "Windows-1252", "a line of a log\n" * 2000 + "Grüße aus Köln, schöne Straße"),
    ],
    ids=["begins like a picture", "far down", "accents far down"],
)
def test_an_old_encoding_is_seen_wherever_it_shows(encoding: str, name: str, text: str) -> None:
    assert decode(text.encode(encoding)) == (text, name)


@pytest.mark.parametrize("text", ["오늘은 날씨가 좋아요", "今天的天气很好，我们去公园", "Un garçon, un été 🙂"])
@pytest.mark.parametrize("language", LANGUAGES)
def test_utf_8_that_ends_inside_a_character_is_utf_8(text: str, language: str) -> None:
    assert decode(text.encode()[:-1], language) == (text[:-1] + "\ufffd", "")


def test_a_letter_at_the_end_is_no_half_character() -> None:
    assert read("un café".encode("latin-1")) == "un café"


KOREAN = "서버 로그 항목: 오류가 발생했습니다 code=500\n"
# A byte that no character begins with, letters of Latin-1, a byte that goes on, and the beginning of a character.
DAMAGE = [b"\xff", b"\xe9", b"\xfc\xfc", b"\x80", b"\xed\x95"]


@pytest.mark.parametrize("damage", DAMAGE)
@pytest.mark.parametrize(
    "text", [KOREAN * 3, "会議は明日です。資料", "Привет, как дела?", "ไม่พบไฟล์ที่ต้องการ", "Ein Gruß aus Köln, schön"]
)
def test_a_damaged_byte_in_utf_8_is_one_replacement(text: str, damage: bytes) -> None:
    middle = len(text) // 2
    content = text[:middle].encode() + damage + b" " + text[middle:].encode()
    replaced = "\ufffd" * (1 if damage == b"\xed\x95" else len(damage))
    assert decode(content) == (f"{text[:middle]}{replaced} {text[middle:]}", "")


@pytest.mark.parametrize(
    "content", [b"utf8 \xc3\xa9 ok \xff\n", b"caf\xc3\xa9 and caf\xe9\n", b"log\n" * 50 + b"gr\xc3\xbc\xc3\x9fe \x80"]
)
def test_a_few_letters_of_utf_8_tell_among_ascii(content: bytes) -> None:
    assert decode(content) == (content.decode("utf-8", "replace"), "")


def test_damage_is_counted() -> None:
    content = KOREAN.encode() + b"\xff\xff" + "written: \ufffd".encode()
    found = document_text("server.log", content, 1000)
    assert found.text == f"{KOREAN}\ufffd\ufffdwritten: \ufffd"
    assert found.left_out == (("unreadable-byte", 2),)
    page = document_text("a.html", b"<p>\xed\x95\x9c\xea\xb8\x80\xff</p>", 1000)
    assert page.text == "한글\ufffd\n\n[Left out: 1 unreadable byte]"


def test_damage_does_not_hide_the_mark_or_the_colours_of_a_log() -> None:
    assert read(b"\xef\xbb\xbfName\xff;1\r\n") == "Name\ufffd;1\r\n"
    assert read("한글 ok".encode("utf-16") + b"a") == "한글 ok\ufffd"
    assert read(KOREAN.encode() + b"\x1b[31m\xff\x1b[0m") == f"{KOREAN}\x1b[31m\ufffd\x1b[0m"


def test_zeros_that_a_crash_left_in_a_log_are_passed_over_and_counted() -> None:
    found = document_text("a.log", f"line1\n{KOREAN}".encode() + bytes(4) + b"\nline3\n", 1000)
    assert (found.text, found.left_out) == (f"line1\n{KOREAN}\nline3\n", (("unreadable-byte", 4),))
    assert read(b"line1\0\0\0line2") == "line1\nline2"


@pytest.mark.parametrize(
    "content",
    [
        bytes(100) + b"text",
        b"a\0b",
        b"text\0\0\x01text",
        b"a" * 257 + b"ustar\0" + b"text" * 99,
        "초안 요약".encode("utf-16-le"),
    ],
)
def test_other_files_with_zeros_are_no_text(content: bytes) -> None:
    assert decode(content) is None
