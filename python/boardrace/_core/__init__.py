"""The compiled core. Games lie in one folder a processor level, built from the same source."""

import os

from .cpu import levels

_usable = levels()
#: Go no higher than this level ("v4", "v3" or "base"): for tests, and to compare code paths.
_cap = os.environ.get("BOARDRACE_LEVEL")
if _cap:
    if _cap not in ("v4", "v3", "base"):
        raise ImportError(f"BOARDRACE_LEVEL is {_cap!r}: it must be v4, v3 or base")
    if _cap in _usable:
        _usable = _usable[_usable.index(_cap) :]
__path__[:0] = [os.path.join(folder, level) for level in _usable for folder in __path__]
