"""Every setting, declared once. No Qt in here.

`SettingsValues` holds the values; `SETTINGS` has the same declarations as rows for pages, search and tests.
"""

from __future__ import annotations

from dataclasses import dataclass, fields

from app.settings import choices
from app.settings.pages import ADVANCED, API, DRAFTER, GENERAL, GENERATION, MACHINES, NETWORK, SPECULATION, STORAGE
from app.settings.remembered import RememberedValues
from app.settings.setting import AT_ONCE, NEXT_MODEL, NEXT_START, Setting
from app.system.translatable import QT_TRANSLATE_NOOP
from engine.speculation.proposers.registry import method_words, methods


@dataclass(frozen=True)
class SettingsValues(RememberedValues):
    """The value of every setting, including `RememberedValues`. The field names are the keys of the file.

    `hub_endpoint` and `proxy` are addresses, "" for none.
    """

    language: str = GENERAL.setting(
        "system",
        title=QT_TRANSLATE_NOOP("Settings", "Language"),
        help=QT_TRANSLATE_NOOP("Settings", "App language. Models usually answer in the language you write in."),
        choices=choices.LANGUAGES,
    )
    theme: str = GENERAL.setting(
        "system",
        title=QT_TRANSLATE_NOOP("Settings", "Appearance"),
        help=QT_TRANSLATE_NOOP("Settings", "Light, dark, or match the system."),
        choices=choices.THEMES,
    )
    text_size: int = GENERAL.setting(
        100,
        title=QT_TRANSLATE_NOOP("Settings", "Text size"),
        help=QT_TRANSLATE_NOOP("Settings", "Applies to the whole app."),
        choices=choices.TEXT_SIZES,
    )
    send_key: str = GENERAL.setting(
        "enter",
        title=QT_TRANSLATE_NOOP("Settings", "Send messages with"),
        help=QT_TRANSLATE_NOOP("Settings", "Shift+Enter always starts a new line."),
        choices=choices.SEND_KEYS,
    )
    notify_answers: bool = GENERAL.setting(
        True,
        title=QT_TRANSLATE_NOOP("Settings", "Notify when an answer is ready"),
        help=QT_TRANSLATE_NOOP(
            "Settings",
            "For long answers, and tools that wait for your permission, while another app is in front. "
            "Notifications contain no chat text.",
        ),
    )
    start_with: str = GENERAL.setting(
        "last",
        title=QT_TRANSLATE_NOOP("Settings", "On startup, load"),
        help=QT_TRANSLATE_NOOP("Settings", "The starter pair is small and answers questions about Tandem only."),
        effect=NEXT_START,
        choices=choices.START_PAIRS,
    )
    method: str = SPECULATION.setting(
        "auto",
        title=QT_TRANSLATE_NOOP("Settings", "Draft source"),
        help=QT_TRANSLATE_NOOP(
            "Settings",
            "Automatic uses the draft model or prompt lookup, whichever is faster on this Mac, or neither when "
            "speculation would not help.",
        ),
        choices=tuple((method, method_words(method)) for method in methods()),
    )
    depth: int = SPECULATION.setting(
        0,
        title=QT_TRANSLATE_NOOP("Settings", "Draft tokens per round"),
        help=QT_TRANSLATE_NOOP(
            "Settings", "Automatic adapts to the speed measured on this Mac. A fixed number can slow answers down."
        ),
        most=16,
        least_words=QT_TRANSLATE_NOOP("Settings", "Automatic"),
    )
    acceptance: str = SPECULATION.setting(
        "match",
        title=QT_TRANSLATE_NOOP("Settings", "Acceptance rule"),
        help=QT_TRANSLATE_NOOP(
            "Settings",
            "“Same text”: the same seed gives the same text with or without speculation, up to rounding. “Same "
            "distribution”: above temperature 0 the text may differ, but follows the main model's "
            "probabilities exactly.",
        ),
        choices=choices.RULES,
    )
    same_text: bool = SPECULATION.setting(
        False,
        title=QT_TRANSLATE_NOOP("Settings", "Always the same text with and without speculation"),
        help=QT_TRANSLATE_NOOP(
            "Settings",
            "Processors can round differently when they verify more tokens at once. With this on, Tandem uses only "
            "draft lengths at which rounding is the same, and computes one answer at a time.",
        ),
    )
    earlier_chats: bool = SPECULATION.setting(
        True,
        title=QT_TRANSLATE_NOOP("Settings", "Reuse wording from your chats"),
        help=QT_TRANSLATE_NOOP(
            "Settings",
            "Proposes tokens from answers in your other chats, which speeds up repeated work. The index stays on this "
            "Mac and loses a chat that you permanently delete.",
        ),
    )
    reduced_vocabulary: bool = SPECULATION.setting(
        True,
        title=QT_TRANSLATE_NOOP("Settings", "Draft with a smaller vocabulary"),
        help=QT_TRANSLATE_NOOP(
            "Settings",
            "Proposes only common tokens and those in earlier answers, where that is faster. Answers stay the same. "
            "This needs “Reuse wording from your chats”.",
        ),
    )
    teach_when_idle: bool = SPECULATION.setting(
        False,
        title=QT_TRANSLATE_NOOP("Settings", "Teach while Tandem is idle"),
        help=QT_TRANSLATE_NOOP(
            "Settings",
            "Begins after a few minutes without a question once there are enough new answers, and pauses whenever you "
            "ask, on battery, or when this Mac is hot.",
        ),
        effect=AT_ONCE,
    )
    async_drafter: str = DRAFTER.setting(
        "off",
        title=QT_TRANSLATE_NOOP("Settings", "Parallel drafting"),
        help=QT_TRANSLATE_NOOP(
            "Settings",
            "The draft model prepares the next tokens while the main model still verifies. Automatic uses this Mac's "
            "CPU where answers could get faster. The CPU needs a second copy of the draft model in memory. Another "
            "computer receives the text of your chats unencrypted.",
        ),
        choices=choices.AHEAD,
    )
    drafter_address: str = DRAFTER.setting(
        "",
        title=QT_TRANSLATE_NOOP("Settings", "Address of the other computer"),
        help=QT_TRANSLATE_NOOP(
            "Settings",
            "What “tandem drafter serve” shows on the other computer, such as mac.local:8799.",
        ),
    )
    temperature: float = GENERATION.setting(
        0.0,
        title=QT_TRANSLATE_NOOP("Settings", "Temperature"),
        help=QT_TRANSLATE_NOOP(
            "Settings", "0 always picks the most likely token. Higher values add variety and mistakes."
        ),
        most=2.0,
        step=0.1,
    )
    top_p: float = GENERATION.setting(
        1.0,
        title=QT_TRANSLATE_NOOP("Settings", "Top p"),
        help=QT_TRANSLATE_NOOP(
            "Settings", "Samples only from the most likely tokens that add up to this probability. 1 turns it off."
        ),
        least=0.05,
        most=1.0,
        step=0.05,
    )
    top_k: int = GENERATION.setting(
        0,
        title=QT_TRANSLATE_NOOP("Settings", "Top k"),
        help=QT_TRANSLATE_NOOP("Settings", "Samples only from this many of the most likely tokens."),
        most=200,
        least_words=QT_TRANSLATE_NOOP("Settings", "All"),
    )
    min_p: float = GENERATION.setting(
        0.0,
        title=QT_TRANSLATE_NOOP("Settings", "Min p"),
        help=QT_TRANSLATE_NOOP("Settings", "Drops tokens below this fraction of the top probability. 0 turns it off."),
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
        title=QT_TRANSLATE_NOOP("Settings", "Maximum answer length"),
        help=QT_TRANSLATE_NOOP("Settings", "In tokens. A token is about three quarters of an English word."),
        most=131072,
        step=256,
        least_words=QT_TRANSLATE_NOOP("Settings", "Up to the context limit"),
    )
    seed: int = GENERATION.setting(
        -1,
        title=QT_TRANSLATE_NOOP("Settings", "Seed"),
        help=QT_TRANSLATE_NOOP("Settings", "The same seed reproduces the same text. Only matters above temperature 0."),
        least=-1,
        most=2**31 - 1,
        least_words=QT_TRANSLATE_NOOP("Settings", "Random"),
        grouped=False,
    )
    thinking: str = GENERATION.setting(
        "auto",
        title=QT_TRANSLATE_NOOP("Settings", "Thinking"),
        help=QT_TRANSLATE_NOOP("Settings", "Models that can think do so before they answer. Other models ignore it."),
        choices=choices.THINKING,
    )
    overflow: str = GENERATION.setting(
        "refuse",
        title=QT_TRANSLATE_NOOP("Settings", "When the context is full"),
        help=QT_TRANSLATE_NOOP(
            "Settings",
            "Stop with a message, or drop the oldest messages. The system prompt and recent messages "
            "stay; the chat itself is not changed.",
        ),
        choices=choices.WHEN_FULL,
    )
    most_calls: int = GENERATION.setting(
        10,
        title=QT_TRANSLATE_NOOP("Settings", "Tool calls in one answer"),
        help=QT_TRANSLATE_NOOP("Settings", "After this many calls, the model has to answer with what it knows."),
        least=1,
        most=100,
    )
    kv_bits: int = GENERATION.setting(
        0,
        title=QT_TRANSLATE_NOOP("Settings", "KV cache of the main model"),
        help=QT_TRANSLATE_NOOP(
            "Settings", "The model's working memory of a chat. Fewer bits use less memory; answers can change slightly."
        ),
        effect=NEXT_MODEL,
        choices=choices.KV_PRECISION,
    )
    draft_kv_bits: int = GENERATION.setting(
        0,
        title=QT_TRANSLATE_NOOP("Settings", "KV cache of the draft model"),
        help=QT_TRANSLATE_NOOP(
            "Settings",
            "Fewer bits use less memory. Draft tokens may be accepted slightly less often; the text stays the same.",
        ),
        effect=NEXT_MODEL,
        choices=choices.KV_PRECISION,
    )
    work_offline: bool = NETWORK.setting(
        False,
        title=QT_TRANSLATE_NOOP("Settings", "Work offline"),
        help=QT_TRANSLATE_NOOP(
            "Settings", "Tandem never goes online. Downloads wait; chats and installed models keep working."
        ),
    )
    check_updates: bool = NETWORK.setting(
        False,
        title=QT_TRANSLATE_NOOP("Settings", "Check for updates once a day"),
        help=QT_TRANSLATE_NOOP(
            "Settings", "Reads which version of Tandem is the newest. Nothing about you or your chats is sent."
        ),
    )
    hub_endpoint: str = NETWORK.setting(
        "",
        title=QT_TRANSLATE_NOOP("Settings", "Mirror"),
        help=QT_TRANSLATE_NOOP(
            "Settings", "The address of a mirror of Hugging Face. Leave empty to use Hugging Face directly."
        ),
    )
    proxy: str = NETWORK.setting(
        "",
        title=QT_TRANSLATE_NOOP("Settings", "Proxy"),
        help=QT_TRANSLATE_NOOP(
            "Settings", "The address of a proxy, such as http://proxy:8080. Leave empty for no proxy."
        ),
    )
    use_other_apps: bool = STORAGE.setting(
        True,
        title=QT_TRANSLATE_NOOP("Settings", "Models of other apps"),
        help=QT_TRANSLATE_NOOP(
            "Settings",
            "Also offer the MLX models that LM Studio, oMLX, Jan and MTPLX have downloaded. Their files are only read.",
        ),
    )
    keep_prefixes: bool = STORAGE.setting(
        True,
        title=QT_TRANSLATE_NOOP("Settings", "Keep prompt cache on disk"),
        help=QT_TRANSLATE_NOOP(
            "Settings", "Reopens long chats instantly. Removed when the chat is permanently deleted."
        ),
    )
    prefix_folder_gb: float = STORAGE.setting(
        4.0,
        title=QT_TRANSLATE_NOOP("Settings", "Disk limit for the prompt cache"),
        help=QT_TRANSLATE_NOOP("Settings", "In GB. The least recently used chats are removed first."),
        most=1024.0,
        step=1.0,
    )
    api_serve: bool = API.setting(
        False,
        title=QT_TRANSLATE_NOOP("Settings", "Run a local API server"),
        help=QT_TRANSLATE_NOOP(
            "Settings",
            "Editors, agents and scripts on this Mac can ask the loaded models, with the same speculation. Chats are "
            "never shared.",
        ),
    )
    api_port: int = API.setting(
        8642,
        title=QT_TRANSLATE_NOOP("Settings", "Port"),
        help=QT_TRANSLATE_NOOP("Settings", "Change it if another program uses this one."),
        least=1024,
        most=65535,
        grouped=False,
    )
    api_asks_key: bool = API.setting(
        False,
        title=QT_TRANSLATE_NOOP("Settings", "Require an API key"),
        help=QT_TRANSLATE_NOOP("Settings", "Requests without the key below are rejected."),
    )
    api_network: bool = API.setting(
        False,
        title=QT_TRANSLATE_NOOP("Settings", "Let other computers connect"),
        help=QT_TRANSLATE_NOOP(
            "Settings",
            "Anyone on your network who has the key can use your models and this Mac's power, and everything is sent "
            "unencrypted. Turn it on only on a network you trust.",
        ),
    )
    api_origins: str = API.setting(
        "",
        title=QT_TRANSLATE_NOOP("Settings", "Allowed web origins"),
        help=QT_TRANSLATE_NOOP(
            "Settings", "Their addresses, such as http://localhost:3000, separated by spaces. Leave empty for none."
        ),
    )
    machines: str = MACHINES.setting(
        "",
        title=QT_TRANSLATE_NOOP("Settings", "Other Macs"),
        help=QT_TRANSLATE_NOOP(
            "Settings",
            "Names or addresses, separated by commas, such as mac-studio.local. This Mac has to reach them over SSH "
            "with a key, and Tandem has to be installed there.",
        ),
    )
    unload_after_min: int = ADVANCED.setting(
        0,
        title=QT_TRANSLATE_NOOP("Settings", "Unload idle models after"),
        help=QT_TRANSLATE_NOOP("Settings", "In minutes. Frees their memory; they reload with your next question."),
        most=1440,
        step=5,
        least_words=QT_TRANSLATE_NOOP("Settings", "Never"),
    )
    prefix_cache_gb: float = ADVANCED.setting(
        2.0,
        title=QT_TRANSLATE_NOOP("Settings", "Prompt cache in memory"),
        help=QT_TRANSLATE_NOOP(
            "Settings", "In GB. Keeps processed chats in memory so follow-up questions start faster."
        ),
        most=256.0,
        step=0.5,
    )
    memory_limit_gb: float = ADVANCED.setting(
        0.0,
        title=QT_TRANSLATE_NOOP("Settings", "Memory for models and chats"),
        help=QT_TRANSLATE_NOOP("Settings", "In GB. Models that do not fit are not loaded."),
        most=1024.0,
        step=1.0,
        least_words=QT_TRANSLATE_NOOP("Settings", "System recommendation"),
    )
    allow_oversize: bool = ADVANCED.setting(
        False,
        title=QT_TRANSLATE_NOOP("Settings", "Allow exceeding the memory limit"),
        help=QT_TRANSLATE_NOOP(
            "Settings",
            "Loads models beyond the limit. This Mac may become very slow, and the system may quit Tandem.",
        ),
    )
    control_tokens: bool = ADVANCED.setting(
        False,
        title=QT_TRANSLATE_NOOP("Settings", "Control tokens in messages"),
        help=QT_TRANSLATE_NOOP(
            "Settings",
            "Marks such as <|im_end|> in messages and files take effect instead of being ordinary text. A file or web "
            "page can then pretend to be you or the system.",
        ),
    )
    log_level: str = ADVANCED.setting(
        "warning",
        title=QT_TRANSLATE_NOOP("Settings", "Log level"),
        help=QT_TRANSLATE_NOOP(
            "Settings", "What the log below contains. Kept in memory only; never contains chat text."
        ),
        choices=choices.LOG_LEVELS,
    )


SETTINGS = {item.name: Setting(item.name, item.default, **item.metadata) for item in fields(SettingsValues)}


def settings_of(page: str) -> tuple[Setting, ...]:
    """Return the settings of a page in the order of their declaration."""
    return tuple(item for item in SETTINGS.values() if item.page == page)
