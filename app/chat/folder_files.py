"""The files of a folder: which of them its chats begin with, and what they take of the context."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from pathlib import Path

from PySide6.QtCore import QLocale, QSize, Qt
from PySide6.QtWidgets import QFileDialog, QPushButton, QToolButton, QWidget

from app.conversations.projects import Project, Source, SourceFile
from app.session.attachments import NotAttachable, count_tokens
from app.session.session import Session
from app.system.background import Background
from app.text.fences import file_block
from app.widgets import theme
from app.widgets.badges import Bar
from app.widgets.controls import Switch
from app.widgets.icons import icon
from app.widgets.labels import ElidedLabel, label, set_name, show_words
from app.widgets.layouts import fill, hbox, vbox
from app.widgets.restyled import Restyled
from app.widgets.style_class import set_style_class, styled
from app.wording.figures import number
from app.wording.files import not_added, source_problems

_INDENT = 16
# The files should leave one part in this many of the context to the chat.
_CHAT_SHARE = 4


def to_leave_out(tokens: Mapping[str, int], excess: int) -> list[str]:
    """Return the names of the files without which the rest has at least `excess` tokens less, as few as possible."""
    enough = [name for name, count in tokens.items() if count >= excess]
    if enough:
        return [min(enough, key=lambda name: tokens[name])]
    found: list[str] = []
    for name in sorted(tokens, key=lambda name: -tokens[name]):
        if excess > 0:
            found.append(name)
            excess -= tokens[name]
    return found


class FolderFiles(Restyled, QWidget):
    """Follows the project that `show_project` was given last."""

    def __init__(self, session: Session, parent: QWidget) -> None:
        super().__init__(parent)
        self._session = session
        self._project: Project | None = None
        self._background = Background("folder-tokens", parent=self)
        # By the path of the model, the file's name and its text.
        self._counts: dict[tuple[Path, str, str], int] = {}
        self._rows: dict[tuple[str, str], FileRow] = {}
        title = self.bound("Files", label(self, "title"))
        self.add_files = self.bound("Add files…", styled(QPushButton(self), "button-small"))
        self.add_folder = self.bound("Add a folder…", styled(QPushButton(self), "button-small"))
        explained = self.bound(
            "Every chat in this folder begins with all of these files. The model reads them whole; nothing is picked "
            "out by a search.",
            label(self, "muted", wraps=True),
        )
        self.bar, self.usage = Bar(self), label(self, "muted", wraps=True)
        self.trouble = label(self, "problem", wraps=True)
        self.trouble.hide()
        self._list = vbox(margins=(0, 0, 0, 0), spacing=2)
        head = fill(hbox(spacing=8), (title, 1), self.add_files, self.add_folder)
        column = vbox(self, margins=(0, 0, 0, 0), spacing=6)
        fill(column, head, explained, self._list, self.trouble, self.bar, self.usage)
        self.add_files.clicked.connect(self._choose_files)
        self.add_folder.clicked.connect(self._choose_folder)
        session.projects.refused.connect(self._refuse)
        self.restyle()

    def end(self) -> None:
        """Stop counting."""
        self._background.close()

    def show_project(self, project: Project | None) -> None:
        """Show the files of a folder and count their tokens."""
        if project is None or self._project is None or project.folder.id != self._project.folder.id:
            show_words(self.trouble, "")
        self._project = project
        shown = self._parts()
        if list(shown) != list(self._rows):
            self._make_rows(shown)
        for key, (source, file) in shown.items():
            self._rows[key].show_part(source, file)
        self._show_usage()
        self._count()

    def _parts(self) -> dict[tuple[str, str], tuple[Source, SourceFile | None]]:
        """Return what has a row: each file, and each folder of the disk above its files."""
        found: dict[tuple[str, str], tuple[Source, SourceFile | None]] = {}
        for source in self._project.sources if self._project else ():
            if source.is_folder:
                found[source.path, ""] = source, None
            found.update({(source.path, file.name): (source, file) for file in source.files if file.text})
        return found

    def _make_rows(self, shown: Mapping[tuple[str, str], tuple[Source, SourceFile | None]]) -> None:
        for row in self._rows.values():
            row.hide()
            row.deleteLater()
        self._rows = {key: FileRow(self, file is not None, source.is_folder) for key, (source, file) in shown.items()}
        for key, row in self._rows.items():
            self._list.addWidget(row)
            row.switch.clicked.connect(partial(self._leave_out, key))
            row.remove.clicked.connect(partial(self._remove, key))

    def _leave_out(self, key: tuple[str, str], chosen: bool) -> None:
        source, file = self._parts()[key]
        if self._project is not None and file is not None:
            self._session.projects.leave_out(self._project.folder.id, source, file.name, not chosen)

    def _remove(self, key: tuple[str, str]) -> None:
        if self._project is not None:
            self._session.projects.remove(self._project.folder.id, self._parts()[key][0])

    def _choose_files(self) -> None:
        names, _ = QFileDialog.getOpenFileNames(self.window(), self.tr("Add files"), str(Path.home()))
        self._add(names)

    def _choose_folder(self) -> None:
        name = QFileDialog.getExistingDirectory(self.window(), self.tr("Add a folder"), str(Path.home()))
        self._add([name] if name else [])

    def _add(self, names: list[str]) -> None:
        if names and self._project is not None:
            show_words(self.trouble, "")
            self.usage.setText(self.tr("Reading…"))
            self._session.projects.add(self._project.folder.id, names)

    def _refuse(self, error: NotAttachable) -> None:
        said = self.trouble.text()
        show_words(self.trouble, "\n".join(filter(None, (said, not_added(error.name, error.reason)))))
        self._show_usage()

    # Tokens

    def _model(self) -> Path | None:
        main = self._session.models.pair.main
        return None if main is None else Path(main.path)

    def _included(self) -> list[SourceFile]:
        return [file for _, file in self._parts().values() if file is not None and not file.left_out]

    def _count(self) -> None:
        """Count the tokens of the files that were not counted for the loaded model."""
        model = self._model()
        if model is None:
            return
        files = [file for _, file in self._parts().values() if file is not None]
        wanted = [key for file in files if (key := (model, file.name, file.text)) not in self._counts]
        if not wanted:
            return

        def count() -> list[int]:
            return [count_tokens(model, file_block(name, text)) or 0 for _, name, text in wanted]

        def take(counts: list[int]) -> None:
            self._counts.update(zip(wanted, counts, strict=True))
            self._show_usage()

        self._background.run(count, take)

    def _tokens(self, file: SourceFile) -> int | None:
        model = self._model()
        return None if model is None else self._counts.get((model, file.name, file.text))

    def _show_usage(self) -> None:
        for key, (_, file) in self._parts().items():
            if file is not None and key in self._rows:
                self._rows[key].show_tokens(self._tokens(file))
        main, counts = self._session.models.pair.main, {file.name: self._tokens(file) for file in self._included()}
        known = {name: count for name, count in counts.items() if count is not None}
        used, limit = sum(known.values()), 0 if main is None else main.context_length
        over = used > limit - limit // _CHAT_SHARE
        self.bar.setVisible(bool(counts) and limit > 0)
        self.bar.show_parts([(used / limit, "problem" if over else "main")] if limit else [], self.tr("Context"))
        set_style_class(self.usage, "problem" if over else "muted")
        show_words(self.usage, self._words(known, used, limit) if counts and len(known) == len(counts) else "")
        if counts and main is None:
            show_words(self.usage, self.tr("Load a model to see how much of its context the files take."))

    def _words(self, tokens: Mapping[str, int], used: int, limit: int) -> str:
        figures = {"used": number(used, 0), "limit": number(limit, 0)}
        room = limit - limit // _CHAT_SHARE
        if used <= room:
            if self._project is not None and self._session.answers.has_read(self._project):
                return self.tr("{used} of {limit} tokens, already read").format(**figures)
            return self.tr("{used} of {limit} tokens").format(**figures)
        files = QLocale().createSeparatedList(to_leave_out(tokens, used - room))
        words = self.tr("{used} of {limit} tokens leave too little room for a chat. Turn off: {files}")
        return words.format(files=files, **figures)

    def retranslate(self) -> None:
        self.show_project(self._project)

    def apply_theme(self) -> None:
        for row in self._rows.values():
            row.apply_theme()


class FileRow(Restyled, QWidget):
    """A file with its switch and its tokens, or a folder of the disk above its files."""

    def __init__(self, parent: QWidget, is_file: bool, in_folder: bool) -> None:
        super().__init__(parent)
        self._is_file = is_file
        self.switch, self.remove = Switch(self), styled(QToolButton(self), "quiet")
        self._mark = label(self, "muted")
        self._name = ElidedLabel(self, Qt.TextElideMode.ElideMiddle)
        self._tokens, self._trouble = label(self, "muted"), label(self, "muted", wraps=True)
        self._trouble.hide()
        self.switch.setVisible(is_file)
        self._mark.setVisible(not is_file)
        # Files of a folder of the disk come and go with that.
        policy = self.remove.sizePolicy()
        policy.setRetainSizeWhenHidden(True)
        self.remove.setSizePolicy(policy)
        self.remove.setVisible(not (is_file and in_folder))
        line = fill(hbox(spacing=8), self.switch, self._mark, (self._name, 1), self._tokens, self.remove)
        indent = _INDENT if is_file and in_folder else 0
        fill(vbox(self, margins=(indent, 0, 0, 0), spacing=2), line, self._trouble)
        self.restyle()

    def show_part(self, source: Source, file: SourceFile | None) -> None:
        """Show a file, or a folder of the disk without one."""
        name = source.path if file is None else file.name
        self._name.setText(name)
        self.switch.setChecked(file is not None and not file.left_out)
        self.switch.setAccessibleName(self.tr("Begin with {name}").format(name=name))
        set_name(self.remove, self.tr("Remove {name}").format(name=name))
        troubled = file is None or not source.is_folder
        set_style_class(self._trouble, "problem" if source.problem else "muted")
        show_words(self._trouble, "\n".join(source_problems(source)) if troubled else "")

    def show_tokens(self, tokens: int | None) -> None:
        words = "" if tokens is None else self.tr("{count} tokens").format(count=number(tokens, 0))
        self._tokens.setText(words)

    def apply_theme(self) -> None:
        colours = theme.colours()
        self.remove.setIcon(icon("close", colours.muted))
        self._mark.setPixmap(icon("folder", colours.muted).pixmap(QSize(16, 16), self.devicePixelRatioF()))
