"""The line that a setting's value is typed in; what is wrong with it is said before it can be taken."""

from __future__ import annotations

from collections.abc import Sequence

from textual.message import Message

from screens.actions.active import key_for
from screens.drawing.rows import Row
from screens.drawing.safe_text import row_text, words
from screens.settings.setting_rows import detail_rows
from screens.widgets.query_input import QueryInput
from workbench.config.settings_report import ToldSetting, ToldSettings
from workbench.errors import WorkbenchError
from workbench.operations.edit_settings import Value, check_value, parse_value


class EntryLine(QueryInput):
    """Hidden until a value is typed."""

    class Considered(Message):
        """What is typed can be taken, or why not, as rows."""

        def __init__(self, rows: Sequence[Row]) -> None:
            super().__init__()
            self.rows = rows

    def __init__(self) -> None:
        super().__init__(compact=True, classes="narrow", id="settings-entry", select_on_focus=False)
        self.display = False
        self.setting: ToldSetting | None = None
        self.shared = False
        self._told: ToldSettings | None = None

    def begin(self, setting: ToldSetting, told: ToldSettings, *, shared: bool) -> None:
        """Let the value of this setting be typed, beginning with what it is."""
        self.setting, self._told, self.shared = setting, told, shared
        self.password = setting.declared.secret
        is_list = isinstance(setting.declared.default, tuple)
        self.placeholder = "a, b, c" if is_list else setting.declared.unit or setting.name
        self.display = True
        self.value = setting.typed
        self.cursor_position = len(self.value)
        self._consider()

    def end(self) -> None:
        """Leave it; what was typed is gone."""
        self.display = False
        self.setting = None
        self.value = ""

    def valid(self) -> Value | None:
        """What was typed as it would be written; None where it cannot be, which is said."""
        return None if self._problem() is not None or self.setting is None else self._typed(self.setting)

    def watch_value(self) -> None:
        """Say at once whether it can be taken."""
        if self.setting is not None:
            self._consider()

    def _typed(self, setting: ToldSetting) -> Value:
        return parse_value(setting.name, self.value)

    def _problem(self) -> WorkbenchError | None:
        if self.setting is None or self._told is None:
            return None
        try:
            value = self._typed(self.setting)
            check_value(self.setting.name, value, self._told.effective(), self._told.own)
        except WorkbenchError as error:
            return error
        return None

    def _consider(self) -> None:
        setting, told = self.setting, self._told
        if setting is None or told is None:
            return
        error = self._problem()
        file = told.workspace if self.shared else told.own
        if error is not None:
            said = error.message.removeprefix(f"{told.own}: ")
            rows = [Row("entry:0", row_text(f"! {said}"), tone="warn")]
            rows += [Row("entry:1", row_text(error.hint), tone="muted")] if error.hint else []
        else:
            rows = [
                Row("entry:0", row_text(f"{key_for('enter_setting')} writes it into {file}"), tone="good")
            ]
        rows.append(Row("entry:end", words(""), inert=True))
        self.post_message(self.Considered([*rows, *detail_rows(setting)]))
