"""The code in README and docs runs, and prints what is shown.

Python blocks share one namespace a file: with prompts they are doctests, without they are just
run. In console blocks the lines that begin with "$ boardrace" are run and their output compared;
"..." stands for anything. A block after a line <!-- not run: why --> is left alone; a file with
a line <!-- needs name, name --> is skipped where one of these packages is not installed.
"""

import doctest
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
FILES = [
    ROOT / "README.md",
    ROOT / "CONTRIBUTING.md",
    *sorted((ROOT / "docs").rglob("*.md")),
]
BLOCK = re.compile(
    r"(?:<!-- not run: (?P<why>[^>]+) -->\s*\n)?"
    r"^```(?P<kind>python|pycon|console)\n(?P<body>.*?)^```$",
    re.MULTILINE | re.DOTALL,
)
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


def blocks(file):
    text = file.read_text()
    for match in BLOCK.finditer(text):
        if match["why"] is None:
            line = text.count("\n", 0, match.start("body"))
            yield match["kind"], match["body"], line


def run_python(file, body, line, names):
    if ">>>" not in body:
        exec(compile("\n" * line + body, str(file), "exec"), names)
        return
    test = doctest.DocTestParser().get_doctest(body, names, file.name, str(file), line)
    report: list[str] = []
    runner = doctest.DocTestRunner(optionflags=FLAGS)
    runner.run(test, out=report.append, clear_globs=False)
    names.update(test.globs)
    assert runner.summarize(verbose=False).failed == 0, "".join(report)


def run_console(body):
    parts = re.split(r"^\$ ", body, flags=re.MULTILINE)
    for part in parts[1:]:
        command, _, wanted = part.partition("\n")
        while command.endswith("\\"):
            more, _, wanted = wanted.partition("\n")
            command = command[:-1] + more.lstrip("> ")
        words = shlex.split(command)
        if words[0] != "boardrace":
            continue
        run = subprocess.run(
            [sys.executable, "-m", *words], capture_output=True, text=True, timeout=120
        )
        got = run.stdout + run.stderr
        good = doctest.OutputChecker().check_output(wanted, got, FLAGS)
        assert good or not wanted.strip(), f"$ {command}\n{got}\ninstead of\n{wanted}"
        assert wanted.strip() or run.returncode == 0, f"$ {command}\n{got}"


@pytest.mark.parametrize("file", FILES, ids=lambda file: str(file.relative_to(ROOT)))
def test_code_in_docs(file, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    for needs in re.findall(r"^<!-- needs (.+) -->$", file.read_text(), re.MULTILINE):
        for package in needs.split(", "):
            pytest.importorskip(package)
    names = {"__name__": "__main__"}
    for kind, body, line in blocks(file):
        if kind == "console":
            run_console(body)
        else:
            run_python(file, body, line, names)
