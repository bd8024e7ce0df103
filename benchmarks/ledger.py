"""Time a ledger: opening, listing and verifying entries, and keeping memberships.

Run it with ``.venv/bin/python benchmarks/ledger.py [--entries 10000]``.
"""

import argparse
import secrets
import time
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from _measures import machine, median_seconds
from _results import keep, number

from anon_transformers.ledger import Ledger, MembershipKey, Publication

ROLES = {"quasi_identifiers": ["age", "zip", "sex"], "sensitive": ["diagnosis"]}


def fill(ledger, n_entries):
    """Write reservations and their confirmations, as releases do, in one go."""

    def work(connection):
        for number_ in range(n_entries // 2):
            one = Publication(
                "visits", f"run-{number_}", "visits.csv", "name:visits", "0" * 64,
                roles=ROLES, thresholds={"k-anonymity": {"k": 5}}, levels={"k": 7},
            )  # fmt: skip
            what = {"publication": one.to_dict()}
            ledger._append(connection, "reserved", one.name, **what)
            ledger._append(connection, "published", one.name, sha256=one.sha256)

    ledger._store.write(work)


def seconds(action):
    """Wall time of one run."""
    started = time.perf_counter()
    action()
    return time.perf_counter() - started


def main():
    """Measure, print and keep the numbers."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--entries", type=int, default=10_000)
    parser.add_argument("--persons", type=int, default=1_000_000)
    asked = parser.parse_args()
    with TemporaryDirectory() as folder:
        place, signing = Path(folder) / "ledger.sqlite", secrets.token_bytes(32)
        fill(Ledger(place, signing), asked.entries)
        last = Publication("visits", "last", "visits.csv", "name:visits", "1" * 64)
        found = {
            "open and list": median_seconds(lambda: Ledger(place).publications()),
            "verify": median_seconds(lambda: Ledger(place, signing).verify()),
            "reserve": seconds(lambda: Ledger(place, signing).reserve(last)),
        }
        ledger, key = Ledger(place, signing), MembershipKey(secrets.token_bytes(32))
        persons = [f"person-{number_}" for number_ in range(asked.persons)]
        classes = np.arange(asked.persons, dtype=np.int32) // 7
        kept = {
            "digests": seconds(lambda: key.persons(persons)),
            "write": seconds(
                lambda: ledger.write_memberships(last.name, key, persons, classes)
            ),
            "read": seconds(lambda: ledger.read_memberships(last.name, key)),
            "forget a person": seconds(lambda: ledger.forget_person("person-7", key)),
        }
    sections = {
        f"{asked.entries:,} entries": found,
        f"{asked.persons:,} persons": kept,
    }
    tables = {
        heading: [{"what": n, "seconds": number(s)} for n, s in part.items()]
        for heading, part in sections.items()
    }
    print(keep("ledger", {"machine": machine(), **sections}, tables))


if __name__ == "__main__":
    main()
