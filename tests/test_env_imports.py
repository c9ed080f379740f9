"""The adaptors are loaded when asked for, never by boardrace itself."""

import subprocess
import sys

import pytest


def test_boardrace_alone_loads_no_other_project():
    code = (
        "import sys, boardrace as br\n"
        "br.load(br.games()[0]).new_state(seed=1).legal_actions()\n"
        "import boardrace.envs\n"
        "print(*{m.partition('.')[0] for m in sys.modules}"
        " & {'gymnasium', 'pettingzoo', 'pyspiel', 'open_spiel', 'cairosvg', 'PIL'})"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == ""


@pytest.mark.parametrize(
    "module, package",
    [("pettingzoo", "pettingzoo"), ("gymnasium", "gymnasium"), ("openspiel", "pyspiel")],
)
def test_a_missing_project_is_named(module, package):
    code = (
        "import sys\n"
        f"sys.modules[{package!r}] = None\n"
        "try:\n"
        f"    import boardrace.envs.{module}\n"
        "except ImportError as error:\n"
        "    print(error)"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert f"pip install boardrace[{module}]" in run.stdout
