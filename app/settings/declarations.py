"""Every setting, declared once. No Qt in here.

`SettingsValues` holds the values; `SETTINGS` has the same declarations as rows for pages, search and tests.
"""

from __future__ import annotations

from dataclasses import dataclass, fields

from app.settings.setting import NEXT_ANSWER, NEXT_MODEL, NEXT_START, Page, Setting, setting
from app.system.translatable import QT_TRANSLATE_NOOP
from engine.speculation.proposers.registry import methods

GENERAL = Page("general")
SPECULATION = Page("speculation", NEXT_ANSWER)
GENERATION = Page("generation", NEXT_ANSWER)
NETWORK = Page("network")
STORAGE = Page("storage")
ADVANCED = Page("advanced")
LANGUAGE_NAMES = (("en", ""), ("ko", ""), ("ja", ""), ("zh_CN", ""))
METHOD_NAMES = {
    "auto": QT_TRANSLATE_NOOP("Settings", "Automatic"),
    "draft": QT_TRANSLATE_NOOP("Settings", "Draft model"),
    "ngram": QT_TRANSLATE_NOOP("Settings", "Lookup"),
    "off": QT_TRANSLATE_NOOP("Settings", "Off"),
}
FIT_CONTEXTS = (4096, 8192, 16384, 32768, 65536, 131072)
# Bits of the KV cache, 0 for the model's own precision.
KV_PRECISION = (
    (0, QT_TRANSLATE_NOOP("Settings", "Full")),
    (8, QT_TRANSLATE_NOOP("Settings", "8-bit")),
    (4, QT_TRANSLATE_NOOP("Settings", "4-bit")),
)
RULES = (
    ("match", QT_TRANSLATE_NOOP("Settings", "Same text")),
    ("rejection", QT_TRANSLATE_NOOP("Settings", "Same distribution")),
)


@dataclass(frozen=True)
class SettingsValues:
    """The value of every setting. The field names are the keys of the file.

    `hub_endpoint` and `proxy` are addresses, "" for none. `pairs` has its rows in `settings.pairs`. `model_folders` are
    searched for models besides the Hugging Face cache. `move_chats_to` is the folder that the chats move to at the next
    start, "" for none; `restore_backup` is the name of the backup that replaces them then. `offer_seen`: the offer of a
    first pair was answered. `fit_context` is the context in tokens for which memory is calculated. `main_model` and
    `draft_model` are the folders of the pair used last, "" for the starter or no draft. `window_place` is the window's
    x, y, width and height, empty before the first run. `sidebar` and `panel` say whether a pane is shown ("auto": if it
    fits); their widths are in pixels, 0 for the default.
    """

    language: str = GENERAL.setting(
        "system",
        title=QT_TRANSLATE_NOOP("Settings", "Language"),
        help=QT_TRANSLATE_NOOP("Settings", "For the window. A model answers in the language you write in."),
        choices=(("system", QT_TRANSLATE_NOOP("Settings", "Like the system")), *LANGUAGE_NAMES),
    )
    theme: str = GENERAL.setting(
        "system",
        title=QT_TRANSLATE_NOOP("Settings", "Appearance"),
        help=QT_TRANSLATE_NOOP("Settings", "Light, dark, or like the system."),
        choices=(
            ("system", QT_TRANSLATE_NOOP("Settings", "Like the system")),
            ("light", QT_TRANSLATE_NOOP("Settings", "Light")),
            ("dark", QT_TRANSLATE_NOOP("Settings", "Dark")),
        ),
    )
    text_size: int = GENERAL.setting(
        100,
        title=QT_TRANSLATE_NOOP("Settings", "Text size"),
        help=QT_TRANSLATE_NOOP("Settings", "For everything in the window."),
        choices=(
            (90, QT_TRANSLATE_NOOP("Settings", "Small")),
            (100, QT_TRANSLATE_NOOP("Settings", "Normal")),
            (115, QT_TRANSLATE_NOOP("Settings", "Large")),
            (130, QT_TRANSLATE_NOOP("Settings", "Very large")),
        ),
    )
    send_key: str = GENERAL.setting(
        "enter",
        title=QT_TRANSLATE_NOOP("Settings", "Send with"),
        help=QT_TRANSLATE_NOOP("Settings", "Shift+Enter always starts a new line."),
        choices=(
            ("enter", QT_TRANSLATE_NOOP("Settings", "Enter")),
            ("modifier", QT_TRANSLATE_NOOP("Settings", "Command or Ctrl with Enter")),
        ),
    )
    start_with: str = GENERAL.setting(
        "last",
        title=QT_TRANSLATE_NOOP("Settings", "At start, load"),
        help=QT_TRANSLATE_NOOP("Settings", "The starter pair is small and answers questions about Tandem only."),
        effect=NEXT_START,
        choices=(
            ("last", QT_TRANSLATE_NOOP("Settings", "The models used last")),
            ("starter", QT_TRANSLATE_NOOP("Settings", "The starter pair")),
        ),
    )
    method: str = SPECULATION.setting(
        "auto",
        title=QT_TRANSLATE_NOOP("Settings", "Who guesses"),
        help=QT_TRANSLATE_NOOP(
            "Settings",
            "Automatic takes the draft model or the lookup, whichever is faster here, and neither where guessing "
            "does not pay.",
        ),
        choices=tuple((method, METHOD_NAMES.get(method, method)) for method in methods()),
    )
    depth: int = SPECULATION.setting(
        0,
        title=QT_TRANSLATE_NOOP("Settings", "Guesses per round"),
        help=QT_TRANSLATE_NOOP(
            "Settings",
            "Automatic follows from what rounds cost on this computer. A fixed number can make answers slower.",
        ),
        least=0,
        most=16,
        least_words=QT_TRANSLATE_NOOP("Settings", "Automatic"),
    )
    acceptance: str = SPECULATION.setting(
        "match",
        title=QT_TRANSLATE_NOOP("Settings", "Accept guesses by"),
        help=QT_TRANSLATE_NOOP(
            "Settings",
            "“Same text” gives the same text for a seed with and without guessing. “Same distribution” accepts "
            "guesses by chance when the temperature is above 0; the text is another one, drawn just as the main model "
            "would.",
        ),
        choices=RULES,
    )
    temperature: float = GENERATION.setting(
        0.0,
        title=QT_TRANSLATE_NOOP("Settings", "Temperature"),
        help=QT_TRANSLATE_NOOP(
            "Settings", "0 always takes the likeliest token. Higher values bring more variety and more mistakes."
        ),
        most=2.0,
        step=0.1,
    )
    top_p: float = GENERATION.setting(
        1.0,
        title=QT_TRANSLATE_NOOP("Settings", "Top p"),
        help=QT_TRANSLATE_NOOP(
            "Settings", "Draws only from the likeliest tokens that make up this share. 1 draws from all."
        ),
        least=0.05,
        most=1.0,
        step=0.05,
    )
    top_k: int = GENERATION.setting(
        0,
        title=QT_TRANSLATE_NOOP("Settings", "Top k"),
        help=QT_TRANSLATE_NOOP("Settings", "Draws only from this many of the likeliest tokens."),
        most=200,
        least_words=QT_TRANSLATE_NOOP("Settings", "All"),
    )
    min_p: float = GENERATION.setting(
        0.0,
        title=QT_TRANSLATE_NOOP("Settings", "Min p"),
        help=QT_TRANSLATE_NOOP(
            "Settings", "Leaves out tokens less likely than this share of the likeliest one. 0 leaves none out."
        ),
        most=1.0,
        step=0.05,
    )
    repetition_penalty: float = GENERATION.setting(
        1.0,
        title=QT_TRANSLATE_NOOP("Settings", "Repetition penalty"),
        help=QT_TRANSLATE_NOOP("Settings", "Above 1, tokens that were just used become less likely."),
        least=1.0,
        most=2.0,
        step=0.05,
    )
    max_tokens: int = GENERATION.setting(
        0,
        title=QT_TRANSLATE_NOOP("Settings", "Longest answer"),
        help=QT_TRANSLATE_NOOP("Settings", "In tokens. A token is about three quarters of an English word."),
        most=131072,
        step=256,
        least_words=QT_TRANSLATE_NOOP("Settings", "As long as the context"),
    )
    seed: int = GENERATION.setting(
        -1,
        title=QT_TRANSLATE_NOOP("Settings", "Seed"),
        help=QT_TRANSLATE_NOOP(
            "Settings", "The same seed gives the same text again. It matters above temperature 0 only."
        ),
        least=-1,
        most=2**31 - 1,
        least_words=QT_TRANSLATE_NOOP("Settings", "A new one each time"),
        grouped=False,
    )
    thinking: str = GENERATION.setting(
        "auto",
        title=QT_TRANSLATE_NOOP("Settings", "Thinking"),
        help=QT_TRANSLATE_NOOP(
            "Settings", "Whether models that can think before they answer do so. Other models ignore it."
        ),
        choices=(
            ("auto", QT_TRANSLATE_NOOP("Settings", "Model’s default")),
            ("off", QT_TRANSLATE_NOOP("Settings", "Off")),
            ("on", QT_TRANSLATE_NOOP("Settings", "On")),
            ("low", QT_TRANSLATE_NOOP("Settings", "Low")),
            ("medium", QT_TRANSLATE_NOOP("Settings", "Medium")),
            ("high", QT_TRANSLATE_NOOP("Settings", "High")),
        ),
    )
    overflow: str = GENERATION.setting(
        "refuse",
        title=QT_TRANSLATE_NOOP("Settings", "When the context is full"),
        help=QT_TRANSLATE_NOOP(
            "Settings",
            "Tandem can tell you, or leave out the oldest turns. The system prompt and the newest turns always stay, "
            "and nothing is deleted from the chat.",
        ),
        choices=(
            ("refuse", QT_TRANSLATE_NOOP("Settings", "Tell me")),
            ("shorten", QT_TRANSLATE_NOOP("Settings", "Leave out the oldest turns")),
        ),
    )
    kv_bits: int = GENERATION.setting(
        0,
        title=QT_TRANSLATE_NOOP("Settings", "KV cache of the main model"),
        help=QT_TRANSLATE_NOOP(
            "Settings",
            "What the model keeps of a chat as it reads. Fewer bits take less memory; answers can change a little.",
        ),
        effect=NEXT_MODEL,
        choices=KV_PRECISION,
    )
    draft_kv_bits: int = GENERATION.setting(
        0,
        title=QT_TRANSLATE_NOOP("Settings", "KV cache of the draft model"),
        help=QT_TRANSLATE_NOOP(
            "Settings", "Fewer bits take less memory. Guesses can get a little worse; the text stays the same."
        ),
        effect=NEXT_MODEL,
        choices=KV_PRECISION,
    )
    work_offline: bool = NETWORK.setting(
        False,
        title=QT_TRANSLATE_NOOP("Settings", "Work offline"),
        help=QT_TRANSLATE_NOOP(
            "Settings", "No connection is ever tried. Downloads wait; chats and the models that are here work."
        ),
    )
    hub_endpoint: str = NETWORK.setting(
        "",
        title=QT_TRANSLATE_NOOP("Settings", "Mirror"),
        help=QT_TRANSLATE_NOOP(
            "Settings", "The address of a mirror of the Hugging Face Hub. Empty for the Hub itself."
        ),
    )
    proxy: str = NETWORK.setting(
        "",
        title=QT_TRANSLATE_NOOP("Settings", "Proxy"),
        help=QT_TRANSLATE_NOOP("Settings", "The address of a proxy, like http://proxy:8080. Empty for none."),
    )
    keep_prefixes: bool = STORAGE.setting(
        True,
        title=QT_TRANSLATE_NOOP("Settings", "Keep what models have read"),
        help=QT_TRANSLATE_NOOP(
            "Settings",
            "On the disk, so that long chats reopen at once. It goes when its chat is deleted permanently.",
        ),
    )
    prefix_folder_gb: float = STORAGE.setting(
        4.0,
        title=QT_TRANSLATE_NOOP("Settings", "Room for what models have read"),
        help=QT_TRANSLATE_NOOP("Settings", "In GB. Chats that were not used for longest make room."),
        most=1024.0,
        step=1.0,
    )
    unload_after_min: int = ADVANCED.setting(
        0,
        title=QT_TRANSLATE_NOOP("Settings", "Unload idle models after"),
        help=QT_TRANSLATE_NOOP(
            "Settings", "In minutes. Their memory is given back; the next question loads them again."
        ),
        most=1440,
        step=5,
        least_words=QT_TRANSLATE_NOOP("Settings", "Never"),
    )
    prefix_cache_gb: float = ADVANCED.setting(
        2.0,
        title=QT_TRANSLATE_NOOP("Settings", "Prefix cache"),
        help=QT_TRANSLATE_NOOP(
            "Settings",
            "In GB. Memory for chats that were already read, so that their next question need not be read from the "
            "start.",
        ),
        most=256.0,
        step=0.5,
    )
    memory_limit_gb: float = ADVANCED.setting(
        0.0,
        title=QT_TRANSLATE_NOOP("Settings", "Memory for models and chats"),
        help=QT_TRANSLATE_NOOP("Settings", "In GB. What does not fit is refused before it is loaded."),
        most=1024.0,
        step=1.0,
        least_words=QT_TRANSLATE_NOOP("Settings", "As the system recommends"),
    )
    allow_oversize: bool = ADVANCED.setting(
        False,
        title=QT_TRANSLATE_NOOP("Settings", "Allow what does not fit"),
        help=QT_TRANSLATE_NOOP(
            "Settings",
            "Loads models and answers questions beyond that limit. The computer can become very slow, and the system "
            "can end Tandem.",
        ),
    )
    log_level: str = ADVANCED.setting(
        "warning",
        title=QT_TRANSLATE_NOOP("Settings", "Record"),
        help=QT_TRANSLATE_NOOP(
            "Settings", "What the record below holds. It is in memory only, and no chat text is ever in it."
        ),
        choices=(
            ("warning", QT_TRANSLATE_NOOP("Settings", "Problems")),
            ("info", QT_TRANSLATE_NOOP("Settings", "Problems and events")),
            ("debug", QT_TRANSLATE_NOOP("Settings", "Every detail")),
        ),
    )
    kept_sampling: tuple[str, ...] = ()
    pairs: tuple[tuple[str, str, str, int, str], ...] = ()
    model_folders: tuple[str, ...] = ()
    move_chats_to: str = ""
    restore_backup: str = ""
    offer_seen: bool = False
    fit_context: int = setting(8192, choices=tuple((tokens, "") for tokens in FIT_CONTEXTS))
    main_model: str = ""
    draft_model: str = ""
    window_place: tuple[int, ...] = ()
    sidebar: str = setting("auto", choices=(("auto", ""), ("shown", ""), ("hidden", "")))
    panel: str = setting("auto", choices=(("auto", ""), ("shown", ""), ("hidden", "")))
    sidebar_width: int = 0
    panel_width: int = 0


SETTINGS = {item.name: Setting(item.name, item.default, **item.metadata) for item in fields(SettingsValues)}


def settings_of(page: str) -> tuple[Setting, ...]:
    """The rows of a page, in the order in which they are declared."""
    return tuple(item for item in SETTINGS.values() if item.page == page)
