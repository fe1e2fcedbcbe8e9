"""Every setting, declared once. No Qt in here.

`SettingsValues` holds the values; `SETTINGS` has the same declarations as rows for pages, search and tests.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

from app.settings.setting import (
    ADVANCED,
    API,
    GENERAL,
    GENERATION,
    MACHINES,
    NETWORK,
    NO_PAGE,
    SETTINGS_PAGES,
    SPECULATION,
    STORAGE,
    Setting,
)
from engine.methods import method_words, methods

# The choices of settings as (value, words); words are "" for a name that is the same in every language.
LANGUAGE_NAMES = (("en", ""), ("ko", ""), ("ja", ""), ("zh_CN", ""))
LANGUAGES = (("system", "Match system"), *LANGUAGE_NAMES)
THEMES = (("system", "Match system"), ("light", "Light"), ("dark", "Dark"))
TEXT_SIZES = ((90, "Small"), (100, "Normal"), (115, "Large"), (130, "Very large"))
SEND_KEYS = (("enter", "Enter"), ("modifier", "Cmd+Enter (Ctrl+Enter)"))
THINKING = (
    ("auto", "Model default"),
    ("off", "Off"),
    ("on", "On"),
    ("low", "Low"),
    ("medium", "Medium"),
    ("high", "High"),
    ("max", "Maximum"),
)
WHEN_FULL = (("refuse", "Stop and notify me"), ("shorten", "Drop the oldest messages"))
FIT_CONTEXTS = (4096, 8192, 16384, 32768, 65536, 131072)
# Bits of the KV cache, 0 for the model's own precision.
KV_PRECISION = ((0, "Full precision"), (8, "8-bit"), (4, "4-bit"))
RULES = (("match", "Same text"), ("rejection", "Same distribution"))
# Where the draft model prepares the next drafts, as in `EngineSettings.draft_ahead`.
DRAFT_AHEAD = (("off", "Off"), ("here", "On this Mac's processor"))


@dataclass(frozen=True)
class RememberedValues:
    """Values without a row on a page.

    `model_folders` are searched for models in addition to the Hugging Face cache.
    `move_chats_to` is the folder that the chats move to at the next start, "" for none; `restore_backup` is the name of
    the backup that replaces them then. With `remove_everything` Tandem removes all its data when it quits.
    `update_checked_at` is in seconds since 1970. `offer_seen` says whether the user answered the offer of a first pair.
    `fit_context` is the context in tokens for which memory is calculated. `main_model` and `draft_model` are the
    folders of the pair used last: both "" for the starter pair, else `draft_model` "" for no draft.
    `window_geometry` is the window's place and state in Qt's form, "" before the first run; each of `chat_windows` is
    the uid of a chat in a window of its own, a space and the same of that window. `sidebar` and `panel` say
    whether a pane is shown ("auto": if it fits; "later": not before the first question); their widths are in pixels,
    0 for the default. `panel_details` says whether the live panel's details are unfolded.
    """

    kept_sampling: tuple[str, ...] = ()
    model_folders: tuple[str, ...] = ()
    move_chats_to: str = ""
    restore_backup: str = ""
    remove_everything: bool = False
    update_checked_at: int = 0
    offer_seen: bool = False
    fit_context: int = NO_PAGE.setting(8192, choices=tuple((tokens, "") for tokens in FIT_CONTEXTS))
    main_model: str = ""
    draft_model: str = ""
    window_geometry: str = ""
    chat_windows: tuple[str, ...] = ()
    sidebar: str = NO_PAGE.setting("auto", choices=(("auto", ""), ("shown", ""), ("hidden", "")))
    panel: str = NO_PAGE.setting("later", choices=(("later", ""), ("auto", ""), ("shown", ""), ("hidden", "")))
    sidebar_width: int = 0
    panel_width: int = 0
    panel_details: bool = False


@dataclass(frozen=True)
class SettingsValues(RememberedValues):
    """The value of every setting, including `RememberedValues`. The field names are the keys of the file.

    `hub_endpoint` and `proxy` are addresses, "" for none.
    """

    language: str = GENERAL.setting(
        "system",
        title="Language",
        help="App language. Models usually answer in the language you write in.",
        choices=LANGUAGES,
    )
    theme: str = GENERAL.setting(
        "system",
        title="Appearance",
        help="Light, dark, or match the system.",
        choices=THEMES,
        other_names=("Dark mode",),
    )
    text_size: int = GENERAL.setting(
        100, title="Text size", help="Applies to the whole app.", choices=TEXT_SIZES, other_names=("Font size",)
    )
    send_key: str = GENERAL.setting(
        "enter", title="Send messages with", help="Shift+Enter always starts a new line.", choices=SEND_KEYS
    )
    notify_answers: bool = GENERAL.setting(
        True,
        title="Notify when an answer is ready",
        help=(
            "For long answers, and tools that wait for your permission, while another app is in front. "
            "Notifications contain no chat text."
        ),
    )
    menu_bar: bool = GENERAL.setting(
        False,
        title="Show Tandem in the menu bar",
        help="Its menu shows what is loaded and the speed of the newest answer, unloads the models, and quits Tandem.",
    )
    quick_entry: str = GENERAL.setting(
        "",
        title="Shortcut for the quick entry",
        help=(
            "Opens a small window over all apps, which answers in place. Another app with the same keys may respond "
            "too. Press ⌫ for none."
        ),
        least_words="None",
        is_shortcut=True,
    )
    method: str = SPECULATION.setting(
        "auto",
        title="Faster answers",
        help="Automatic uses what is fastest on this Mac: the draft model, prompt lookup, or neither.",
        choices=tuple((method, method_words(method)) for method in methods()),
        other_names=("Draft source", "Speculative decoding"),
        terminal="what proposes draft tokens (auto)",
    )
    draft_ahead: str = SPECULATION.setting(
        "off",
        title="Draft ahead",
        help=(
            "Drafts the next round while a large main model checks. On this Mac's processor it rarely gains, and needs "
            "memory for a second copy; another Mac with the model can."
        ),
        choices=DRAFT_AHEAD,
        others="On {name}",
    )
    depth: int = SPECULATION.setting(
        0,
        title="Draft tokens per round",
        help="Automatic adapts to the speed measured on this Mac. A fixed number can slow answers down.",
        most=32,
        least_words="Automatic",
        first=4,
        terminal="draft tokens per round, 0 to 32 (auto)",
        is_rare=True,
    )
    acceptance: str = SPECULATION.setting(
        "match",
        title="Acceptance rule",
        help=(
            "“Same text”: a seed always gives the same text, up to rounding. “Same distribution”: speculation may "
            "change the text, but not its probabilities."
        ),
        choices=RULES,
        terminal="when a draft token is accepted (match)",
        is_rare=True,
    )
    same_text: bool = SPECULATION.setting(
        False,
        title="Always the same text with and without speculation",
        help=(
            "Verifying several tokens at once can change rounding. With this on, Tandem uses only draft lengths with "
            "the same rounding, and computes one answer at a time."
        ),
        terminal="always the same text with and without speculation; the line below an answer says what it costs",
        in_chats=False,
    )
    earlier_chats: bool = SPECULATION.setting(
        True,
        title="Reuse wording from your chats",
        help=(
            "Proposes tokens from answers in your other chats, which speeds up repeated work. The index stays on this "
            "Mac and loses a chat that you permanently delete."
        ),
    )
    temperature: float = GENERATION.setting(
        0.0,
        title="Temperature",
        help="0 always picks the most likely token. Higher values add variety and mistakes.",
        most=2.0,
        step=0.1,
        terminal="0 to 5; 0 always picks the most likely token",
    )
    top_p: float = GENERATION.setting(
        1.0,
        title="Top p",
        help="Samples only from the most likely tokens that add up to this probability. 1 turns it off.",
        least=0.05,
        most=1.0,
        step=0.05,
        terminal="sample from the most likely tokens that add up to X, above 0 to 1 (all)",
    )
    top_k: int = GENERATION.setting(
        0,
        title="Top k",
        help="Samples only from this many of the most likely tokens.",
        most=200,
        least_words="All",
        first=40,
        terminal="sample from the N most likely tokens; 0: all",
    )
    min_p: float = GENERATION.setting(
        0.0,
        title="Min p",
        help="Drops tokens below this fraction of the top probability. 0 turns it off.",
        most=1.0,
        step=0.05,
        terminal="drop tokens below the fraction X of the top probability, 0 (none) to 1",
        is_rare=True,
    )
    repetition_penalty: float = GENERATION.setting(
        1.0,
        title="Repetition penalty",
        help="Above 1, tokens that were just used become less likely.",
        least=1.0,
        most=2.0,
        step=0.05,
        terminal="above 0; 1 turns it off",
        is_rare=True,
    )
    max_tokens: int = GENERATION.setting(
        0,
        title="Maximum answer length",
        help="In tokens. A token is about three quarters of an English word.",
        other_names=("Max tokens",),
        most=131072,
        step=256,
        least_words="No limit",
        first=2048,
    )
    seed: int = GENERATION.setting(
        -1,
        title="Seed",
        help="The same seed reproduces the same text. Only matters above temperature 0.",
        least=-1,
        most=2**31 - 1,
        least_words="Random",
        grouped=False,
        terminal="the same seed gives the same text (random)",
    )
    thinking: str = GENERATION.setting(
        "auto",
        title="Thinking",
        help="Models that can think do so before they answer. Other models ignore it.",
        choices=THINKING,
    )
    thinking_budget: int = GENERATION.setting(
        0,
        title="Thinking limit",
        help="In tokens. At this limit the model has to end its thoughts, and the answer follows.",
        most=131072,
        step=256,
        least_words="No limit",
        first=2048,
        terminal="the most tokens of thoughts; 0: none (no limit)",
    )
    overflow: str = GENERATION.setting(
        "refuse",
        title="When the context is full",
        help=(
            "Stop with a message, or drop the oldest messages. The system prompt and recent messages "
            "stay; the chat itself is not changed."
        ),
        choices=WHEN_FULL,
    )
    kv_bits: int = GENERATION.setting(
        0,
        title="KV cache",
        help=(
            "The model's working memory of a chat. Fewer bits use less memory; answers can change slightly. Applies "
            "the next time a model is loaded."
        ),
        choices=KV_PRECISION,
        is_rare=True,
    )
    work_offline: bool = NETWORK.setting(
        False,
        title="Work offline",
        help=(
            "Tandem does not connect to Hugging Face or look for updates, so downloads wait. Chats, installed models, "
            "tools and other computers that you chose keep working."
        ),
    )
    check_updates: bool = NETWORK.setting(
        False,
        title="Check for updates once a day",
        help="Reads which version of Tandem is the newest. Nothing about you or your chats is sent.",
    )
    hub_endpoint: str = NETWORK.setting(
        "",
        title="Mirror",
        help="The address of a mirror of Hugging Face. Leave empty to use Hugging Face directly.",
        is_rare=True,
    )
    proxy: str = NETWORK.setting(
        "",
        title="Proxy",
        help="The address of a proxy, such as http://proxy:8080. Leave empty for no proxy.",
        is_rare=True,
    )
    keep_prefixes: bool = STORAGE.setting(
        True,
        title="Keep prompt cache on disk",
        help="Reopens long chats instantly and takes up to 4 GB. Removed when the chat is permanently deleted.",
    )
    api_serve: bool = API.setting(
        False,
        title="Run a local API server",
        help=(
            "Editors, agents and scripts on this Mac can ask the loaded models, with the same speculation. Chats are "
            "never shared."
        ),
    )
    api_port: int = API.setting(
        8642, title="Port", help="Change it if another program uses this one.", least=1024, most=65535, grouped=False
    )
    api_network: bool = API.setting(
        False,
        title="Let other computers connect",
        help=(
            "Anyone on your network who has the key can use your models and this Mac's power, and everything is sent "
            "unencrypted. Turn it on only on a network you trust."
        ),
    )
    api_origins: str = API.setting(
        "",
        title="Allowed web origins",
        help="Their addresses, such as http://localhost:3000, separated by spaces. Leave empty for none.",
        is_rare=True,
    )
    machines: str = MACHINES.setting(
        "",
        title="Other Macs",
        help=(
            "Names or addresses, separated by commas, such as mac-studio.local. This Mac has to reach them over SSH "
            "with a key, and Tandem has to be installed there."
        ),
    )
    unload_after_min: int = ADVANCED.setting(
        0,
        title="Unload idle models after",
        help="In minutes. Frees their memory; they reload with your next question.",
        most=1440,
        step=5,
        least_words="Never",
        first=30,
    )
    memory_limit_gb: float = ADVANCED.setting(
        0.0,
        title="Memory for models and chats",
        help="In GB. Models that do not fit are not loaded.",
        most=1024.0,
        step=1.0,
        least_words="Automatic",
        first=16.0,
    )
    allow_oversize: bool = ADVANCED.setting(
        False,
        title="Allow exceeding the memory limit",
        help="Loads models beyond the limit. This Mac may become very slow, and the system may quit Tandem.",
    )


# The titles in English of the settings window's pages.
PAGES = {page.name: page.title for page in SETTINGS_PAGES.values()}
SETTINGS = {item.name: Setting(item.name, item.default, **item.metadata) for item in fields(SettingsValues)}


def declared_in(record: type[Any]) -> dict[str, Setting]:
    """Return the settings that are fields of a record of the engine, by name, in the order of their declaration."""
    names = {field.name for field in fields(record)}
    return {name: setting for name, setting in SETTINGS.items() if name in names}


def settings_of(page: str) -> tuple[Setting, ...]:
    """Return the settings of a page in the order of their declaration."""
    return tuple(item for item in SETTINGS.values() if item.page == page)
