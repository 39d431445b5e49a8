"""Values of SQL that Python has no type for."""

from typing import NamedTuple


class Interval(NamedTuple):
    """An interval of SQL: months, days and nanoseconds, which SQL does not convert to one another.

    A difference of two timestamps is a ``datetime.timedelta``.
    """

    months: int
    days: int
    nanoseconds: int
