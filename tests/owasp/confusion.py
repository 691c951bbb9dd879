#!/usr/bin/env python3
"""Compare two files of answers: `python3 confusion.py OURS THEIRS [REQUESTS]`."""
import collections
import json
import sys


def read(path):
    return {answer["id"]: answer for answer in map(json.loads, open(path))}


def main():
    ours, theirs = read(sys.argv[1]), read(sys.argv[2])
    counted = same = 0
    scores = collections.Counter()
    verdicts = collections.Counter()
    table = collections.defaultdict(collections.Counter)
    examples = {}
    for name, answer in ours.items():
        mine, other = set(answer["hits"]), set(theirs[name]["hits"])
        if not mine and not other:
            continue
        counted += 1
        same += mine == other
        for level in "1234":
            scores[level] += answer["score"][level] == theirs[name]["score"][level]
            for threshold in (5, 15, 25, 40, 60):
                verdicts[level, threshold] += (answer["score"][level] >= threshold) == (theirs[name]["score"][level] >= threshold)
        for rule in mine | other:
            kind = "both" if rule in mine & other else "ours" if rule in mine else "theirs"
            table[rule][kind] += 1
            if kind != "both":
                examples.setdefault((rule, kind), name)
    print(f"{counted} of {len(ours)} requests have a hit; {same} ({100 * same / counted:.2f} %) have the same rules")
    print("same score:", ", ".join(f"level {level} {100 * scores[level] / counted:.2f} %" for level in "1234"))
    print("same verdict:", ", ".join(f"{level}/{threshold} {100 * count / counted:.2f} %" for (level, threshold), count in sorted(verdicts.items())))
    print("rule     both  ours  theirs  example")
    for rule, row in sorted(table.items()):
        if row["ours"] or row["theirs"]:
            shown = [examples[rule, kind] for kind in ("ours", "theirs") if row[kind]]
            print(f"{rule} {row['both']:6} {row['ours']:5} {row['theirs']:7}  {', '.join(shown)}")


main()
