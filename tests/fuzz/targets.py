"""What is fuzzed: functions of some bytes that raise when a promise is broken.

Each target turns its bytes into texts, files or calls, and lets pass only the errors that the
documentation names for them. `run.py` searches for bytes that break one; `test_fuzz.py` gives each
target its seeds and every input that once broke it.
"""

from __future__ import annotations

import io
import json
import os
import pickle
import tempfile
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any

import numpy as np

import boardrace as br
from boardrace._pickle import unpack_game, unpack_state
from boardrace.records import _load_without_files

#: One small game of each kind of rules; a target's first byte says which.
GAMES = (
    "traverse",
    "traverse(circles=return,finish=frozen,long_hops=true)",
    "traverse(players=4)",
    "octiles",
    "octiles(players=4)",
    "octiles(players=3)",
    "sorry",
    "sorry(players=4)",
    "inner_circle",
    "inner_circle(players=4)",
    "switchboard",
    "switchboard(players=4)",
)

#: The options that lead to files, with the name of the game that has them.
FILES = (("inner_circle", "boards"), ("switchboard", "tiles"))


class Take:
    """Choices made by the bytes, one after the other; zeros when they have run out."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.at = 0

    def byte(self) -> int:
        if self.at >= len(self.data):
            return 0
        self.at += 1
        return self.data[self.at - 1]

    def below(self, n: int) -> int:
        return (self.byte() << 8 | self.byte()) % n if n > 256 else self.byte() % n

    def one(self, things: Sequence[Any]) -> Any:
        return things[self.below(len(things))]

    def more(self) -> bool:
        return self.at < len(self.data)

    def text(self) -> str:
        """All that is left."""
        rest = self.data[self.at :]
        self.at = len(self.data)
        return rest.decode("utf-8", "surrogateescape" if len(rest) % 2 else "replace")


def game_of(take: Take) -> br.Game[Any]:
    return br.load(take.one(GAMES))


def exercise(state: br.State) -> None:
    """Whatever a state was made from, it can be played on in every way."""
    text = str(state)
    legal = state.legal_actions().tolist()
    assert state.is_terminal == (not legal), text
    for action in legal[:3] + legal[-1:]:
        name = state.action_to_str(action)
        assert state.explain(name).legal and state.parse_action(name) == action, (text, name)
        state.apply(action)
        assert str(state.game.parse(str(state))) == str(state)
        state.undo()
    state.render()
    state.svg()
    for player in range(state.game.num_players):
        state.observation(player)
    state.bitboards()
    assert br.perft(state, 1) == len(legal), text
    if len(legal) < 200:
        assert br.perft(state, 2) == sum(br.divide(state, 2).values()), text
    for policy in ("uniform", "forward"):
        br.playouts(state, 20, seed=1, max_plies=40, policy=policy)
    batch = br.Batch.from_states([state] * 20, seed=1, autoreset="same_step")
    for _ in range(3):
        batch.step(batch.random_actions())
    assert str(state) == text and state == state.game.parse(text)


# ---------------------------------------------------------------- texts


def load(data: bytes) -> None:
    """A game's text. No text may make a record's reader open a file, so this one is taken."""
    try:
        game = _load_without_files(Take(data).text())
    except ValueError:
        return
    again = br.load(str(game))
    assert again == game and hash(again) == hash(game) and str(again) == str(game)
    exercise(game.new_state(0))


def parse(data: bytes) -> None:
    """A position's text."""
    take = Take(data)
    game = game_of(take)
    text = take.text()
    try:
        state = game.parse(text)
    except br.PositionError as error:
        assert error.field and str(error)
        return
    assert str(state) == text, f"{text!r} is read but {state} is its text"
    exercise(state)


def action(data: bytes) -> None:
    """An action's text, at a position some plies from the start."""
    take = Take(data)
    state = game_of(take).new_state(take.byte())
    rng = br.Rng(take.byte())
    for _ in range(take.byte()):
        if state.is_terminal:
            break
        state.sample(rng)
    text, before, plies = take.text(), str(state), state.num_plies
    verdict = state.explain(text)
    try:
        number = state.parse_action(text)
    except br.IllegalActionError as error:
        assert not verdict and error.code == verdict.code, (before, text, error.code, verdict)
        try:
            state.apply(text)
        except br.IllegalActionError as again:
            assert again.code == error.code
        else:
            raise AssertionError(f"{text!r} was applied at {before}") from None
        assert str(state) == before and state.num_plies == plies
        return
    assert verdict and number in state.legal_actions(), (before, text)
    state.apply(text)
    assert state.undo() == number and str(state) == before


def replay(data: bytes) -> None:
    """A record."""
    try:
        state = br.replay(Take(data).text())
    except ValueError:
        return
    assert br.replay(br.record(state)) == state


def pickles(data: bytes) -> None:
    """What stands in a pickle of a state, as JSON; the pickle module's own opcodes are not ours."""
    try:
        parts = json.loads(Take(data).text())
    except (ValueError, RecursionError):
        return
    if not isinstance(parts, list):
        return
    try:
        if len(parts) == 2:
            game = unpack_game(*parts)
            assert pickle.loads(pickle.dumps(game)) == game
            return
        state = unpack_state(*parts)
    except (ValueError, TypeError, OSError):
        return
    again = pickle.loads(pickle.dumps(state))
    assert again == state and again.history == state.history


# ---------------------------------------------------------------- files

_FOLDER = tempfile.TemporaryDirectory()


def files(data: bytes) -> None:
    """A file of boards or tiles."""
    take = Take(data)
    name, option = take.one(FILES)
    path = Path(_FOLDER.name) / f"{os.getpid()}.json"
    path.write_bytes(data[1:])
    try:
        game = br.load(name, **{option: str(path)})
    except ValueError:
        return
    path.unlink()
    assert br.load(str(game)) == game
    exercise(game.new_state(1))
    br.playouts(game, 30, seed=2, max_plies=300)


def verify(data: bytes) -> None:
    """A corpus, as `boardrace verify` reads it."""
    from boardrace.cli import main

    # Counting deeper than asked for here takes what it takes, which is no fault.
    text = data.decode("utf-8", "replace")
    for line in text.splitlines():
        try:
            entry = json.loads(line)
        except (ValueError, RecursionError):
            continue
        if isinstance(entry, dict) and len(str(entry.get("perft", ""))) > 12:
            return
    path = Path(_FOLDER.name) / f"{os.getpid()}.jsonl"
    path.write_bytes(data)
    with redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()):
        status = main(["verify", str(path)])
    assert status in (0, 1, 2)


# ---------------------------------------------------------------- calls

NUMBERS = (0, 1, 2, 3, 7, 40, -1, -2, 2**31 - 1, 2**31, -(2**31) - 1, 2**63, -(2**63), 2**64, 2**80)
NAMES = ("", "zz", "a1", "b1-b2", "E5", "-", "1", "\x00", "é", "a" * 300, "pass", "\ud800")
DTYPES = (
    "bool",
    "int8",
    "uint8",
    "int32",
    ">i4",
    "int64",
    "uint64",
    "float32",
    "float64",
    "O",
    "U3",
)


def array(take: Take, shapes: Sequence[Any]) -> Any:
    """An array of any kind: odd dtypes, shapes, strides, alignment, read-only ones."""
    shape, dtype = take.one(shapes), np.dtype(take.one(DTYPES))
    kind = take.below(7)
    size = np.prod(shape, dtype=float)
    if size > 1e5:
        # Large ones right or nearly right, and not so large that the search gets slow.
        shape, dtype = shape if size < 4e6 else 0, np.dtype(("bool", "uint8")[len(dtype.str) % 2])
    made: Any = np.zeros(shape, dtype)
    if kind == 1:
        made = np.asfortranarray(made)
    elif kind == 2 and made.ndim:
        made = np.zeros((2 * made.shape[0], *made.shape[1:]), dtype)[::2]
    elif kind == 3:
        made.flags.writeable = False
    elif kind == 4 and dtype.kind not in "OU":
        made = np.frombuffer(bytearray(made.nbytes + 1), dtype, made.size, 1).reshape(shape)
    elif kind == 5 and dtype.kind == "f":
        made[...] = np.nan
    elif kind == 6 and dtype.kind in "iu":
        made[...] = np.iinfo(dtype).max
    return made


def value(take: Take, state: br.State) -> Any:
    """Something to give to a method: right, nearly right, or wrong."""
    kind = take.below(12)
    legal = state.legal_actions().tolist()
    if kind < 3 and legal:
        return take.one(legal)
    if kind == 3 and legal:
        return state.action_to_str(take.one(legal))
    if kind == 4:
        return take.below(state.game.num_actions)
    if kind == 5:
        return take.one(NUMBERS)
    if kind == 6:
        return take.one(NAMES)
    if kind == 7:
        return br.Rng(take.byte())
    if kind == 8:
        game = state.game
        return array(take, [game.num_actions, game.observation_shape, (), 0, (1, 1), 3])
    if kind == 9:
        return np.random.default_rng(take.byte())
    others = (None, True, 1.5, float("nan"), b"a", [], {}, object(), np.int64(1), np.float64(1))
    return take.one((*others, state.copy(), state.game))


def allowed(error: Exception) -> bool:
    """Whether a wrong call may end so."""
    return isinstance(error, (ValueError, TypeError, IndexError))


#: Queries that may rightly take long: they list every way to do something.
_LONG = {"series_all"}


def calls(data: bytes) -> None:
    """Any methods of a state in any order with any arguments."""
    take = Take(data)
    game = game_of(take)
    state = game.new_state(take.byte())
    names = [one for one in dir(type(state)) if not one.startswith("_") and one not in _LONG]
    names += ["apply"] * 20 + ["sample"] * 20 + ["undo"] * 5
    others = [state]
    for _ in range(60):
        if not take.more():
            break
        name = take.one(names)
        before, plies, history = str(state), state.num_plies, state.history
        try:
            method = getattr(state, name)
            if not callable(method):
                continue
            arguments = [value(take, state) for _ in range(take.below(3))]
            named = {"out": value(take, state)} if take.below(8) == 0 else {}
            result = method(*arguments, **named)
        except Exception as error:
            assert allowed(error), f"{name}: {type(error).__name__}: {error}"
            assert (str(state), state.num_plies, state.history) == (before, plies, history), name
            continue
        if isinstance(result, br.State):
            others.append(state)
            state = result
        if take.below(16) == 0:
            state = take.one(others)
        elif take.below(16) == 0:
            del others[1:]
    text = str(state)
    assert state == game.parse(text) and pickle.loads(pickle.dumps(state)) == state
    br.playouts(state, 4, seed=0, max_plies=30)


def batches(data: bytes) -> None:
    """Any methods of a batch in any order with any arguments."""
    take = Take(data)
    game = game_of(take)
    n = take.one((1, 2, 3, 17, 1, 2, 17, 4100))
    if n * game.num_actions > 1e8:
        n = 17  # its mask alone would fill the machine
    mode = take.one(("next_step", "same_step", "disabled"))
    limit = take.one((None, 1, 5))
    batch = br.Batch(game, n, seed=take.byte(), threads=2, autoreset=mode, max_plies=limit)
    names = [one for one in dir(br.Batch) if not one.startswith("_") and one != "from_states"]
    names += ["step", "random_actions", "legal_mask"] * 4
    shapes: list[Any] = [n, n + 1, (n, game.num_actions), (n, *game.observation_shape), 0, ()]
    for _ in range(40 if n < 100 else 4):
        if not take.more():
            break
        name = take.one(names)
        before, plies = batch.state(0), batch.num_plies
        actions = batch.random_actions()
        try:
            method = getattr(batch, name)
            if not callable(method):
                continue
            kind = take.below(4)
            arguments: list[Any] = []
            if kind == 0:
                arguments = [array(take, shapes)]
            elif kind == 1:
                arguments = [value(take, before) for _ in range(take.below(3))]
            elif kind == 2:
                actions[take.below(n)] = take.one((-2, -1, 0, 2**31 - 1, game.num_actions))
                arguments = [actions]
            elif name == "step":
                arguments = [actions]
            result = method(*arguments)
        except Exception as error:
            assert allowed(error) or name == "final_observation", f"{name}: {error!r}"
            assert batch.state(0) == before and (batch.num_plies == plies).all(), name
            continue
        if isinstance(result, br.Batch):
            batch = result
    batch.step(batch.random_actions()) if mode != "disabled" else batch.reset()


def counts(data: bytes) -> None:
    """perft, divide, playouts and Batch with any numbers; executors that are closed."""
    take = Take(data)
    game = game_of(take)
    state = game.new_state(take.byte())
    closed = ThreadPoolExecutor(1)
    closed.shutdown()
    # Either small or far beyond any memory: never a size that a machine might try to serve.
    sizes = (0, 1, 2, 17, -1, 2**40, 10**13, 2**63, 2**80, 1.5, float("nan"), None, "2", True)
    for _ in range(6):
        if not take.more():
            break
        kind = take.below(5)
        executor = take.one((None, None, None, closed, "pool", object()))
        threads = take.one((1, 2, 0, -1, 10**6, 2**80, 1.5, None))
        named: dict[str, Any] = {"threads": threads, "executor": executor}
        if take.below(4) == 0:
            named["progress"] = take.one((True, None, 1, "x", print, max))
        target: Any = take.one((state, state, state, game, None, "x"))
        before = str(state)
        try:
            if kind == 0 or kind == 1:
                depth: Any = take.one((0, 1, 2, -1, 2**31, 2**63, 2**80, 1.5, None, "1", True))
                named["hash_mb"] = take.one((0, 0, 1, -1, 10**13, 2**63, 2**80, 1.5, None))
                (br.perft if kind else br.divide)(target, depth, **named)
            elif kind == 2:
                named["seed"] = take.one((1, 0, -1, 2**64 - 1, 2**64, 1.5, "1"))
                named["max_plies"] = take.one((9, 1, 0, -1, 2**31, 2**80, None, 1.5))
                named["policy"] = take.one(
                    ("uniform", "forward", "x", ["uniform"], None, 1, [1, 2])
                )
                br.playouts(target, take.one(sizes), **named)
            elif kind == 3:
                if "progress" in named:
                    continue
                del named["executor"]
                named["autoreset"] = take.one(("next_step", "x", None, 1))
                br.Batch(target, take.one(sizes), **named)
            else:
                br.Batch.from_states([target, take.one((state, game, None))])
        except Exception as error:
            fine = allowed(error) or isinstance(error, MemoryError)
            if executor is closed and isinstance(error, RuntimeError):
                fine = True
            assert fine, f"{kind} {named}: {error!r}"
        assert str(state) == before


TARGETS: dict[str, Callable[[bytes], None]] = {
    one.__name__: one
    for one in (load, parse, action, replay, pickles, files, verify, calls, batches, counts)
}
