"""Files: written whole or not at all, read with a bound on their size."""

from __future__ import annotations

import errno
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


def try_file(path: str | os.PathLike[str]) -> None:
    """Refuse with an OSError where `write_file` would, as far as can be told before.

    What stands under that name is left as it is.

    Examples
    --------
    >>> try_file("/no/such/folder/note.txt")
    Traceback (most recent call last):
    ...
    FileNotFoundError: [Errno 2] No such file or directory: '/no/such/folder/note.txt'
    """
    try:
        target = Path(path)
        if not _in_place(target):
            handle, name, _ = _beside(target)
            os.close(handle)
            os.unlink(name)
        elif target.is_dir():
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
        elif not os.access(target, os.W_OK):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
    except OSError as error:
        raise OSError(error.errno, error.strerror, os.fspath(path)) from None


def _in_place(target: Path) -> bool:
    """Whether it is a pipe or a device (/dev/stdout), which cannot be replaced, or a folder."""
    return target.exists() and not target.is_file()


def _beside(target: Path) -> tuple[int, str, Path]:
    """A temporary file, open, its name, and the place for it."""
    # A link stays a link: what it leads to is written.
    if target.is_symlink():
        target = target.resolve()
    return *tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}."), target


def _write(target: Path, data: bytes) -> None:
    if _in_place(target):
        # A folder refuses here.
        target.write_bytes(data)
        return
    handle, name, target = _beside(target)
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
