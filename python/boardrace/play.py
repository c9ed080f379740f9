"""A game at the terminal: people at some seats, players that choose for themselves at the others.

It talks through two functions, one that reads a line and one that writes lines, so that it plays
in a terminal, through a pipe and in tests alike.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from ._core.engine import State
from ._core.rng import Rng
from ._errors import IllegalActionError
from ._files import write_file
from .records import record
from .search import Player, search

HELP = """\
Type an action to play it. Beside actions there are
  ? [BEGINNING]   the legal actions, or those that begin so
  why ACTION      why an action may or may not be played
  hint            what a search would play
  show            the position again
  undo            take back to your last choice
  save FILE       write a record of the game
  quit, q         leave"""

COMMANDS = ("?", "help", "hint", "quit", "save", "show", "undo", "why")
#: The word that leaves a replay leaves here too.
_SHORT = {"q": "quit"}
#: Commands that say something about what follows them.
_TAKING = ("save", "why")
#: Actions that one list shows.
_SHOWN = 200


class Seat(NamedTuple):
    """Who sits where.

    Attributes
    ----------
    name : str
        "human", or what the player is called.
    choose : callable or None
        The player's choice; None for a person.
    """

    name: str
    choose: Player | None


class Table:
    """A game in progress, with who sits at it.

    Parameters
    ----------
    state : State
        Where the game begins; it is not changed.
    seats : sequence of Seat
        One for each player.
    read : callable
        Given a prompt, the next line; EOFError when there is none.
    write : callable
        Shows text.
    seed : int
        Decides the outcomes of chance.
    max_plies : int, default 10_000
        Where the game is broken off: some of these games can go on for ever.

    Examples
    --------
    >>> import boardrace as br
    >>> from boardrace.search import player
    >>> lines = iter(["why b1-b5", "b1-b2", "undo", "quit"])
    >>> said = []
    >>> seats = [Seat("human", None), Seat("forward", player("forward", seed=1))]
    >>> start = br.load("traverse").new_state()
    >>> table = Table(start, seats, lambda prompt: next(lines), said.append, 1)
    >>> table.run()
    >>> table.state.num_plies
    0
    """

    def __init__(
        self,
        state: State,
        seats: Sequence[Seat],
        read: Callable[[str], str],
        write: Callable[[str], None],
        seed: int,
        max_plies: int = 10_000,
    ) -> None:
        if len(seats) != state.game.num_players:
            raise ValueError(f"{len(seats)} seats are given: the game has {state.game.num_players}")
        self.state = state.copy(history=True)
        self.seats = tuple(seats)
        self._read = read
        self._write = write
        self._rng = Rng(seed)
        self._max_plies = max_plies
        self._people = any(seat.choose is None for seat in seats)

    # ---- the course of the game

    def run(self) -> None:
        """Play until the game is over, broken off, or left."""
        state = self.state
        if not self._people:
            self._show()
        while not state.is_terminal:
            if state.num_plies >= self._max_plies:
                self._write(f"The game is broken off after {state.num_plies} plies.")
                return
            if state.is_chance:
                text = self._apply(state.copy().sample(self._rng))
                self._write(f"Chance: {text}")
                continue
            player = state.current_player
            choose = self.seats[player].choose
            legal = state.legal_actions()
            if choose is not None:
                text = self._apply(choose(state))
                self._write(f"{self.name(player)} plays {text}")
            elif len(legal) == 1:
                text = self._apply(int(legal[0]))
                self._write(f"{self.name(player)} plays {text}, the only choice")
            else:
                self._show()
                if not self._ask(player):
                    self._write("The game is left.")
                    return
        self._show()
        self._write(self.outcome())

    def name(self, player: int) -> str:
        """What a seat is called.

        >>> import boardrace as br
        >>> state = br.load("traverse").new_state()
        >>> Table(state, [Seat("human", None)] * 2, input, print, 1).name(0)
        'Player 0 (human)'
        """
        return f"Player {player} ({self.seats[player].name})"

    def outcome(self) -> str:
        """How the game ended, in a sentence."""
        winners = self.state.winners
        if not winners:
            return "The game is over: a draw."
        names = " and ".join(self.name(player) for player in winners)
        places = " ".join(f"{value:+.3g}" for value in self.state.returns().tolist())
        return f"The game is over: {names} {'wins' if len(winners) == 1 else 'win'} ({places})."

    def words(self) -> list[str]:
        """What may be typed now, for completion; a blank stands where more must follow."""
        state = self.state
        actions = [] if state.current_player < 0 else self._texts()
        return [*actions, *(f"{word} " if word in _TAKING else word for word in COMMANDS)]

    # ---- a person's turn

    def _ask(self, player: int) -> bool:
        """Read lines until an action is played or one is taken back; False to leave."""
        while True:
            try:
                line = self._read(f"{self.name(player)}> ").strip()
            except EOFError:
                return False
            if not line:
                continue
            word, _, rest = line.partition(" ")
            word, rest = _SHORT.get(word, word), rest.strip()
            # A legal action comes first: a game may well have one called as a command is.
            if line in self._texts() or word not in COMMANDS and not line.startswith("?"):
                try:
                    self._apply(self.state.parse_action(line))
                except IllegalActionError as error:
                    self._write(f"{error} (? lists the actions, help the commands)")
                    continue
                return True
            if word == "quit":
                return False
            if word == "undo":
                if self._undo():
                    return True
            else:
                self._answer(word, rest if word in COMMANDS else line[1:].strip())

    def _answer(self, word: str, rest: str) -> None:
        """The commands that leave the game as it is."""
        if word == "help":
            self._write(HELP)
        elif word == "show":
            self._show()
        elif word == "why":
            example = f"why ACTION, as why {self._texts()[0]}"
            self._write(self.state.explain(rest).message if rest else example)
        elif word == "hint":
            found = search(self.state, seconds=1.0, seed=self.state.hash)
            self._write(f"A search of {found.playouts} playouts would play {found.text}")
        elif word == "save":
            self.save(rest)
        else:
            self._list(rest)

    def _list(self, beginning: str) -> None:
        texts = [text for text in self._texts() if text.startswith(beginning)]
        if not texts:
            self._write(f"No legal action begins with {beginning}")
            return
        width = max(map(len, texts)) + 2
        across = max(1, 80 // width)
        shown = texts[:_SHOWN]
        for k in range(0, len(shown), across):
            self._write("".join(text.ljust(width) for text in shown[k : k + across]).rstrip())
        if len(texts) > len(shown):
            self._write(f"... and {len(texts) - len(shown)} more: ? BEGINNING shows fewer")

    def record(self) -> str:
        """A record of the game so far, with who sits where."""
        tags = {f"Player{k}": seat.name for k, seat in enumerate(self.seats)}
        return record(self.state, **tags)

    def save(self, path: str) -> bool:
        """Write a record of the game, and say so, or say why it cannot be; whether it was."""
        if not path:
            self._write("save FILE: where to?")
            return False
        try:
            write_file(path, self.record())
        except (OSError, ValueError) as error:
            self._write(f"It cannot be saved: {error}")
            return False
        self._write(f"Saved to {path}")
        return True

    def _undo(self) -> bool:
        """Back to the last choice that a person had."""
        state = self.state
        for k in range(len(state.history) - 1, -1, -1):
            then = state._at(k)
            player = then.current_player
            if player >= 0 and self.seats[player].choose is None and len(then.legal_actions()) > 1:
                while len(state.history) > k:
                    state.undo()
                return True
        self._write("There is nothing to take back.")
        return False

    # ---- small things

    def _apply(self, action: int) -> str:
        """Play an action; its text."""
        text = self.state.action_to_str(action)
        self.state.apply(action)
        return text

    def _texts(self) -> list[str]:
        return [self.state.action_to_str(int(action)) for action in self.state.legal_actions()]

    def _show(self) -> None:
        self._write(self.state.render())
