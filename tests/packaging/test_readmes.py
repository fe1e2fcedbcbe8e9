"""Each README says how to install and uninstall, and names the folders that the app keeps its data in."""

from __future__ import annotations

import re
import tomllib
from importlib.metadata import requires
from pathlib import Path

import platformdirs.macos
import platformdirs.unix
import pytest
from packaging.requirements import Requirement

from engine.documents.formats import FORMATS
from engine.errors import PicturesNotInstalled
from tests.packaging.requirements import needed_by

ROOT = Path(__file__).resolve().parents[2]
ENVIRONMENT = "python3 -m venv .venv && .venv/bin/pip install -q -c packaging/constraints.txt"
# mlx-vlm is in every install, without its requirements.
TOWERS = "install -q --no-deps -c packaging/constraints.txt mlx-vlm"
UV = "--overrides packaging/overrides.txt --with mlx-vlm"
READMES = [ROOT / "README.md", *sorted((ROOT / "i18n").glob("README.*.md"))]


def text_of(readme: Path) -> str:
    """Return the text of a README, with the page about installing that it links; packaging/README.md has none."""
    text = readme.read_text(encoding="utf-8")
    if readme in READMES:
        page = f"docs/{readme.name.replace('README', 'installing')}"
        assert f"{page})" in text
        text += (ROOT / page).read_text(encoding="utf-8")
    return text


def outline_of(text: str) -> list[str]:
    """Return what a README and its translations have in common: headings, commands, pictures, points and links.

    A heading is its level, a point its dash, and pictures and links are their files without a language. The links to
    the other languages are left out.
    """
    kinds = r"^#+ |^- |^```\w*\n.+|\]\([^)]+\)"
    parts = re.findall(kinds, text.partition("![")[2], flags=re.MULTILINE)
    return [re.sub(r"\.\./|[.-](ko|ja|zh_CN)(?=\.)", "", part) for part in parts]


@pytest.mark.parametrize("readme", READMES[1:], ids=lambda file: file.name)
def test_a_translation_has_the_outline_of_the_readme(readme: Path) -> None:
    english, translated = (outline_of(file.read_text(encoding="utf-8")) for file in (READMES[0], readme))
    # Two pictures of the window are in the language of the reader instead.
    pictures = {"](resources/pictures/tokens-dark.png)": "main", "](resources/pictures/race.webp)": "compare"}
    assert translated == [
        f"](resources/pictures/{pictures[part]}.png)" if part in pictures else part for part in english
    ]


@pytest.mark.parametrize("readme", READMES[1:], ids=lambda file: file.name)
def test_a_translated_page_about_installing_has_the_outline_of_the_page(readme: Path) -> None:
    pages = [ROOT / "docs" / file.name.replace("README", "installing") for file in (READMES[0], readme)]
    english, translated = (
        re.findall(r"^#+ |^- .+|^\| ", page.read_text("utf-8"), flags=re.MULTILINE) for page in pages
    )
    assert translated == english


def test_every_link_of_the_readmes_and_documents_leads_to_a_file() -> None:
    for file in (*READMES, *sorted((ROOT / "docs").glob("*.md"))):
        links = re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", file.read_text(encoding="utf-8"))
        assert [link for link in links if not (file.parent / link).exists()] == [], file


@pytest.mark.parametrize("readme", READMES, ids=lambda file: file.name)
def test_it_says_where_everything_is_and_how_to_install_and_uninstall(
    readme: Path, own_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("XDG_DATA_HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME"):
        monkeypatch.delenv(name)
    text = text_of(readme)
    for system in (platformdirs.macos.MacOS, platformdirs.unix.Unix):
        folders = system("Tandem", appauthor=False)
        for folder in (folders.user_data_dir, folders.user_config_dir, folders.user_cache_dir):
            assert folder.replace(str(own_home), "~") in text
    assert "~/.cache/huggingface/hub" in text
    for command in (
        f"uv tool install --constraints packaging/constraints.txt {UV} .",
        # pipx runs pip in another folder.
        'SYSTEM_VERSION_COMPAT=0 pipx install "--pip-args=-c packaging/constraints.txt" . && pipx runpip tandem-chat '
        'install -q --no-deps -c "$PWD/packaging/constraints.txt" mlx-vlm',
        "uv tool uninstall tandem-chat",
        "pipx uninstall tandem-chat",
    ):
        assert f"`{command}`" in text


@pytest.mark.parametrize("readme", READMES, ids=lambda file: file.name)
def test_the_first_command_brings_its_own_python(readme: Path) -> None:
    first, *others = re.findall(r"```sh\n(.+)\n```", text_of(readme))
    assert first == f"uvx --python 3.11 -c packaging/constraints.txt {UV} --from . tandem"
    # pip is told the version of macOS, by which it chooses MLX's wheel.
    app = ENVIRONMENT.replace("&& ", "&& SYSTEM_VERSION_COMPAT=0 ")
    assert others[0] == f"{app} . && .venv/bin/pip {TOWERS} && .venv/bin/tandem"
    assert any(command.startswith("sudo apt-get install libegl1 ") for command in others)


def test_who_left_the_towers_out_is_told_the_readme_s_own_step() -> None:
    assert PicturesNotInstalled.command == f".venv/bin/pip {TOWERS}"


def test_uv_leaves_out_only_what_mlx_vlm_alone_asks_for() -> None:
    lines = (ROOT / "packaging" / "overrides.txt").read_text(encoding="utf-8").splitlines()
    left_out = {Requirement(line).name for line in lines if not line.startswith("#")}
    assert left_out <= {Requirement(line).name for line in requires("mlx-vlm") or ()}
    assert not left_out & needed_by("tandem-chat", set())


@pytest.mark.parametrize("pattern", ["README.md", "docs/*", "i18n/*", "app/**/*.py", "engine/**/*.py", "packaging/*"])
def test_no_text_names_a_package_of_ours_on_an_index(pattern: str) -> None:
    files = [file for file in ROOT.glob(pattern) if file.suffix in (".md", ".ts", ".py", ".txt")]
    assert files
    for file in files:
        assert not re.search(r"(?<!un)install\b[^\n`&]*tandem-chat", file.read_text(encoding="utf-8")), file


def test_the_way_past_macos_is_named_as_macos_names_it() -> None:
    names = ("Open Anyway", "このまま開く", "확인 없이 열기", "仍要打开", "Open Anyway")
    files = [*READMES, ROOT / "packaging" / "README.md"]
    assert [name in text_of(file) for name, file in zip(names, files, strict=True)] == [True] * 5


def test_uv_builds_again_whatever_has_changed() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]
    watched = {file for key in project["uv"]["cache-keys"] for file in ROOT.glob(key["file"])}
    wheel = project["hatch"]["build"]["targets"]["wheel"]
    held = [ROOT / name for name in (*wheel["packages"], *wheel["force-include"])]
    files = {file for one in held for file in (one, *one.rglob("*")) if file.is_file() and file.suffix != ".pyc"}
    assert len(files) > 400
    assert files <= watched


def test_there_is_one_in_each_language_of_the_window() -> None:
    spoken = {file.stem.partition("_")[2] for file in (ROOT / "i18n").glob("tandem_*.ts")}
    assert {file.stem.partition(".")[2] for file in READMES} - {""} | {"en"} == spoken


def test_the_table_of_documents_has_every_format() -> None:
    text = (ROOT / "docs" / "documents-and-imports.md").read_text(encoding="utf-8").upper()
    suffixes = {suffix for form in FORMATS for suffix in form.suffixes}
    # Other names of formats that are there.
    suffixes -= {".dot", ".pps", ".xlt", ".htm", ".xhtml", ".mht", ".html", ".fodp", ".fods", ".fodt", ".ipynb"}
    assert {suffix for suffix in suffixes if suffix.removeprefix(".").upper() not in text} == set()
