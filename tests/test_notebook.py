"""The notebook runs from top to bottom."""

from pathlib import Path

import pytest

nbformat = pytest.importorskip("nbformat")
nbclient = pytest.importorskip("nbclient")
pytest.importorskip("matplotlib")
pytest.importorskip("ipykernel")

NOTEBOOK = Path(__file__).parents[1] / "examples" / "boardrace.ipynb"


def outputs(notebook):
    """Kinds of output, cell by cell. (A text may come in one piece or in several.)"""
    return [
        {output.output_type for output in cell.outputs}
        for cell in notebook.cells
        if cell.cell_type == "code"
    ]


def test_the_notebook_runs():
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    stored = outputs(notebook)
    nbclient.NotebookClient(notebook, timeout=300, kernel_name="python3").execute()
    assert outputs(notebook) == stored
