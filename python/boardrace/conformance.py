"""Every general promise of a State, as checks that play any game through them.

The first thing that a new game must pass: ``check_game(game)``, or each of ``CHECKS`` as a test of
its own. A check raises AssertionError, and says at which position.

>>> import boardrace as br
>>> from boardrace import conformance
>>> conformance.check_game(br.load("traverse"), seed=1, plies=10)
"""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable, Iterator
from typing import Any
from xml.etree import ElementTree

import numpy as np

from ._core import perft as _perft
from ._core.engine import State
from ._core.rng import Rng
from ._errors import IllegalActionError, PositionError
from .batch import Batch
from .game import Game

CHANCE = -1
TERMINAL = -4
#: No check counts more leaves than this at one position.
MOST_NODES = 60_000


def walk(game: Game[Any], seed: int, plies: int) -> Iterator[State]:
    """One state through a random game: yielded before each ply, and at the end."""
    rng = Rng(seed)
    state: State = game.new_state(rng)
    yield state
    while not state.is_terminal and state.num_plies < plies:
        state.sample(rng)
        yield state


def check_text(game: Game[Any], seed: int, plies: int) -> None:
    """Texts of positions and actions are read back as what they were."""
    for state in walk(game, seed, plies):
        text = str(state)
        assert text.isascii() and "\n" not in text and "  " not in text, text
        again = game.parse(text)
        assert str(again) == text and again == state and again.hash == state.hash, text
        assert again.current_player == state.current_player, text
        assert text in repr(state), text
        texts = [state.action_to_str(int(action)) for action in state.legal_actions()]
        assert len(set(texts)) == len(texts), f"two actions of one text: {text}"
        for action, word in zip(state.legal_actions()[:40], texts[:40], strict=True):
            assert word and " " not in word, f"{word!r} at {text}"
            assert state.parse_action(word) == action, f"{word} at {text}"
            verdict = state.explain(word)
            assert verdict and verdict.code == "legal", f"{word} at {text}: {verdict}"


def check_bad_text(game: Game[Any], seed: int, plies: int) -> None:
    """A damaged text gives a PositionError, or a position with just that text."""
    letters = "0123456789abcdefghijSTDCNWERYBGHo-,. +*:>@=x"
    random = np.random.default_rng(seed)
    for state in walk(game, seed, plies):
        text = list(str(state))
        for _ in range(int(random.choice([1, 1, 2, 4]))):
            place = int(random.integers(len(text)))
            kind = random.integers(3)
            if kind == 0:
                text[place] = letters[random.integers(len(letters))]
            elif kind == 1 and len(text) > 1:
                del text[place]
            else:
                text.insert(place, letters[random.integers(len(letters))])
        damaged = "".join(text)
        try:
            again = game.parse(damaged)
        except PositionError as error:
            assert error.field and str(error), damaged
        else:
            assert str(again) == damaged, f"not the text that was read: {damaged}"
            assert damaged == str(state) or again.hash != state.hash, f"hash: {damaged}"
            again.legal_actions()


def check_actions(game: Game[Any], seed: int, plies: int) -> None:
    """Lists ascend; mask, count, legal and choose say the same as the list."""
    random = np.random.default_rng(seed)
    mask = np.empty(game.num_actions, np.bool_)
    for state in walk(game, seed, plies):
        actions = state.legal_actions()
        text = str(state)
        assert actions.dtype == np.int32 and actions.ndim == 1, text
        assert len(actions) <= game.max_legal_actions, text
        assert np.all(np.diff(actions) > 0), f"not ascending: {text}"
        assert len(actions) == state._count(), f"count: {text}"
        assert (len(actions) == 0) == state.is_terminal, text
        assert state.legal_mask(out=mask) is mask, text
        assert np.array_equal(np.flatnonzero(mask), actions), f"mask: {text}"
        legal = {int(action) for action in actions}
        others = random.integers(-3, game.num_actions + 3, 20)
        for action in [*sorted(legal)[:100], *(int(one) for one in others)]:
            assert state._legal(action) == (action in legal), f"legal({action}): {text}"
        if state.is_terminal:
            continue
        weights = state._weights() if state.is_chance else [1] * len(actions)
        ends = np.cumsum(weights).tolist()
        points = [0, 2**64 - 1, *(int(one) for one in random.integers(0, 2**64, 12, np.uint64))]
        for end in ends[:12]:  # just below and at the borders between two ranks
            border = -(-end * 2**64 // ends[-1])
            points += [border - 1, border % 2**64]
        for u in points:
            rank = next(k for k, end in enumerate(ends) if u * ends[-1] >> 64 < end)
            assert state._choose(u) == actions[rank], f"choose({u}): {text}"


def check_apply_undo(game: Game[Any], seed: int, plies: int) -> None:
    """Every ply can be taken back, one at a time and all the way; copies go their own way."""
    state: State = game.new_state(seed)
    for state in walk(game, seed, plies):
        text, value, data = str(state), state.hash, state._bytes()
        twin = state.copy()
        assert twin == state and twin.history == [], text
        assert twin.num_plies == state.num_plies, text
        try:
            twin.undo()
        except IndexError:
            pass
        else:
            raise AssertionError(f"a copy without history was undone: {text}")
        for action in state.legal_actions()[:6]:
            state.apply(int(action))
            child = str(state)
            twin.apply(state.history[-1])
            assert str(twin) == child and twin == state, f"{action} at {text}"
            assert game.parse(child)._bytes() == state._bytes(), f"not canonical: {child}"
            assert twin.undo() == action and state.undo() == action, text
            assert state.hash == value and state._bytes() == data, f"undo of {action} at {text}"
    full = state.copy(history=True)
    history = full.history
    again = full._at(0)
    for action in history:
        again.apply(action)
    assert again == full and again.history == history, str(full)
    while full.history:
        full.undo()
    assert full == state._at(0) and state.history == history, str(state)


def check_errors(game: Game[Any], seed: int, plies: int) -> None:
    """What is illegal or no action at all is refused with the right error; nothing changes."""
    random = np.random.default_rng(seed)
    for state in walk(game, seed, plies):
        text, data, length = str(state), state._bytes(), len(state.history)
        listed = state.legal_actions()
        legal = {int(action) for action in listed}
        numbers = [-1, game.num_actions, 2**31 - 1, -(2**40), 2**80]
        numbers += [int(one) for one in random.integers(0, game.num_actions, 3)]
        refused: list[Any] = [one for one in numbers if one not in legal]
        for bad in [*refused, "", "zz", "\u00e9", "a" * 5000]:
            try:
                state.apply(bad)
            except IllegalActionError as error:
                assert error.code and error.code != "legal" and str(error), f"{bad!r} at {text}"
            else:
                raise AssertionError(f"{bad!r} was applied at {text}")
        # The list of one position says nothing of the next one; nor must a list be asked for.
        for action in listed[:1]:
            state.apply(action)
            now = {int(one) for one in state.copy().legal_actions()}
            for old in [one for one in listed if int(one) not in now][:20]:
                for asked in (state, state.copy()):
                    try:
                        asked.apply(old)
                    except IllegalActionError:
                        pass
                    else:
                        raise AssertionError(f"{old} was applied after {action} at {text}")
            assert state.undo() == action, text
        for wrong in (None, 1.5, True, [1], b"a", np.float64(2)):
            try:
                state.apply(wrong)  # type: ignore[arg-type]
            except TypeError:
                pass
            else:
                raise AssertionError(f"{wrong!r} was applied at {text}")
        for out in (
            np.empty(game.num_actions + 1, np.bool_),
            np.empty(2 * game.num_actions, np.bool_)[::2],
        ):
            try:
                state.legal_mask(out=out)
            except ValueError:
                pass
            else:
                raise AssertionError("legal_mask took an array of the wrong form")
        if state.is_terminal:
            assert state.explain("zz").code == "game_over", text
            try:
                state.sample(Rng(1))
            except IllegalActionError as error:
                assert error.code == "game_over", text
            else:
                raise AssertionError(f"sample after the end: {text}")
        assert state._bytes() == data and len(state.history) == length, text


def check_chance(game: Game[Any], seed: int, plies: int) -> None:
    """Outcomes have positive probabilities that sum to 1; there are some just at chance nodes."""
    for state in walk(game, seed, plies):
        outcomes, chances = state.chance_outcomes()
        text = str(state)
        assert state.is_chance == (state.current_player == CHANCE), text
        assert len(outcomes) == len(chances) and chances.dtype == np.float64, text
        assert bool(len(outcomes)) == state.is_chance, text
        if state.is_chance:
            assert np.array_equal(outcomes, state.legal_actions()), text
            assert chances.min() > 0 and abs(chances.sum() - 1) < 1e-12, text


def check_end(game: Game[Any], seed: int, plies: int) -> None:
    """Returns, winners and progress, before the end and at it."""
    for state in walk(game, seed, plies):
        text = str(state)
        returns = state.returns()
        assert returns.shape == (game.num_players,) and returns.dtype == np.float64, text
        assert state.is_terminal == (state.current_player == TERMINAL), text
        if state.is_terminal:
            assert abs(returns.sum()) < 1e-9 and np.all(np.abs(returns) <= 1), text
            assert all(returns[player] == 1 for player in state.winners), text
        else:
            assert not returns.any() and state.winners == (), text
            assert state.is_chance or 0 <= state.current_player < game.num_players, text
        assert 0 <= state.turn < game.num_players, text
        for player in range(game.num_players):
            assert 0 <= state.progress(player) <= 1, text


def check_hash(game: Game[Any], seed: int, plies: int) -> None:
    """One hash a position, however reached; other positions and other games have others."""
    seen: dict[int, str] = {}
    for start in range(3):
        for state in walk(game, seed + start, plies):
            text, value = str(state), state.hash
            assert 0 <= value < 2**64, text
            assert seen.setdefault(value, text) == text, f"{text} and {seen[value]} share a hash"
            assert game.parse(text).hash == value, text


def check_hidden(game: Game[Any], seed: int, plies: int) -> None:
    """Observations have the promised form, and neither they nor the picture show hidden things."""
    for state in walk(game, seed, plies):
        text = str(state)
        other = state.determinize(seed)
        assert other.history == [] and str(state) == text, text
        assert np.array_equal(other.legal_actions(), state.legal_actions()), text
        assert other.render() == state.render(), text
        for player in range(game.num_players):
            seen = state.observation(player)
            assert seen.shape == game.observation_shape, text
            assert seen.dtype == game.observation_dtype, text
            if seen.dtype.kind == "f":
                assert np.abs(seen).max() <= 1, f"a number beyond -1 to 1: {text}"
            assert np.array_equal(seen, other.observation(player)), f"player {player}: {text}"
            out = np.full(game.observation_shape, 77, game.observation_dtype)
            assert state.observation(player, out=out) is out and np.array_equal(out, seen), text
        assert state.determinize(seed) == other, text
        assert state.bitboards().dtype == np.uint64, text


def check_pictures(game: Game[Any], seed: int, plies: int) -> None:
    """There is a text picture, and an SVG that is well-formed XML."""
    for number, state in enumerate(walk(game, seed, plies)):
        picture = state.render()
        assert picture.strip(), str(state)
        if number % 10 == 0 or state.is_terminal:
            root = ElementTree.fromstring(state.svg())
            assert root.tag.endswith("svg") and len(root) > 1, str(state)
            assert state._repr_svg_() == state.svg(), str(state)


def check_pickle(game: Game[Any], seed: int, plies: int) -> None:
    """Pickles and copies keep the position and the history."""
    assert pickle.loads(pickle.dumps(game)) == game and copy.deepcopy(game) is game
    assert hash(pickle.loads(pickle.dumps(game))) == hash(game)
    for number, state in enumerate(walk(game, seed, plies)):
        if number % 7 and not state.is_terminal:
            continue
        for again in (
            pickle.loads(pickle.dumps(state)),
            copy.copy(state),
            copy.deepcopy(state),
        ):
            assert type(again) is type(state) and again == state, str(state)
            assert again.history == state.history, str(state)
            assert again.num_plies == state.num_plies, str(state)
            if again.history:
                again.undo()
                assert len(state.history) == len(again.history) + 1, str(state)


def check_counts(game: Game[Any], seed: int, plies: int) -> None:
    """The fast counts agree with listing and making every ply."""
    for number, state in enumerate(walk(game, seed, plies)):
        if number % 5:
            continue
        text = str(state)
        assert _perft.count(state, 0) == 1, text
        nodes = 1
        for depth in range(1, game._rules.tail_depth + 2):
            if nodes * max(1, state._count()) > MOST_NODES:
                break
            nodes = _perft.count(state, depth, plain=True)
            assert _perft.count(state, depth) == nodes, f"perft {depth}: {text}"
            if nodes > MOST_NODES:
                break


def _draw(seed: int, stream: int, use: int, number: int) -> int:
    """A draw of a batch, from its description in docs/streams.md."""

    def mix(z: int) -> int:
        z &= mask
        z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 & mask
        z = (z ^ z >> 27) * 0x94D049BB133111EB & mask
        return z ^ z >> 31

    mask, golden = 2**64 - 1, 0x9E3779B97F4A7C15
    key = mix(mix(seed + golden * (use + 1)) + golden * (stream + 1))
    return mix(key + golden * (number + 1))


def check_batch(game: Game[Any], seed: int, plies: int) -> None:
    """Many games that have come differently far, side by side, are what each is by itself."""
    states: list[State] = []
    for i in range(70):
        states.append(list(walk(game, seed + i, i * plies // 70))[-1].copy())
    batch = Batch.from_states(states, seed=seed, autoreset="disabled")
    drawn = [0] * len(states)
    for call in range(9):
        actions = batch.random_actions() if call else np.full(len(states), -1, np.int32)
        if call:
            batch.step(actions)
        for i, state in enumerate(states):
            text = str(state)
            expected = -1
            if call and not state.is_terminal:
                expected = state._choose(_draw(seed, i, 4, call - 1))
                state.apply(expected)
            assert actions[i] == expected, f"game {i} is given {actions[i]}: {text}"
            while state.is_chance:
                state.apply(state._choose(_draw(seed, i, 3, drawn[i])))
                drawn[i] += 1
            assert batch.state(i) == state, f"game {i} after {expected}: {text}"


#: Every check, by name.
CHECKS: dict[str, Callable[[Game[Any], int, int], None]] = {
    name.removeprefix("check_"): check
    for name, check in list(globals().items())
    if name.startswith("check_")
}


def check_game(game: Game[Any], seed: int = 0, plies: int = 80) -> None:
    """Run every check on one game.

    Parameters
    ----------
    game : Game
    seed : int
        Decides the games that are played.
    plies : int
        How far each is played.

    Raises
    ------
    AssertionError
        Where a promise does not hold, with the position.
    """
    for check in CHECKS.values():
        check(game, seed, plies)
