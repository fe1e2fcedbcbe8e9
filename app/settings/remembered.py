"""The values that the settings file keeps besides the settings with a row. No Qt in here."""

from __future__ import annotations

from dataclasses import dataclass

from app.settings.choices import FIT_CONTEXTS
from app.settings.setting import setting


@dataclass(frozen=True)
class RememberedValues:
    """Values without a row on a page.

    `pairs` has its rows in `settings.pairs`. `model_folders` are searched for models besides the Hugging Face cache.
    `move_chats_to` is the folder that the chats move to at the next start, "" for none; `restore_backup` is the name of
    the backup that replaces them then. With `remove_everything` Tandem removes all its data when it quits.
    `update_checked_at` is in seconds since 1970. `offer_seen` says whether the user answered the offer of a first pair.
    `fit_context` is the context in tokens for which memory is calculated. `main_model` and `draft_model` are the
    folders of the pair used last: both "" for the starter pair, else `draft_model` "" for no draft. `window_place` is
    the window's x, y, width and height, empty before the first run, `window_state` its state. `sidebar` and `panel` say
    whether a pane is shown ("auto": if it fits); their widths are in pixels, 0 for the default.
    `panel_details` says whether the live panel's details are unfolded.
    """

    kept_sampling: tuple[str, ...] = ()
    pairs: tuple[tuple[str, str, str, int, str], ...] = ()
    model_folders: tuple[str, ...] = ()
    move_chats_to: str = ""
    restore_backup: str = ""
    remove_everything: bool = False
    update_checked_at: int = 0
    offer_seen: bool = False
    fit_context: int = setting(8192, choices=tuple((tokens, "") for tokens in FIT_CONTEXTS))
    main_model: str = ""
    draft_model: str = ""
    window_place: tuple[int, ...] = ()
    window_state: str = setting("normal", choices=(("normal", ""), ("maximized", ""), ("full-screen", "")))
    sidebar: str = setting("auto", choices=(("auto", ""), ("shown", ""), ("hidden", "")))
    panel: str = setting("auto", choices=(("auto", ""), ("shown", ""), ("hidden", "")))
    sidebar_width: int = 0
    panel_width: int = 0
    panel_details: bool = False
