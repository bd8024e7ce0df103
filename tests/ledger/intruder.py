"""An intruder who has all published tables and a register, and tries everything.

It knows nothing of the library. A published table is a list of (cell, value), in any
order, where a cell is a range of ages or "*". The register says for each release who
was present, with their exact age. Values are enumerated, person by person.
"""

from collections import Counter


def where(age, table):
    """The cell of a published table in which somebody of this age must be."""
    cells = {cell for cell, _ in table if cell != "*"}
    covering = [cell for cell in cells if cell[0] <= age <= cell[1]]
    assert len(covering) <= 1
    return covering[0] if covering else "*"


def follow(tables, register):
    """For each person the cells they were in, None where they were not."""
    names = sorted({name for present in register for name in present})
    return {
        name: tuple(
            where(present[name], table) if name in present else None
            for table, present in zip(tables, register, strict=True)
        )
        for name in names
    }


def told_apart(tables, register):
    """Sizes of the sets of persons whom nothing published tells apart."""
    return Counter(follow(tables, register).values())


def possible_values(tables, register):
    """For each person the values they can have in any world that agrees with all.

    Everybody keeps their value for ever. A table that shows no value shows None. Of
    whom no table shows a value nothing is said.
    """
    paths = follow(tables, register)
    left = [Counter(table) for table in tables]
    hidden = [
        {cell for cell, value in table if value is None and cell == "*"}
        for table in tables
    ]
    values = sorted({value for table in tables for _, value in table if value})
    shown = {
        name: path
        for name, path in paths.items()
        if any(
            cell is not None and cell not in hidden[release]
            for release, cell in enumerate(path)
        )
    }
    return _Search(shown, left, hidden, values).run()


class _Search:
    """Give each person a value, until every table is used up."""

    def __init__(self, paths, left, hidden, values):
        self.names = sorted(paths, key=lambda name: str(paths[name]))
        self.paths, self.left, self.hidden, self.values = paths, left, hidden, values
        self.found = {name: set() for name in self.names}
        self.world = {}

    def run(self):
        self._fill(0)
        return self.found

    def _fill(self, at):
        if at == len(self.names):
            for name, value in self.world.items():
                self.found[name].add(value)
            return
        name = self.names[at]
        for value in self.values:
            if self._take(name, value):
                self.world[name] = value
                self._fill(at + 1)
                self._give_back(name, value, len(self.left))

    def _take(self, name, value):
        for release, cell in enumerate(self.paths[name]):
            if not self._is_shown(release, cell):
                continue
            if not self.left[release][cell, value]:
                self._give_back(name, value, release)
                return False
            self.left[release][cell, value] -= 1
        return True

    def _give_back(self, name, value, until):
        for release, cell in enumerate(self.paths[name][:until]):
            if self._is_shown(release, cell):
                self.left[release][cell, value] += 1

    def _is_shown(self, release, cell):
        return cell is not None and cell not in self.hidden[release]
