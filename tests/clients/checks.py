"""Counts what was checked; one line of the results file per check: suite, area, outcome, detail."""

import os


class Checks:
    def __init__(self, suite):
        self.suite, self.failed = suite, 0
        self.file = open(os.environ["RESULTS"], "a", encoding="utf-8")

    def note(self, area, outcome, detail=""):
        self.file.write("\t".join([self.suite, area, outcome, " ".join(str(detail).split())]) + "\n")
        self.file.flush()

    def that(self, area, holds, detail):
        self.failed += not holds
        self.note(area, "ok" if holds else "FAILED", detail)
        return holds

    def equal(self, area, got, expected, what):
        return self.that(area, got == expected, f"{what}: got {got!r}, expected {expected!r}")
