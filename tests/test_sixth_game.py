"""The worked example of docs/new_game.md: a game in a package of its own, found by entry point."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

EXAMPLE = Path(__file__).parents[1] / "examples" / "dash"


def test_a_game_of_another_package_passes_the_conformance_kit(tmp_path):
    files = (EXAMPLE / "src" / "dash").glob("*.py*")
    assert sum(len(file.read_text().splitlines()) for file in files) < 200
    shutil.copytree(EXAMPLE, tmp_path / "dash")
    command = [sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--no-build-isolation"]
    subprocess.run(
        [*command, "--target", str(tmp_path / "site"), str(tmp_path / "dash")],
        check=True,
        capture_output=True,
    )
    use = (
        "import boardrace as br\n"
        "from boardrace import conformance\n"
        "game = br.load('dash')\n"
        "conformance.check_game(game, seed=3)\n"
        "print('dash' in br.games(), br.perft(game.new_state(), 5))\n"
    )
    run = subprocess.run(
        [sys.executable, "-c", use],
        env={**os.environ, "PYTHONPATH": str(tmp_path / "site")},
        capture_output=True,
        text=True,
    )
    assert run.stdout.split() == ["True", "64"], run.stderr
