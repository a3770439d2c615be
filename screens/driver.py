"""The terminal driver: it reads the terminal's keys, gives the terminal back, and takes it again."""

from __future__ import annotations

import asyncio
import os
import selectors
import signal
import sys
import termios
from codecs import getincrementaldecoder
from collections.abc import Iterable, Iterator

from textual import events

# What the driver itself reads with, and private parts below. No public hook tells esc from alt before a key
# is made of both, and none hands over the file that is painted on or the signals.
from textual.drivers.linux_driver import LinuxDriver, XTermParser  # type: ignore[attr-defined]
from textual.message import Message

ALT = "alt+"
_ESC = "\x1b"
_NOT_ALONE = frozenset("[]NOPX^_\t\x7f") | {_ESC}
"""What terminals send behind esc as the beginning of something longer, or as a key of its own."""


class KeyParser(XTermParser):
    """Names every key that comes right behind esc: ``alt+3``, ``alt+slash``, ``alt+enter``, ``alt+f``.

    ``screens.main.key_bindings`` takes them apart. Textual names only letters behind esc: it makes another
    sign of esc and a digit, takes f and b for moving by words, and drops esc before any other key. What
    cannot begin a longer sequence is a key at once: Textual waits for more, and drops esc when that is esc
    again.
    """

    def _sequence_to_key_events(self, sequence: str, alt: bool = False) -> Iterable[events.Key]:
        if alt:
            return self._behind_esc(sequence)
        if len(sequence) == 2 and sequence[0] == _ESC and sequence[1] not in _NOT_ALONE:
            return self._behind_esc(sequence[1])
        return super()._sequence_to_key_events(sequence)

    def _behind_esc(self, character: str) -> Iterator[events.Key]:
        for event in super()._sequence_to_key_events(character, alt=True):
            named = event.key.startswith(ALT)
            yield event if named else events.Key(ALT + event.key, event.character)


_WAIT_SECONDS = 0.1
"""Between two looks at whether the interface has ended, and whether esc stays alone."""
_MOST_BYTES = 4_096


class TerminalDriver(LinuxDriver):
    """Reads keys from the terminal by ``KeyParser``; stops and continues as a job of the shell.

    Ctrl+z and SIGCONT are handled between two steps of the event loop, and only while the interface is shown.
    Textual handles them in the signal handler, where a paint that holds the lock of the output would wait for
    itself for ever. It also takes every SIGCONT for the end of a ctrl+z: one that comes with a closed
    terminal would start a second reader, which outlives the interface.
    """

    _taken = False

    def start_application_mode(self) -> None:
        """Take the terminal. Needs a running event loop.

        It is painted on standard error; where that is a file (``2>file``) or closed, on standard output.
        """
        if self._file is None or not self._file.isatty():
            self._file = sys.__stdout__
        self._taken = True
        super().start_application_mode()  # type: ignore[no-untyped-call]  # it has no types
        loop = asyncio.get_running_loop()
        loop.add_signal_handler(signal.SIGTSTP, self._stop)
        loop.add_signal_handler(signal.SIGCONT, self._gone_on)

    def stop_application_mode(self) -> None:
        """Give the terminal back; signals do what they do to any program until it is taken again."""
        loop = asyncio.get_running_loop()
        loop.remove_signal_handler(signal.SIGTSTP)
        loop.remove_signal_handler(signal.SIGCONT)
        self._taken = False
        super().stop_application_mode()

    def give_back(self) -> None:
        """Give the terminal back, if that was not done: for a thread that ends the process."""
        if self._taken:
            super().stop_application_mode()
            self.close()

    def run_input_thread(self) -> None:
        """Pass on what the terminal sends, until the interface ends."""
        parser = KeyParser(self._debug)
        decode = getincrementaldecoder("utf-8")(errors="replace").decode
        with selectors.SelectSelector() as selector:
            selector.register(self.fileno, selectors.EVENT_READ)
            while not self.exit_event.is_set():
                if selector.select(_WAIT_SECONDS):
                    sent = self._sent()
                    if not sent:  # the terminal is gone, and would be read of nothing for ever
                        os.kill(os.getpid(), signal.SIGHUP)
                        return
                    if text := decode(sent):
                        self._heard(parser.feed(text))
                self._heard(parser.tick())

    def _sent(self) -> bytes:
        try:
            return os.read(self.fileno, _MOST_BYTES)
        except OSError:
            return b""

    def _heard(self, messages: Iterable[Message]) -> None:
        for message in messages:
            self.process_message(message)

    def _stop(self) -> None:
        """Stand still until the shell lets the program have its terminal again."""
        self.suspend_application_mode()
        signal.raise_signal(signal.SIGSTOP)
        while self._is_in_background():
            signal.raise_signal(signal.SIGSTOP)
        self._take_again()

    def _gone_on(self) -> None:
        """Take the terminal anew: who stopped the program unasked may have used it since."""
        if not self._is_gone():
            self.suspend_application_mode()
            self._take_again()

    def _take_again(self) -> None:
        if not self._is_gone():
            self._must_signal_resume = True
            self.resume_application_mode()

    def _is_in_background(self) -> bool:
        try:
            return os.tcgetpgrp(self.fileno) != os.getpgrp()
        except OSError:
            return False

    def _is_gone(self) -> bool:
        try:
            termios.tcgetattr(self.fileno)
        except termios.error:
            return True
        return False
