"""The random numbers that playouts use, for playing them by hand."""
from libc.stdint cimport uint64_t

from operator import index


cdef class Rng:
    """The stream of random numbers that playout `stream` of a seed uses.

    Parameters
    ----------
    seed : int
        0 to 2**64 - 1.
    stream : int, default 0
        The number of the playout, 0 to 2**64 - 1.

    Examples
    --------
    >>> import boardrace as br
    >>> rng = br.Rng(7, 3)
    >>> first = rng.raw()
    >>> br.Rng(7, 3).raw() == first
    True
    """

    def __init__(self, seed, stream=0):
        self.seed = _whole_number("seed", seed)
        self.stream = _whole_number("stream", stream)
        self.plies.key = stream_key(self.seed, self.stream, USE_PLIES)
        self.plies.j = 0

    @property
    def draws(self):
        """int: how many numbers have been drawn."""
        return self.plies.j

    def raw(self):
        """Draw the next 64-bit number.

        Returns
        -------
        int
            0 to 2**64 - 1.
        """
        return next_draw(&self.plies)

    def __repr__(self):
        return f"Rng({self.seed}, {self.stream}) after {self.plies.j} draws"

    def __reduce__(self):
        return (_restore, (self.seed, self.stream, self.plies.j))

    def __copy__(self):
        return _restore(self.seed, self.stream, self.plies.j)

    def __deepcopy__(self, memo):
        return self.__copy__()


def _whole_number(name, value):
    if isinstance(value, bool) or not hasattr(value, "__index__"):
        raise TypeError(f"{name} must be a whole number, not {type(value).__name__}")
    number = index(value)
    if not 0 <= number < 2**64:
        raise ValueError(f"{name} is {number}: it must lie in 0..2**64-1")
    return number


def _restore(seed, stream, draws):
    cdef Rng rng = Rng(seed, stream)
    rng.plies.j = draws
    return rng
