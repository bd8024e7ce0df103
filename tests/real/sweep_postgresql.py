"""Kill *publish* with SIGKILL at one point after another, and ask PostgreSQL.

Run as a script, like ``tests/release/sweep_databases.py``. The source is a table of the
same database, which is set back by a copy that PostgreSQL makes of it.
"""

import os
import sys
from contextlib import closing, contextmanager
from pathlib import Path

import pandas as pd

from tests.release.sweep_databases import DatabaseSweep, sweep_over
from tests.release.sweep_kills import leave_out_charts

LIVE, KEPT = "sweep_live", "sweep_kept"


class PostgreSQLSweep(DatabaseSweep):
    """A release from a table of PostgreSQL to a view there."""

    tables = 4
    """The source, the view, the manifests, one version."""

    def __init__(self, folder, url):
        self.place = url.replace("+psycopg2", "").rpartition("/")[0]
        os.environ["DATABASE_URL"] = f"{url.rpartition('/')[0]}/{LIVE}"
        self.copy("template1", KEPT)
        people = pd.read_csv(Path(folder) / "template" / "people.csv", dtype=str)
        with self.connected(KEPT) as cursor:
            names = ", ".join(f"{name} text" for name in people.columns)
            cursor.execute(f"CREATE TABLE people ({names})")
            marks = ", ".join(["%s"] * len(people.columns))
            cursor.executemany(
                f"INSERT INTO people VALUES ({marks})", people.to_numpy().tolist()
            )
            cursor.execute("ALTER TABLE people ALTER age TYPE integer USING age::int")
        super().__init__(folder, "postgresql")

    @contextmanager
    def connected(self, database):
        """A cursor; what it does is committed at once."""
        import psycopg2  # not there where only `make test` was run

        with closing(psycopg2.connect(f"{self.place}/{database}")) as connection:
            connection.autocommit = True
            yield connection.cursor()

    def copy(self, one, other):
        """Let a database hold what another one holds; nobody may be connected."""
        with self.connected("postgres") as cursor:
            # A process that was killed may still be known to the server.
            cursor.execute(f"DROP DATABASE IF EXISTS {other} WITH (FORCE)")
            cursor.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
                "WHERE datname = %s",
                (one,),
            )
            cursor.execute(f"CREATE DATABASE {other} TEMPLATE {one}")

    def reset(self):
        super().reset()
        self.copy(KEPT, LIVE)

    def keep(self):
        super().keep()
        self.copy(LIVE, KEPT)

    def ask(self):
        """Names of tables, manifests, and rows of the view as texts."""
        asked = (
            "SELECT table_name FROM information_schema.tables "
            "WHERE table_schema = 'public'",
            "SELECT manifest, shown FROM ward__manifest",
            "SELECT * FROM ward",
        )
        found = []
        with self.connected(LIVE) as cursor:
            for query in asked:
                cursor.execute(query)
                found.append(cursor.fetchall())
        tables, noted, shown = found
        texts = [
            tuple("" if cell is None else str(cell) for cell in row) for row in shown
        ]
        return sorted(name for (name,) in tables), noted, sorted(texts)


def main(folder, url, stride):
    """Every ``stride`` points, and one behind the last."""
    import great_expectations  # noqa: F401 - imported before the first fork

    leave_out_charts()
    sweep_over(PostgreSQLSweep(folder, url), stride)


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2], int(sys.argv[3]))
