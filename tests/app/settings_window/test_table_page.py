"""The pages made from the declared settings: their defaults, and when a change takes effect."""

from __future__ import annotations

from app.settings.declarations import PAGES, settings_of
from app.settings.setting import AT_ONCE
from tests.app.conftest import OpenShown


def test_a_page_goes_back_to_its_defaults(open_settings: OpenShown) -> None:
    window, library, _ = open_settings()
    generation = window.settings_page("generation")
    assert not generation.reset.isVisible()
    library.settings.change(temperature=0.3, kv_bits=4, theme="dark")
    assert generation.reset.isVisible()
    generation.reset.click()
    values = library.settings.values
    assert (values.temperature, values.kv_bits, values.theme) == (0.0, 0, "dark")
    assert generation.control("temperature").value() == 0.0
    assert not generation.reset.isVisible()
    page = window.settings_page("general")
    language, theme = page.control("language"), page.control("theme")
    for control, value in ((language, "ja"), (theme, "dark")):
        control.setCurrentIndex(control.findData(value))
        control.activated.emit(control.currentIndex())
    assert (library.settings.values.language, library.settings.values.theme) == ("ja", "dark")
    library.settings.change(theme="light")
    assert theme.currentData() == "light"
    # A field takes effect when it is left.
    mirror = window.settings_page("network").control("hub_endpoint")
    mirror.setText(" https://mirror.example ")
    mirror.editingFinished.emit()
    assert library.settings.values.hub_endpoint == "https://mirror.example"


def test_the_way_back_to_the_defaults_is_beside_the_title_of_every_page(open_settings: OpenShown) -> None:
    window, library, _ = open_settings()
    library.settings.change(send_key="modifier", api_port=9000, machines="mini.local", keep_prefixes=False)
    for name in ("general", "api", "machines", "storage"):
        page = window.settings_page(name)
        window.settle()
        assert page.reset.isVisible()
        title = page.title.geometry()
        assert title.top() <= page.reset.geometry().center().y() <= title.bottom()
        assert page.reset.x() > title.x()


def test_every_setting_that_does_not_take_effect_at_once_says_when(open_settings: OpenShown) -> None:
    window, _, _ = open_settings()
    for page_id in PAGES:
        shown = window.settings_page(page_id)
        for setting in settings_of(page_id):
            if setting.effect != AT_ONCE:
                row = next(row for row in shown.rows if row.control is shown.control(setting.key))
                said = f"{row.help.text()} {shown.note.text() if not shown.note.isHidden() else ''}"
                assert any(word in said for word in ("next answer", "next time a model is loaded", "after a restart"))
