"""Time methods on a table that stays in its engine, against a plain group-by there.

Run it with ``.venv/bin/python benchmarks/engines.py [--largest 10000000]``. The people
are made in DuckDB, with few in most regions and ages, and lie in its file; DuckDB may
use 4 GB. Each number is of a process of its own that has done the same on a small table
before. Seconds are of the processor, those of DuckDB's threads with ours. Memory is the
resident peak less what was there before, DuckDB's buffers with it.
"""

import argparse
import tempfile
import time
from pathlib import Path

import duckdb
from _measures import in_fresh_process, machine, peak_growth
from _results import keep, number

from anon_transformers import FullDomainAnonymizer, MondrianAnonymizer
from anon_transformers.evidence import Classes
from anon_transformers.hierarchies import Intervals, Masking
from anon_transformers.privacy import (
    DistinctLDiversity,
    KAnonymity,
    TCloseness,
    judge,
)

KNOWN = ["age", "sex", "region", "education", "marital"]
ILL = "ill"
ROOM = "4GB"
SMALL = 10_000
# A number from 0 to 1 per person and column; powers of it make few regions large.
PEOPLE = """
    CREATE TABLE people AS
    SELECT 18 + floor(70 * a ** 1.5)::int AS age,
        CASE WHEN b < .5 THEN 'f' ELSE 'm' END AS sex,
        'r' || lpad(floor(60 * c ** 3)::int::text, 2, '0') AS region,
        'e' || floor(9 * d ** 2)::int AS education,
        'm' || floor(5 * e ** 1.5)::int AS marital,
        'i' || lpad(floor(30 * f ** 2)::int::text, 2, '0') AS ill
    FROM (
        SELECT {draws} FROM range({rows}) t(i)
    )
"""
DRAWS = ", ".join(
    f"(hash(6 * i + {at}) % 1000003) / 1000003.0 AS {name}"
    for at, name in enumerate("abcdef")
)


def write_people(folder, rows):
    """A DuckDB file with so many people."""
    file = Path(folder) / f"people_{rows}.duckdb"
    with opened(file, read_only=False) as connection:
        connection.execute(PEOPLE.format(draws=DRAWS, rows=rows))
    return file


def opened(file, *, read_only=True):
    """A connection that may use so much memory, and writes the rest beside the file."""
    settings = {"memory_limit": ROOM, "temp_directory": f"{file}.tmp"}
    connection = duckdb.connect(file, read_only=read_only, config=settings)
    connection.execute("SET enable_progress_bar = false")
    return connection


def full_domain():
    """The optimal levels."""
    return FullDomainAnonymizer(
        KNOWN,
        k=5,
        suppression_limit=0.01,
        hierarchies={
            "age": Intervals(widths=[5, 10, 20, 40]),
            "region": Masking(),
            **dict.fromkeys(["sex", "education", "marital"], Masking()),
        },
    )


def group_by(people, columns):
    """Every combination with its rows, collected."""
    listed = ", ".join(columns)
    return people.query("people", f"SELECT {listed}, count(*) FROM people GROUP BY ALL")


def judged(people):
    """Levels of k, l and t."""
    classes = Classes.from_frame(people, KNOWN, [ILL])
    models = [
        KAnonymity(1),
        DistinctLDiversity(1),
        TCloseness(1.0, reference="released"),
    ]
    return [judge(model, classes) for model in models]


STEPS = {
    "group-by": lambda people: len(group_by(people, KNOWN).to_arrow_table()),
    "group-by with illness": lambda people: len(
        group_by(people, [*KNOWN, ILL]).to_arrow_table()
    ),
    "full-domain, fit": lambda people: full_domain().fit(people),
    "Mondrian, fit": lambda people: MondrianAnonymizer(KNOWN, k=5).fit(people),
    "k, l and t": judged,
}
BESIDE = {
    "full-domain, fit": "group-by",
    "Mondrian, fit": "group-by",
    "k, l and t": "group-by with illness",
}
WRITTEN = {"COPY": None, "Mondrian, COPY": MondrianAnonymizer(KNOWN, k=5)}


def run(step, file, small):
    """Seconds of the processor, seconds that passed, and bytes of a step."""

    def act(on):
        with opened(on) as connection:
            if step in STEPS:
                STEPS[step](connection.table("people"))
            else:
                write(connection, WRITTEN[step], Path(on).with_suffix(".parquet"))

    act(small)
    took = {}

    def timed():
        at, passed = time.process_time(), time.perf_counter()
        act(file)
        took["cpu"] = time.process_time() - at
        took["passed"] = time.perf_counter() - passed

    took["bytes"] = peak_growth(timed)
    return took


def write(connection, method, target):
    """Write the table as it is, or as a method publishes it."""
    table = connection.table("people")
    if method is not None:
        table = method.fit(connection.table("people").limit(SMALL)).transform(table)
    table.write_parquet(str(target))
    target.unlink()


def measure(rows, folder, small):
    """Each step on one table."""
    file = write_people(folder, rows)
    with opened(file) as connection:
        combinations = len(group_by(connection.table("people"), KNOWN).to_arrow_table())
    found = {
        step: in_fresh_process(run, step, file, small) for step in [*STEPS, *WRITTEN]
    }
    file.unlink()
    for step, took in found.items():
        beside = BESIDE.get(step) or ("COPY" if step in WRITTEN else "group-by")
        yield {
            "rows": rows,
            "combinations": combinations,
            "step": step,
            "beside": beside,
            "ratio": took["cpu"] / found[beside]["cpu"],
            **took,
        }


def main():
    """Measure every size, and keep the numbers."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--largest", type=int, default=10_000_000)
    largest = parser.parse_args().largest
    sizes = [rows for rows in (10**6, 10**7, 10**8) if rows <= largest]
    with tempfile.TemporaryDirectory() as folder:
        small = write_people(folder, SMALL)
        cases = [case for rows in sizes for case in measure(rows, folder, small)]
    measured = {"machine": {**machine(), "duckdb": duckdb.__version__}, "cases": cases}
    sections = {
        f"{rows:,} people in DuckDB, which may use {ROOM}": [
            cells(case) for case in cases if case["rows"] == rows
        ]
        for rows in sizes
    }
    print(keep("engines", measured, sections))


def cells(case):
    """A case as the cells of a line."""
    return {
        "step": case["step"],
        "CPU seconds": number(case["cpu"], 2),
        "seconds": number(case["passed"], 2),
        "× beside": f"{number(case['ratio'])} ({case['beside']})",
        "peak, MB": number(case["bytes"] / 1e6, 0),
        "combinations": number(case["combinations"], 0),
    }


if __name__ == "__main__":
    main()
