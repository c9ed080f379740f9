"""Another extension can use the core: compiled here against the installed .pxd files."""

import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

import boardrace as br

SOURCE = '''
# cython: language_level=3
from libc.stdint cimport int32_t
from boardrace._core.engine cimport GameTable, State, check_abi

check_abi()


def play_first(State state):
    """Play the lowest legal action; what perft's last ply counts from there."""
    cdef const GameTable *table = state.table()
    cdef int32_t[512] actions
    if table.max_legal_actions > 512 or not table.actions(table, state.current(), actions):
        raise ValueError("no action, or too many")
    state.play(actions[0])
    return table.count(table, state.current())
'''
SETUP = """
from Cython.Build import cythonize
from setuptools import Extension, setup
setup(ext_modules=cythonize([Extension("outside", ["outside.pyx"])], include_path=[{root!r}]))
"""


def pxd_root() -> Path:
    """The folder that `cimport boardrace` starts from."""
    for folder in (sysconfig.get_path("platlib"), *map(str, br._core.__path__)):
        for root in (Path(folder), *Path(folder).parents):
            if (root / "boardrace" / "_core" / "engine.pxd").exists():
                return root
    raise AssertionError("the .pxd files are not installed")


@pytest.mark.filterwarnings("ignore")
def test_an_outside_extension_plays_a_move(tmp_path):
    (tmp_path / "outside.pyx").write_text(SOURCE)
    (tmp_path / "setup.py").write_text(SETUP.format(root=str(pxd_root())))
    build = subprocess.run(
        [sys.executable, "setup.py", "-q", "build_ext", "--inplace"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    assert build.returncode == 0, build.stderr
    use = (
        "import boardrace as br, outside\n"
        "state = br.load('traverse').new_state()\n"
        "count = outside.play_first(state)\n"
        "print(count == len(state.legal_actions()), state.num_plies)\n"
    )
    run = subprocess.run([sys.executable, "-c", use], cwd=tmp_path, capture_output=True, text=True)
    assert run.stdout.split() == ["True", "1"], run.stderr
