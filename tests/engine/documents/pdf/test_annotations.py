"""What was filled in, noted and linked on the pages of a PDF file is read as a person sees it."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence

import pytest
from pypdf.generic import ArrayObject, NameObject, NumberObject, PdfObject

from engine.documents.pdf.annotations import Annotations
from engine.documents.pdf.file import open_pdf
from engine.documents.text.marked_text import MarkedText
from tests.app.pdf_files import pdf
from tests.engine.documents.pdf_pages import objects, pdf_object

Entries = Mapping[str, object]
BOX = {"FT": "/Btn", "AP": {"N": {"Off": {}, "Yes": {}}}}
RADIO = 1 << 15
PUSHED = 1 << 16
COMBO = 1 << 17
SEVERAL = 1 << 21
PASSWORD = 1 << 13
COUNTRIES = [["18", "France"], ["19", "Korea"], "Japan"]


def file_with(annotations: Sequence[Entries | PdfObject], *, has_form: bool = True, **catalog: object) -> bytes:
    """Return a file with annotations on its page; with `has_form`, a list of fields names all of them."""
    writer = pdf("Page")
    notes = ArrayObject()
    for entries in annotations:
        note = entries if isinstance(entries, PdfObject) else objects(Rect=[0, 0, 50, 20], **entries)
        notes.append(writer._add_object(note))
    writer.pages[0][NameObject("/Annots")] = notes
    if has_form:
        catalog["AcroForm"] = {"Fields": notes}
    for name, value in catalog.items():
        writer.root_object[NameObject(f"/{name}")] = pdf_object(value)
    writer.write(file := io.BytesIO())
    return file.getvalue()


def read(data: bytes, content: str = "Page") -> MarkedText:
    """Return what the annotations of a file's page say, whose own text is `content`."""
    text = MarkedText(10_000)
    with open_pdf(data) as document:
        annotations = Annotations(document, data)
        annotations.add_of(document[0], 1, content, text)
    return text


def field(**entries: object) -> dict[str, object]:
    return {"Subtype": "/Widget", **entries}


def words_of(*annotations: Entries, **catalog: object) -> str:
    return str(read(file_with(annotations, **catalog)))


@pytest.mark.parametrize(
    ("widget", "words"),
    [
        (field(FT="/Tx", T="name", V="Hana Sato"), "name: Hana Sato"),
        (field(FT="/Tx", T="name", TU="Your name", V="Hana"), "Your name: Hana"),
        (field(FT="/Tx", T="name", V=""), ""),
        (field(FT="/Tx", T="name", V=" \t"), ""),
        (field(FT="/Tx", T="name", DV="a default"), ""),
        (field(FT="/Tx", T="name", V="두 줄\r下の行\r\nend", Ff=1 << 12), "name: 두 줄\n下の行\nend"),
        (field(FT="/Tx", T="name", V="bold", RV="<body><p><b>bold</b></p></body>", Ff=1 << 25), "name: bold"),
        (field(FT="/Tx", T="name", RV="<body><p><b>bold</b> word</p></body>", Ff=1 << 25), "name: bold word"),
        (field(FT="/Ch", T="country", Opt=COUNTRIES, V="18", Ff=COMBO), "country: France"),
        (field(FT="/Ch", T="country", Opt=COUNTRIES, V="Japan", Ff=COMBO), "country: Japan"),
        (field(FT="/Ch", T="country", Opt=COUNTRIES, V="Elsewhere", Ff=COMBO | 1 << 18), "country: Elsewhere"),
        (field(FT="/Ch", T="country", Opt=COUNTRIES, V="19"), "country: Korea"),
        (field(FT="/Ch", T="country", Opt=COUNTRIES, V=["18", "Japan"], Ff=SEVERAL), "country: France, Japan"),
        (field(FT="/Ch", T="country", Opt=COUNTRIES, I=[1]), "country: Korea"),
        (field(FT="/Ch", T="country", Opt=COUNTRIES), ""),
        (field(**BOX, T="agree", AS="/Yes"), "☒ agree"),
        (field(**BOX, T="agree", AS="/Off"), "☐ agree"),
        (field(**BOX, T="agree"), "☐ agree"),
        (field(**BOX, T="a", TU="I agree", AS="/Yes"), "☒ I agree"),
        (field(FT="/Btn", T="c", AP={"N": {"Off": {}, "red": {}}}, AS="/red", Ff=RADIO), "☒ c: red"),
        (field(FT="/Btn", T="c", AP={"N": {"Off": {}, "red": {}}}, AS="/Off", Ff=RADIO), "☐ c: red"),
        (field(FT="/Btn", T="c", AP={"N": {"Off": {}, "예": {}}}, AS="/예"), "☒ c: 예"),
        (field(FT="/Btn", T="c", AP={"N": {"Off": {}, "Größe": {}}}, AS="/Größe"), "☒ c: Größe"),
        (field(FT="/Btn", T="c", Opt=["예"], AP={"N": {"Off": {}, "0": {}}}, AS="/0"), "☒ c: 예"),
        (field(**BOX, T="send", Ff=PUSHED), ""),
        (field(FT="/Sig", T="tenant", V={"Type": "/Sig", "Name": "Hana"}), "tenant: signed, not verified"),
        (field(FT="/Sig", T="tenant"), ""),
        (field(T="of no kind", V="Hana"), "of no kind: Hana"),
        (field(FT="/Tx", V="of no name"), "of no name"),
        (field(FT="/Tx", T="name", V="Hana", F=4), "name: Hana"),
        (field(FT="/Tx", T="name", V="Hana", F=1 << 1), ""),
        (field(FT="/Tx", T="name", V="Hana", F=1 << 5), ""),
    ],
)
def test_a_field_is_read_as_it_is_shown(widget: Entries, words: str) -> None:
    assert words_of(widget) == words


def test_fields_have_the_names_and_values_of_those_around_them() -> None:
    writer = pdf("Page")
    name = writer._add_object(objects(T="name", FT="/Tx", V="Hana\rSato"))
    home = writer._add_object(objects(T="home", Parent=writer._add_object(objects(T="applicant"))))
    notes = [field(Parent=name), field(Parent=name), field(T="city", FT="/Tx", Parent=home, V="Bergen")]
    writer.pages[0][NameObject("/Annots")] = ArrayObject(objects(**note) for note in notes)
    writer.write(file := io.BytesIO())
    assert str(read(file.getvalue())) == "name: Hana\nSato\n\nname: Hana\nSato\n\napplicant.home.city: Bergen"


def test_fields_that_no_list_of_the_file_names_are_read() -> None:
    widgets = (field(FT="/Tx", T="name", V="Hana"), field(FT="/Ch", T="country", Opt=COUNTRIES, V="18"))
    assert words_of(*widgets, has_form=False) == "name: Hana\n\ncountry: France"


def test_fields_of_one_name_have_their_own_values() -> None:
    assert words_of(field(FT="/Tx", T="name", V="Hana"), field(FT="/Tx", T="name", V="Jisoo")) == (
        "name: Hana\n\nname: Jisoo"
    )


def test_a_password_is_counted_and_not_read() -> None:
    text = read(file_with([field(FT="/Tx", T="key", V="secret", Ff=PASSWORD)]))
    assert "secret" not in str(text)
    assert text.left_out["hidden-text"] == 1


@pytest.mark.parametrize(
    ("note", "words"),
    [
        ({"Subtype": "/Text", "Contents": "why?"}, "[Note: why?]"),
        ({"Subtype": "/Text", "Contents": "보고서\r끝"}, "[Note: 보고서\n끝]"),
        ({"Subtype": "/FreeText", "Contents": "typed"}, "[Note: typed]"),
        ({"Subtype": "/FreeText", "RC": "<body><p>rich <i>text</i></p></body>"}, "[Note: rich text]"),
        ({"Subtype": "/Highlight", "Contents": "check this"}, "[Note: check this]"),
        ({"Subtype": "/Redact", "Contents": "a name"}, "[Note: a name]"),
        ({"Subtype": "/Stamp", "Contents": "Approved"}, "[Note: Approved]"),
        ({"Subtype": "/Newer", "Contents": "of a later version"}, "[Note: of a later version]"),
        ({"Subtype": "/Popup", "Contents": "again"}, ""),
        ({"Subtype": "/Text", "Contents": " "}, ""),
        ({"Subtype": "/Text", "Contents": "unseen", "F": 1 << 1}, ""),
        ({"Subtype": "/Text", "Contents": "unseen", "F": 1 << 5}, ""),
    ],
)
def test_a_note_is_read_if_it_is_seen(note: Entries, words: str) -> None:
    assert words_of(note) == words


@pytest.mark.parametrize(
    ("action", "words"),
    [
        ({"S": "/URI", "URI": "https://e.org/a"}, "[Link: https://e.org/a]"),
        ({"S": "/URI", "URI": "mailto:a@e.org"}, "[Link: mailto:a@e.org]"),
        ({"S": "/URI", "URI": "https://seen.org"}, ""),
        ({"S": "/URI", "URI": "mailto:a@seen.org"}, ""),
        ({"S": "/GoTo", "D": "chapter"}, ""),
        ({"S": "/JavaScript", "JS": "app.alert(1)"}, ""),
    ],
)
def test_the_address_of_a_link_is_said_if_the_page_does_not_have_it(action: Entries, words: str) -> None:
    data = file_with([{"Subtype": "/Link", "A": action}])
    assert str(read(data, "See seen.org, https://seen.org or a@seen.org.")) == words


def test_a_link_over_several_lines_is_said_once() -> None:
    link = {"Subtype": "/Link", "A": {"S": "/URI", "URI": "https://e.org"}}
    assert words_of(link, link) == "[Link: https://e.org]"


def test_a_link_has_the_address_that_the_file_begins_all_of_them_with() -> None:
    link = {"Subtype": "/Link", "A": {"S": "/URI", "URI": "news"}}
    assert words_of(link, URI={"Base": "https://e.org/"}) == "[Link: https://e.org/news]"


def test_a_link_on_a_page_without_text_is_not_said() -> None:
    link = {"Subtype": "/Link", "A": {"S": "/URI", "URI": "https://e.org"}}
    assert str(read(file_with([link]), "")) == ""


def test_an_annotation_that_is_damaged_is_counted_and_the_others_are_read() -> None:
    text = read(file_with([{"Subtype": "/Text", "Contents": "one"}, NumberObject(3), {"Contents": "two"}]))
    assert str(text) == "[Note: one]\n\n[Note: two]\n\n[Left out: 1 damaged part]"


@pytest.mark.parametrize("password", [None, ""])
def test_what_belongs_to_a_layer_that_is_off_is_counted_and_not_read(password: str | None) -> None:
    writer = pdf("Page")
    layers = [writer._add_object(objects(Type="/OCG", Name=name)) for name in ("off", "on")]
    writer.root_object[NameObject("/OCProperties")] = objects(OCGs=layers, D={"OFF": layers[:1]})
    notes = [objects(Subtype="/FreeText", Contents=f"note {i}", OC=layer) for i, layer in enumerate(layers)]
    fields = [objects(**field(FT="/Tx", T=f"t{i}", V="x"), OC=layer) for i, layer in enumerate(layers)]
    writer.pages[0][NameObject("/Annots")] = ArrayObject([*notes, *fields])
    if password is not None:
        writer.encrypt(password, owner_password="owner", algorithm="RC4-128")
    writer.write(file := io.BytesIO())
    assert str(read(file.getvalue())) == "[Note: note 1]\n\nt1: x\n\n[Left out: 2 hidden passages]"
