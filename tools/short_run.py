"""A little of everything that is compiled, for tools that make programs slow: valgrind."""

import boardrace as br
from boardrace.search import search


def run(game: br.Game) -> None:
    """States, counts, playouts, batches and a search of one game."""
    state, rng = game.new_state(1), br.Rng(1)
    for _ in range(40):
        if state.is_terminal:
            break
        state.legal_actions()
        state.sample(rng)
    assert game.parse(str(state)) == state
    state.copy().sample(rng)
    state.copy(history=True).undo()
    state.observation(0)
    state.bitboards()
    state.determinize(1)
    state = game.new_state(1)
    assert br.perft(state, 2) == br.perft(state, 2, hash_mb=1, threads=2)
    assert sum(br.divide(state, 2).values()) == br.perft(state, 2)
    for policy in ("uniform", "forward"):
        br.playouts(game, 70, seed=1, max_plies=60, policy=policy, threads=2)
    while state.is_chance:
        state.sample(rng)
    search(state, playouts=20)
    for autoreset in ("disabled", "next_step", "same_step"):
        batch = br.Batch(game, 70, seed=1, autoreset=autoreset, max_plies=3, threads=2)
        for _ in range(5):
            batch.legal_actions()
            batch.step(batch.random_actions())
    batch.observation()
    assert str(batch.copy().state(3)) == str(batch.state(3))


if __name__ == "__main__":
    for name in br.games():
        run(br.load(name))
        print(name, flush=True)
