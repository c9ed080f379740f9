"""Write seeds/: a few good inputs a target, from games played by chance."""

from __future__ import annotations

import json
from pathlib import Path

from targets import FILES, GAMES

import boardrace as br

SEEDS = Path(__file__).resolve().parent / "seeds"
BOARDS = Path(br.__file__).resolve().parent / "boards"


def put(target: str, name: str, data: bytes | str) -> None:
    folder = SEEDS / target
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_bytes(data.encode() if isinstance(data, str) else data)


def main() -> None:
    for number, text in enumerate(GAMES):
        game = br.load(text)
        first = bytes([number])
        state, rng = game.new_state(number), br.Rng(number)
        put("load", str(number), text)
        for plies in (0, 15, 60):
            while state.num_plies < plies and not state.is_terminal:
                state.sample(rng)
            put("parse", f"{number}-{plies}", first + str(state).encode())
            legal = state.legal_actions().tolist()
            if plies == 15 and legal:
                name = state.action_to_str(legal[len(legal) // 2])
                put("action", str(number), first + bytes([number, number, 15]) + name.encode())
                put("replay", str(number), br.record(state))
                parts = state.__reduce__()[1]
                put("pickles", str(number), json.dumps(parts))
                start = br.load(game.name, players=game.options["players"]).new_state(1)
                entry = {
                    "game": game.name,
                    "options": {"players": game.options["players"]},
                    "position": str(start),
                    "perft": [br.perft(start, 1), 2],
                    "children": {name: "x"},
                    "actions": [name],
                    "turn": 0,
                    "returns": [0, 0],
                }
                put("verify", str(number), json.dumps(entry) + "\n")
        draws = br.Rng(number, 1)
        noise = bytes(draws.raw() & 255 for _ in range(120))
        for target in ("calls", "batches", "counts"):
            put(target, str(number), first + noise)
    put("pickles", "game", json.dumps([1, "traverse"]))
    put("load", "order", 'traverse(order=["TCSDCTDS","SCDTTSCD"])')
    for number, (name, _) in enumerate(FILES):
        put("files", name, bytes([number]) + (BOARDS / f"{name}.json").read_bytes())


if __name__ == "__main__":
    main()
