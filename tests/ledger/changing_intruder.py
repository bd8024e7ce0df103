"""An intruder who looks for values that may change, in plain Python.

It knows nothing of the library. A table is a list of (class, value), in any order; the
register of a release says in which class each person is. Two ways to attack: subtract
histograms as if nobody had changed, and try all worlds that agree with every table and
with how often values have changed, which is more than anybody knows.
"""

from collections import Counter
from itertools import chain, combinations, permutations, product


def unions(register):
    """Every set of whole classes of a release, as (classes, persons)."""
    classes = sorted(set(register.values()))
    for size in range(1, len(classes) + 1):
        for chosen in combinations(classes, size):
            yield chosen, {p for p, cell in register.items() if cell in chosen}


def told_by_difference(tables, registers):
    """Persons of each difference of two releases, and the values it tells of them.

    Whoever subtracts supposes that those who are in both have their values still; what
    falls below zero is taken for zero. The values are of the release of the larger set.
    """
    for one, other in permutations(range(len(tables)), 2):
        for classes, persons in unions(registers[one]):
            for smaller, stayed in unions(registers[other]):
                if stayed < persons:
                    rest = Counter(v for c, v in tables[one] if c in classes)
                    rest -= Counter(v for c, v in tables[other] if c in smaller)
                    yield one, persons - stayed, rest


def n_changes(world, registers):
    """How often somebody has another value than when they were last there."""
    last, count = {}, 0
    for values, register in zip(world, registers, strict=True):
        for person in register:
            count += last.get(person, values[person]) != values[person]
            last[person] = values[person]
    return count


def _ways(table, register):
    """All ways to give the rows of a table to its persons."""
    by_class = {}
    for person, cell in sorted(register.items()):
        by_class.setdefault(cell, []).append(person)
    parts = []
    for cell, persons in by_class.items():
        shown = [value for at, value in table if at == cell]
        orders = sorted(set(permutations(shown)))
        parts.append([dict(zip(persons, order, strict=True)) for order in orders])
    for parts_of_a_way in product(*parts):
        yield dict(chain.from_iterable(part.items() for part in parts_of_a_way))


def possible_values(tables, registers, changes):
    """Values that each person may have had in each release, knowing ``changes``."""
    ways = [list(_ways(t, r)) for t, r in zip(tables, registers, strict=True)]
    found = [{person: set() for person in register} for register in registers]
    for world in product(*ways):
        if n_changes(world, registers) == changes:
            for values, of_release in zip(world, found, strict=True):
                for person, value in values.items():
                    of_release[person].add(value)
    return found
