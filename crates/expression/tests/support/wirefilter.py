"""Random expressions, and what the parser of octorules-wirefilter says of each: one JSON object a line.

Reads {"seed", "count", "fields": [[name, type]], "functions": [[name, parameters]]} from the standard input.
"""

import json
import random
import sys

try:
    import octorules_wirefilter
except ImportError:
    sys.exit(77)

asked = json.load(sys.stdin)
fields, functions = asked["fields"], asked["functions"]
dice = random.Random(asked["seed"])
TEXTS = ['"a"', '"/a"', '"a.example"', 'r"x\\d"', '"*a*"', '"^a+"', '"\\"q"']
ADDRESSES = ["1.2.3.4", "::1", "10.0.0.0/8", "1.2.3.4/24", "2001:db8::/32", "1.1.1.1..1.1.1.9"]
NUMBERS = ["1", "42", "-3"]
OTHERS = ['{"a" "b"}', "{1 2}", "{1..5}", "{10.0.0.0/8 ::1}", "$list"]
OPERATORS = ["eq", "ne", "lt", "ge", "==", "contains", "matches", "wildcard", "strict wildcard", "in", "~"]


def literal():
    return dice.choice(dice.choice([TEXTS, ADDRESSES, NUMBERS, OTHERS]))


def operand(depth=0):
    name, kind = dice.choice(fields)
    indexes = {"Map": ['["k"]', '["k"][0]', '["k"][*]', ""], "ArrayArray": ["[*]", "[0]", "[*][*]", ""]}
    indexes["Array"] = ["[*]", "[0]", ""]
    text = name + dice.choice(next((indexes[end] for end in indexes if kind.endswith(end)), [""]))
    if depth < 2 and dice.random() < 0.35:
        function, parameters = dice.choice(functions)
        arguments = [text if dice.random() < 0.8 else literal()]
        arguments += [literal() if dice.random() < 0.8 else operand(depth + 1) for _ in range(parameters - 1)]
        text = f"{function}({', '.join(arguments)})"
    return text


def typed():
    """A comparison that is mostly good."""
    name, kind = dice.choice([f for f in fields if f[1] in ("Bytes", "Integer", "Address", "Boolean")])
    if kind == "Boolean":
        return name
    if kind == "Integer":
        return f"{name} {dice.choice(['eq', 'lt', 'in'])} {dice.choice(NUMBERS + ['{1 5..9}'])}"
    if kind == "Address":
        return f"{name} in {{{dice.choice(ADDRESSES)}}}"
    return f"{name} {dice.choice(['eq', 'contains', 'wildcard'])} {dice.choice(TEXTS)}"


def expression(depth=0):
    roll = dice.random()
    if depth < 2 and roll < 0.2:
        return f"({expression(depth + 1)} {dice.choice(['and', 'or', 'xor', '&&', '||'])} {expression(depth + 1)})"
    if depth < 2 and roll < 0.27:
        return f"not {expression(depth + 1)}"
    if roll < 0.6:
        return typed()
    if roll < 0.7:
        name, kind = dice.choice([f for f in fields if f[1] in ("BytesArray", "BytesArrayMap")])
        index = '["k"][*]' if kind.endswith("Map") else "[*]"
        return f"{dice.choice(['any', 'all'])}({name}{index} {dice.choice(OPERATORS)} {literal()})"
    if roll < 0.8:
        return operand()
    return f"{operand()} {dice.choice(OPERATORS)} {literal()}"


for _ in range(asked["count"]):
    text = expression()
    print(json.dumps({"text": text, "error": octorules_wirefilter.parse_expression(text).get("error")}))
