"""The keys of this interface: the person's key map, followed by every screen, and exchanged while it runs."""

from __future__ import annotations

from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from textual.binding import Binding, BindingsMap
from textual.screen import Screen

from screens.actions import active
from screens.actions.key_file import key_file_path, load_keys, new_key_file
from screens.actions.keymap import KeyMap
from screens.actions.registry import bindings_of, by_id
from screens.drawing.safe_text import row_text, said_of, words
from screens.main.edit_entry import edited_outside
from workbench.config.user_files import read_own, replace_own
from workbench.errors import WorkbenchError

if TYPE_CHECKING:
    from screens.app import WorkbenchApp


class Keying:
    """Reads the person's keys before the interface starts: all of its tasks go by them."""

    def __init__(self) -> None:
        self.keys = load_keys()
        self._chosen = active.Chosen(self.keys.map)
        self._bound: WeakKeyDictionary[Screen[object], KeyMap] = WeakKeyDictionary()
        """Which screens have been bound to which key map."""
        active.use(self._chosen)

    def tell_skipped(self, app: WorkbenchApp) -> None:
        """Say what does not count in the person's file."""
        wrong = self.keys.wrong
        if not wrong:
            return
        path = self.keys.file.path
        rest = f"\nand {len(wrong) - 1} more" if len(wrong) > 1 else ""
        app.notify(
            row_text(wrong[0].told(path.name)) + rest + f"\n{active.key_for('settings')} shows the keys",
            title=words("Some of your keys were skipped"),
            severity="warning",
            markup=False,
        )

    def read_again(self, app: WorkbenchApp) -> None:
        """The file was changed: its keys count from now on, also where the hints stand already."""
        self.keys = load_keys()
        self._chosen.map = self.keys.map
        app.main.show_hints()

    def edit(self, app: WorkbenchApp) -> None:
        """Open the file in the person's editor; what they save counts at once, and what cannot is told."""
        path = key_file_path()
        try:
            before = read_own(path)
            source = new_key_file() if before is None else before.decode("utf-8", "surrogateescape")
            text = edited_outside(
                app,
                source,
                away_from=app.main.workspace.root,
                name=path.name,
                otherwise=f"change {path} with another program",
                save=lambda written: replace_own(path, before, written.encode("utf-8", "surrogateescape")),
            )
        except WorkbenchError as error:
            app.main.say(row_text(". ".join(said_of(error))), severity="warning")
            return
        app.main.say(words("Nothing was changed" if text == source else "Your keys are written"))
        if text != source:
            self.read_again(app)
            self.tell_skipped(app)

    def bind(self, screen: Screen[object]) -> None:
        """Let the keys of a screen be those of the key map, unless they are already."""
        if self._bound.get(screen) is not self._chosen.map:
            screen._bindings = bound(screen._bindings, self._chosen.map)
            self._bound[screen] = self._chosen.map


_OURS = "perform("


def bound(before: BindingsMap, keys: KeyMap) -> BindingsMap:
    """The same bindings, those of actions on the keys that the map gives them."""
    others: list[Binding] = []
    ids: set[str] = set()
    for _, binding in before:
        if binding.id is not None and binding.action.startswith(_OURS):
            ids.add(binding.id)
        else:
            others.append(binding)
    actions = (known for known in by_id().values() if known.id in ids)
    ours = (one for known in actions for one in bindings_of(known, keys.of(known.id)))
    return BindingsMap([*ours, *others])
