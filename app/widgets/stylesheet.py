"""The application's style sheet: spacing from one scale (4, 8, 12, 16, 24, 32), radius 8 for controls, 12 for cards.

A rule for a single widget matches its `objectName`; a rule for many widgets matches the dynamic property `styleClass`.
"""

from __future__ import annotations

import re
from string import Template

from app.widgets.colours import Colours

_FONT_SIZE = re.compile(r"font-size: (\d+)px")

_RULES = Template("""
* { font-size: 14px; }
QWidget { color: $text; }
QMainWindow, #middle, #transcript { background: $window; }
QToolTip { background: $panel; color: $text; border: 1px solid $line; padding: 4px 8px; font-size: 12px; }

#sidebar { background: $sidebar; border: none; border-right: 1px solid $line; }
#panel, #panelBody { background: $panel; }
#panel { border: none; border-left: 1px solid $line; }
#header { background: $window; border: none; border-bottom: 1px solid $line; }

QLabel[styleClass="muted"] { color: $muted; font-size: 12px; }
QLabel[styleClass="problem"] { color: $problem; font-size: 12px; }
QLabel[styleClass="caption"] { color: $faint; font-size: 11px; }
QLabel[styleClass="title"] { font-weight: 600; font-size: 14px; }
QLabel[styleClass="title-good"] { font-weight: 600; font-size: 14px; color: $draft_text; }
QLabel[styleClass="strong"] { font-weight: 600; font-size: 12px; }
QLabel[styleClass="big"] { font-weight: 600; font-size: 36px; }
QLabel[styleClass="big-good"] { font-weight: 600; font-size: 36px; color: $draft_text; }
QLabel[styleClass="body"] { font-size: 13px; }
QLabel[styleClass="hello"] { font-weight: 600; font-size: 24px; }
QLabel[styleClass="reason"] { background: $draft_tint; border-radius: 12px; padding: 8px 12px; font-size: 13px; }
QLabel[styleClass="reason-plain"] { background: $selection; border-radius: 12px; padding: 8px 12px; font-size: 13px; }

QLabel[styleClass|="token"] { border: 1px solid transparent; border-radius: 5px; padding: 1px 5px; font-size: 12px; }
QLabel[styleClass="token-given"] { color: $muted; padding: 1px 2px; }
QLabel[styleClass="token-draft"] { background: $draft_tint; border-bottom: 2px solid $draft; }
QLabel[styleClass="token-lookup"] { background: $lookup_tint; border-bottom: 2px solid $lookup; }
QLabel[styleClass="token-main"] { background: $main_tint; border-bottom: 2px solid $main; }
QLabel[styleClass="token-rejected"] { border: 1px dashed $faint; color: $muted; }
QLabel[styleClass="step"] { background: $selection; border-radius: 9px; min-width: 18px; max-width: 18px;
    min-height: 18px; max-height: 18px; font-size: 11px; font-weight: 600; qproperty-alignment: AlignCenter; }

QPushButton, QToolButton { background: transparent; border: none; border-radius: 8px; padding: 4px 8px;
    text-align: left; }
QPushButton { qproperty-focusPolicy: TabFocus; }
QPushButton:hover, QToolButton:hover { background: $selection; }
QPushButton:focus, QToolButton:focus { border: 2px solid $main; padding: 2px 6px; }
QPushButton:disabled, QToolButton:disabled { color: $faint; }
QToolButton::menu-indicator, QPushButton::menu-indicator { image: none; width: 0; }
PickerRow QPushButton { qproperty-focusPolicy: NoFocus; }
QPushButton[styleClass="plain"] { padding: 6px 8px; }
QToolButton[styleClass="plain"] { padding: 4px 8px 4px 6px; }
QToolButton[styleClass="plain"]:focus { padding: 2px 6px 2px 4px; }
QPushButton[styleClass="button"] { background: $panel; border: 1px solid $line; padding: 4px 12px; text-align: center; }
QPushButton[styleClass="button"]:hover, QPushButton[styleClass="button-small"]:hover,
    QPushButton[styleClass="chip"]:hover { background: $selection; }
QPushButton[styleClass="button"]:focus { border: 2px solid $main; padding: 3px 11px; }
QPushButton[styleClass="button-small"] { background: $panel; border: 1px solid $line; padding: 4px 10px;
    font-size: 12px; text-align: center; }
QPushButton[styleClass="button-small"]:focus { border: 2px solid $main; padding: 3px 9px; }
QPushButton[styleClass="small"] { color: $muted; font-size: 12px; padding: 2px 8px; }
QPushButton[styleClass="accent"] { background: $main; color: $on_accent; padding: 5px 13px; text-align: center; }
QPushButton[styleClass="danger"] { background: $problem; color: $on_accent; padding: 5px 13px; text-align: center; }
QPushButton[styleClass="danger"]:focus { border: 2px solid $text; padding: 3px 11px; }
QPushButton[styleClass="segment"] { padding: 4px 11px; font-size: 12px; border: 1px solid transparent;
    border-radius: 7px; text-align: center; color: $muted; }
QPushButton[styleClass="segment"]:checked { background: $selection; color: $text; }
QPushButton[styleClass="segment"]:focus { border: 1px solid $main; }
#segments { background: $panel; border: 1px solid $line; border-radius: 8px; }

QPushButton[styleClass="chip"] { background: $panel; border: 1px solid $line; border-radius: 8px; padding: 6px 12px; }
QPushButton[styleClass="chip"]:focus { border: 2px solid $main; padding: 5px 11px; }
QProgressBar { background: $line; border: none; border-radius: 1px; }
QProgressBar::chunk { background: $main; border-radius: 1px; }

QToolButton[styleClass="quiet"] { padding: 0; border-radius: 6px; }
QToolButton[styleClass="quiet"]:focus, QToolButton[styleClass="help"]:focus { border: 2px solid $main; padding: 0; }
QToolButton[styleClass="toggle"]:checked { background: $selection; }
QToolButton[styleClass|="small"] { color: $muted; font-size: 12px; padding: 3px 8px; }
QToolButton[styleClass="small-faint"] { color: $faint; }
QToolButton[styleClass="small"]:checked { background: $selection; color: $text; }
QToolButton[styleClass|="small"]:focus { border: 2px solid $main; padding: 1px 6px; }
QToolButton[styleClass="help"] { color: $muted; border: 1px solid $line; border-radius: 8px; padding: 0;
    font-size: 10px; }
#findBar { background: $panel; border: none; border-bottom: 1px solid $line; }

QLineEdit { background: $panel; border: 1px solid $line; border-radius: 8px; padding: 5px 9px;
    selection-background-color: $main; selection-color: $on_accent; }
TextField { placeholder-text-color: transparent; }
QLineEdit:focus, QAbstractSpinBox:focus, QComboBox:focus, QTableView:focus, #record:focus { border: 1px solid $main; }

#composerCard, #overlay, #offer { background: $panel; border: 1px solid $line; border-radius: 14px; }
#composerCard[active="true"] { border: 1px solid $rejected; }
#attachment { background: $selection; border-radius: 8px; }
#composer { background: transparent; border: none; padding: 0; }
#send { background: $main; border-radius: 15px; padding: 0; min-width: 30px; max-width: 30px; min-height: 30px;
    max-height: 30px; border: none; }
#send:hover { background: $main; border: 2px solid $main_tint; padding: 0; min-width: 26px; max-width: 26px;
    min-height: 26px; max-height: 26px; }
#send:focus { border: 2px solid $text; padding: 0; min-width: 26px; max-width: 26px; min-height: 26px;
    max-height: 26px; }
#send:disabled { background: $selection; }

#newest { background: $panel; border: 1px solid $line; border-radius: 15px; padding: 6px; }
#newest:hover { background: $selection; }
#newest:focus { border: 2px solid $main; padding: 5px; }
#question, #note { background: $selection; border-radius: 12px; }
#overlayBody { background: $panel; }
#comparedText { background: $window; border: 1px solid $line; border-radius: 8px; padding: 3px; }
#overlay QListWidget { background: transparent; border: none; outline: none; }
#overlay QListWidget::item { border-radius: 8px; }
#overlay QListWidget::item:selected, #overlay QListWidget::item:hover { background: $selection; }
#banner { background: $problem_tint; border-radius: 12px; }
#line { background: $line; min-height: 1px; max-height: 1px; border: none; }
#card { background: $panel; border: 1px solid $line; border-radius: 12px; }
#settings, #pageBody { background: $window; }
#settingsSide { background: $sidebar; border: none; border-right: 1px solid $line; }
#settingsList { background: $sidebar; border: none; outline: none; }
QTableView { background: $panel; border: 1px solid $line; border-radius: 8px; outline: none;
    selection-background-color: $selection; selection-color: $text; }
QTableView::item { padding: 4px 5px; border: none; }
QHeaderView { background: transparent; border: none; border-bottom: 1px solid $line; font-size: 12px; }
QHeaderView::section { background: transparent; color: $muted; border: none; padding: 4px 8px; font-size: 12px; }
#settingRow { border: none; border-bottom: 1px solid $line; }
#record { background: $panel; border: 1px solid $line; border-radius: 8px; padding: 8px; font-size: 12px; }
QPushButton[styleClass="button"]:checked { background: $selection; border: 1px solid $main; }
#settingsList::item { padding: 8px 10px; border-radius: 8px; margin-bottom: 2px; }
#settingsList[keyboardFocus="true"]::item:focus { border: 2px solid $main; padding: 6px 8px; }
#settingsList::item:selected, #settingsList::item:hover { background: $selection; color: $text; }
#settingsList::item:disabled { background: transparent; color: $muted; padding-top: 18px; }
QLabel[styleClass="page-title"] { font-weight: 600; font-size: 20px; }
QLabel[styleClass="badge-neutral"] { background: $selection; color: $muted; }
QLabel[styleClass="badge-main"] { background: $main_tint; color: $main_text; }
QLabel[styleClass="badge-draft"] { background: $draft_tint; color: $draft_text; }
QLabel[styleClass="badge-lookup"] { background: $lookup_tint; color: $lookup_text; }
QLabel[styleClass="badge-problem"] { background: $problem_tint; color: $problem; }
QLabel[styleClass|="badge"] { border-radius: 6px; padding: 1px 7px; font-size: 11px; }
QPushButton[styleClass="quiet"] { color: $muted; font-size: 12px; padding: 2px 8px; text-align: center; }
QPushButton[styleClass="quiet"]:focus { padding: 0 6px; }
QPushButton[styleClass="fold"] { color: $muted; font-size: 12px; padding: 2px 8px 2px 2px; }
QPushButton[styleClass="fold"]:focus { padding: 0 6px 0 0; }
QLabel[styleClass="title"]:disabled { color: $faint; }
QPushButton[styleClass|="link"] { color: $main_text; padding: 4px 0; }
QPushButton[styleClass="link-small"] { font-size: 12px; }
QPushButton[styleClass|="link"]:hover { background: transparent; text-decoration: underline; }
QPushButton[styleClass|="link"]:focus { border: none; border-bottom: 2px solid $main; border-radius: 0;
    padding: 4px 0 2px 0; }
QAbstractSpinBox { background: $panel; border: 1px solid $line; border-radius: 8px; padding: 5px 26px 5px 9px; }
QAbstractSpinBox::up-button, QAbstractSpinBox::down-button { subcontrol-origin: border; width: 26px; border: none;
    background: transparent; }
QAbstractSpinBox::up-button { subcontrol-position: top right; }
QAbstractSpinBox::down-button { subcontrol-position: bottom right; }
QComboBox { background: $panel; border: 1px solid $line; border-radius: 8px; padding: 5px 9px; combobox-popup: 0; }
QComboBox:disabled { color: $faint; }
QComboBox::drop-down { border: none; width: 24px; }
QComboBoxPrivateContainer { background: transparent; border: none; }
QComboBox QAbstractItemView { background: $panel; border: 1px solid $line; border-radius: 8px; padding: 3px;
    outline: none; }
QComboBox QAbstractItemView::item { padding: 5px 8px; border-radius: 6px; color: $text; }
QComboBox QAbstractItemView::item:selected { background: $selection; color: $text; }
#thoughts { border: none; border-left: 2px solid $line; }
#thoughts #prose { color: $muted; }
#codeBlock { background: $panel; border: 1px solid $line; border-radius: 8px; }
#codeHeader { background: transparent; border: none; border-bottom: 1px solid $line; border-radius: 0; }
#prose, #code { background: transparent; border: none; }
#code { font-size: 13px; }
#prose, #code, #composer { selection-background-color: $main; selection-color: $on_accent; }

QListView { background: transparent; border: none; outline: none; }
QScrollArea { background: transparent; border: none; }
QScrollBar:vertical { background: transparent; width: 10px; margin: 0; }
QScrollBar:horizontal { background: transparent; height: 10px; margin: 0; }
QScrollBar::handle { background: $rejected; border-radius: 3px; min-height: 32px; min-width: 32px; margin: 2px; }
QScrollBar::handle:hover { background: $faint; }
QScrollBar::add-line, QScrollBar::sub-line { width: 0; height: 0; }
QAbstractScrollArea::corner { background: transparent; border: none; }
QScrollBar::add-page, QScrollBar::sub-page { background: transparent; }

QMenu { background: $panel; border: 1px solid $line; border-radius: 8px; padding: 4px; }
QMenu::item { padding: 5px 24px 5px 12px; border-radius: 6px; }
QMenu QCheckBox { padding: 5px 24px 5px 12px; }
QCheckBox::indicator { width: 12px; height: 12px; border: 1px solid $faint; border-radius: 3px; }
QCheckBox::indicator:checked { background: $main; border-color: $main; }
QCheckBox:disabled { color: $faint; }
QCheckBox::indicator:disabled { background: $selection; border-color: $line; }
QMenu::item:selected { background: $selection; }
QMenu::item:disabled { color: $faint; }
QMenu::separator { height: 1px; background: $line; margin: 4px 8px; }
QMenu::icon { padding-left: 10px; }
QMenu::indicator { width: 14px; height: 14px; margin-left: 4px; }
Menu::indicator:checked { image: none; }
""")


def stylesheet(colours: Colours, text_size: int = 100) -> str:
    """Return the rules in these colours, with every text at `text_size` percent."""
    rules = _RULES.substitute(vars(colours))
    return _FONT_SIZE.sub(lambda match: f"font-size: {round(int(match[1]) * text_size / 100)}px", rules)
