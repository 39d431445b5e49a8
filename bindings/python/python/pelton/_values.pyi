"""Values of SQL that Python has no type for."""

from typing import NamedTuple

class Interval(NamedTuple):
    """An interval of SQL: months, days and nanoseconds."""

    months: int
    days: int
    nanoseconds: int
