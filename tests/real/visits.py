"""A year of visits to a clinic: a table that grows and is as messy as real ones.

Patients come several times. Regions and sexes are spelled in several ways, ages are now
and then ranges, and what is not known is marked in several ways. Every text holds
`MARK`, so that a log or a database can be searched for any cell of any month.
"""

from pathlib import Path

import numpy as np

MARK = "zqx"
YEAR = 2025
MONTHS = tuple(f"{YEAR}-{month:02}" for month in range(1, 13))
FIRST_ROWS = 2000
MORE_ROWS = 50
"""What a month has more than the one before."""

REGIONS = {
    name: (name, f"{name} ", name.upper(), f" {name.lower()}")
    for name in (f"Nord{MARK}", f"Sued{MARK}", f"West{MARK}", f"Ost{MARK}")
}
SEXES = {"female": ("f", "F", "female", "Female "), "male": ("m", "M", "male", "MALE")}
UNKNOWN = ("?", "n/a", "-")
# So many that no class lacks variety by chance.
DIAGNOSES = tuple(f"{letter}{MARK}" for letter in "ABCDEFGHIJKL")
OLDEST, MIDDLE = 89, 50

RELEASE = """\
source:
  path: "data/{period:%Y-%m}.csv"
  missing: ["?", "n/a", "-"]
  columns: {age: text}
roles:
  quasi_identifiers: [age, sex, region]
  sensitive: [diagnosis]
  identifiers: [patient, name]
  subject: patient
hierarchies:
  age: ages.csv
  sex: sexes.csv
  region: regions.csv
# It knows nothing of l, which the gate asks for: a month may be refused.
anonymizer: {name: full-domain, suppression_limit: 0.1, models: []}
thresholds:
  - {model: k-anonymity, k: 10}
  - {model: distinct-l-diversity, l: 2}
target:
  path: "../published/NAME/{period:%Y-%m}"
  retention: {periods: 12}
workspace: ../work
schedule: "@monthly"
# Most patients come and leave alone: no k holds for groups of them over a year.
composition: {accept_unjudged: patients come and leave alone in a table of visits}
"""


def write_year(folder: Path, refused: str, seed: int = 20250101) -> None:
    """Write `data/2025-01.csv` and so on, and the hierarchies beside them.

    Parameters
    ----------
    folder : Path
        Where the release files lie.
    refused : str
        The month in which all patients above fifty got one diagnosis.
    seed : int
        Of everything that is drawn.
    """
    rng = np.random.default_rng(seed)
    (folder / "data").mkdir(parents=True)
    _write_hierarchies(folder)
    patients = _patients(rng, 1500)
    for number, month in enumerate(MONTHS):
        known = patients[: 900 + 50 * number]
        rows = FIRST_ROWS + MORE_ROWS * number
        lines = ["patient,name,age,sex,region,diagnosis"]
        lines += [_visit(rng, *_one(rng, known), month == refused) for _ in range(rows)]
        (folder / "data" / f"{month}.csv").write_text("\n".join(lines) + "\n")


def _patients(rng: np.random.Generator, count: int) -> list[tuple[str, int, str, str]]:
    return [
        (
            f"{MARK}{number:05}",
            int(rng.integers(18, OLDEST + 1)),
            _one(rng, tuple(SEXES)),
            _one(rng, tuple(REGIONS)),
        )
        for number in range(count)
    ]


def _one(rng: np.random.Generator, of: tuple | list):
    return of[int(rng.integers(len(of)))]


def _visit(
    rng: np.random.Generator, name: str, age: int, sex: str, region: str, alike: bool
) -> str:
    """One row of a person, written as whoever was at the desk wrote it."""
    written_age = str(age)
    if rng.random() < 0.1:
        written_age = f"{age // 10 * 10}-{age // 10 * 10 + 9}"
    cells = [written_age, _one(rng, SEXES[sex]), _one(rng, REGIONS[region])]
    for place in range(len(cells)):
        if rng.random() < 0.02:
            cells[place] = _one(rng, UNKNOWN)
    diagnosis = _one(rng, UNKNOWN) if rng.random() < 0.03 else _one(rng, DIAGNOSES)
    if alike and age >= MIDDLE:
        diagnosis = DIAGNOSES[0]
    return ",".join([name, f"Name{name.upper()}", *cells, diagnosis])


def _write_hierarchies(folder: Path) -> None:
    """How values and spellings belong together; quotes keep the blanks."""
    ages = [
        f"{age};{age // 10 * 10}-{age // 10 * 10 + 9};{_half(age)};*"
        for age in range(10, OLDEST + 1)
    ]
    ages += [f"{a}-{a + 9};{a}-{a + 9};{_half(a)};*" for a in range(10, OLDEST, 10)]
    (folder / "ages.csv").write_text("\n".join(ages) + "\n")
    for file, spelled in (("sexes", SEXES), ("regions", REGIONS)):
        lines = [
            f'"{each}";{name};*' for name, ways in spelled.items() for each in ways
        ]
        (folder / f"{file}.csv").write_text("\n".join(lines) + "\n")


def _half(age: int) -> str:
    return "10-49" if age < MIDDLE else "50-89"
