"""The random streams again, in plain Python, from their description in docs/streams.md."""

MASK = 2**64 - 1
GOLDEN = 0x9E3779B97F4A7C15
PLIES, SETUP, DETERMINIZE, BATCH_CHANCE, BATCH_ACTIONS = range(5)


def mix(z):
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 & MASK
    z = (z ^ z >> 27) * 0x94D049BB133111EB & MASK
    return z ^ z >> 31


def key(seed, stream, use):
    first = mix((seed + GOLDEN * (use + 1)) & MASK)
    return mix((first + GOLDEN * (stream + 1)) & MASK)


def draw(seed, stream, use, j):
    return mix((key(seed, stream, use) + GOLDEN * (j + 1)) & MASK)


def rank(u, k):
    """Which of k actions a draw takes."""
    return u * k >> 64
