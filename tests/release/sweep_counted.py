"""Kill a release that is counted in DuckDB, as ``sweep_kills.py`` does one in memory.

Run as a script. DuckDB starts threads, and a fork is not safe beside them: what it does
is done in forks alone.
"""

import sys

import sweep_kills
import yaml
from sweep_kills import FILES, Sweep, leave_out_charts, sweep_over, warm_up

COUNTED = tuple(
    f"/anon_transformers/release/_{name}.py"
    for name in ("counted_table", "streamed", "scratch", "one_state")
)


class CountedSweep(Sweep):
    """Its candidate and all that is private are written where DuckDB counts."""

    def warm(self):
        """Import and compile what it has in common with the release in memory."""
        import duckdb  # noqa: F401 - loaded once, and nothing is opened

        stated = yaml.safe_load(self.file.read_text())
        del stated["source"]["engine"]
        self.file.write_text(yaml.safe_dump(stated))
        self.run()


def main(folder, kind, way, stride, first=0):
    """The parameters are those of ``sweep_kills.py``, without houses of others."""
    import great_expectations  # noqa: F401 - imported before the first fork

    leave_out_charts()
    FILES.symmetric_difference_update({"data.csv", "data.parquet"})
    sweep_kills.WRITERS += COUNTED
    sweep = CountedSweep(folder, replace=kind == "replacement", by_line=way == "lines")
    warm_up(sweep)
    sweep_over(sweep, way, stride, first)


if __name__ == "__main__":
    main(*sys.argv[1:4], *map(int, sys.argv[4:]))
