"""The function tests of the Substrait consortium, each as a plan that Pelton runs."""

import collections
import importlib.util
import json
import pathlib
import unittest

import pelton
import substrait_cases as cases

# Lines whose result is not the function's, with the reason.
NOT_RIGHT = {
    "shift_left(301989888::i64, 8::i32) = 19791209299968::i64": "301989888 * 256 is 77309411328",
}

# Files with lines of which some have other results than the mathematical ones, which DuckDB gives too.
SPREADS = {"arithmetic/std_dev.test": 4, "arithmetic/variance.test": 4}

# Lines that are refused because the plan says so: functions, options, types and forms without a counterpart.
REFUSED = ("this Substrait plan needs what Pelton lacks", "not supported", "does not take", "cast one of them")


def place():
    """Returns the folder of the tests; None without the package."""
    found = importlib.util.find_spec("substrait_extensions")
    return None if found is None else pathlib.Path(list(found.submodule_search_locations)[0]) / "testcases"


class Functions(unittest.TestCase):
    def test_functions_answer_as_the_standard_says_or_are_refused(self):
        if place() is None:
            self.skipTest("the package substrait-extensions is missing; `make rivals` installs it")
        counts, wrong, spreads = collections.Counter(), [], collections.Counter()
        with pelton.connect(threads=1) as connection:
            for file, line, case in cases.cases(place()):
                outcome, value = self.outcome(connection, case)
                counts[outcome] += 1
                if outcome == "wrong" and file in SPREADS:
                    spreads[file] += 1
                elif outcome == "wrong" and line not in NOT_RIGHT:
                    wrong.append(f"{file}: {line}: {value}")
        print(dict(counts))
        self.assertEqual(wrong, [])
        self.assertEqual(spreads, SPREADS)
        self.assertGreaterEqual(counts["right"], 897)

    def outcome(self, connection, case):
        if case is None:
            return "of another kind", None
        try:
            plan = json.dumps(case.plan())
        except cases.Unread:
            return "of another kind", None
        try:
            rows = [value for (value,) in connection.from_substrait(plan).fetchall()]
        except pelton.Error as error:
            if any(words in str(error) for words in REFUSED):
                return "refused", str(error)
            is_right = case.result in (cases.ERROR, cases.UNDEFINED)
            return "right" if is_right else "wrong", str(error)
        if case.result is cases.UNDEFINED:
            return "right", None
        if case.result is cases.ERROR or len(rows) != 1:
            return "wrong", rows
        return "right" if case.is_right(rows[0]) else "wrong", rows[0]


if __name__ == "__main__":
    unittest.main()
