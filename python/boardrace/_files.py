"""Files: written whole or not at all, read with a bound on their size."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path


def write_file(path: str | os.PathLike[str], content: str | bytes) -> None:
    """Write a file under a temporary name beside its place, then rename it.

    A full disk or a kill in the middle leaves whatever stood under that name before.

    Parameters
    ----------
    path : str or path-like
    content : str or bytes
        A str is written as UTF-8 with line ends as they are.

    Examples
    --------
    >>> import os, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     name = os.path.join(folder, "note.txt")
    ...     write_file(name, "hello")
    ...     os.listdir(folder), read_file(name, 100)
    (['note.txt'], 'hello')
    """
    data = content.encode() if isinstance(content, str) else content
    try:
        _write(Path(path), data)
    except OSError as error:
        # It shall name the file that the user named, not the temporary one.
        raise OSError(error.errno, error.strerror, os.fspath(path)) from None


def _write(target: Path, data: bytes) -> None:
    if target.exists() and not target.is_file():
        # A pipe or a device (/dev/stdout) cannot be replaced; a folder refuses here.
        target.write_bytes(data)
        return
    # A link stays a link: what it leads to is written.
    if target.is_symlink():
        target = target.resolve()
    handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(name, _mode(target))
        os.replace(name, target)
    except BaseException:
        os.unlink(name)
        raise


def _mode(target: Path) -> int:
    """The permissions of the file that is replaced; for a new one what the umask leaves."""
    try:
        return target.stat().st_mode & 0o777
    except OSError:
        mask = os.umask(0)
        os.umask(mask)
        return 0o666 & ~mask


def read_file(path: str | os.PathLike[str], most: int) -> str:
    """The text of a file of at most `most` bytes.

    Raises
    ------
    ValueError
        When it is longer, or no UTF-8 text.
    OSError
        When it cannot be read.
    """
    with open(path, "rb") as file:
        data = file.read(most + 1)
    if len(data) > most:
        raise ValueError(f"{os.fspath(path)} is longer than {most} bytes")
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        raise ValueError(f"{os.fspath(path)} is no UTF-8 text: {error.reason}") from None
