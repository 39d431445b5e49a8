"""Comparison of the rows of two engines."""

import math


def same(found, expected):
    """The same rows, doubles up to the order in which they were summed."""

    def close(one, other):
        floats = isinstance(one, float) and isinstance(other, float)
        return math.isclose(one, other, rel_tol=1e-9) if floats else one == other

    pairs = zip(sorted(found, key=str), sorted(expected, key=str))
    return len(found) == len(expected) and all(all(map(close, *pair)) for pair in pairs)
