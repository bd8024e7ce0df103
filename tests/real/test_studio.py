"""Studio as a person uses it: a browser, a table, every page, and what may go wrong."""

import json
import os
import random
import re
import signal
import subprocess
import time
from pathlib import Path

import httpx
import pytest

from tests.real.browser import (
    ANON,
    Server,
    Visit,
    running_browser,
    running_studio,
    visiting,
)

pytestmark = [pytest.mark.real, pytest.mark.slow]

HOSTILE = "<script>alert(1)</script>"
TOWNS = ("Ulm", "Bonn", "Trier", "Jena")
ILLNESSES = ("flu", "cold", "asthma", "gout", "anemia")
OF_PROJECT = (
    "Data",
    "Hierarchies",
    "Protect",
    "Explore",
    "Statistics",
    "Attack",
    "Compare",
    "Release",
)


def people(rows=200, column="town", towns=TOWNS):
    """Invented persons, as CSV."""
    drawn = random.Random(7)
    lines = [f"name,age,sex,{column},illness"]
    for number in range(rows):
        age, sex = drawn.randint(18, 80), drawn.choice("fm")
        town, illness = drawn.choice(towns), drawn.choice(ILLNESSES)
        lines.append(f"Person {number:03},{age},{sex},{town},{illness}")
    return ("\n".join(lines) + "\n").encode()


@pytest.fixture(scope="module")
def browser():
    with running_browser() as running:
        yield running


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    with running_studio(tmp_path_factory.mktemp("studio") / "home") as running:
        yield running


@pytest.fixture
def visit(browser, server):
    """A person whose browser has nothing to complain of in the end."""
    with visiting(browser, server) as person:
        yield person
        assert not person.faults


def see_roles(page):
    """Wait until the page counts columns that tell persons apart."""
    page.locator("main > p .badge.role-quasi_identifiers").wait_for()


def take_proposals(visit):
    visit.press("Take all proposals")
    see_roles(visit.page)


def run_protect(visit):
    visit.go("Protect")
    visit.press("Run")
    visit.page.get_by_role("heading", name="Result", exact=True).wait_for()


# ---- from a table to a release -------------------------------------------------------


def walk(visit: Visit):
    """Through all pages, doing on each what it is for; what each page is like."""
    seen = {}

    def look(name):
        seen[name] = visit.facts()

    visit.page.goto(f"{visit.server.address}/projects/")
    look("Projects")
    visit.upload("people.csv", people())
    look("Data, without roles")
    take_proposals(visit)
    look("Data")
    visit.go("Hierarchies")
    visit.press("Suggest hierarchies")
    visit.sees("of loss at k = 5")
    visit.page.get_by_role("link", name="age", exact=True).click()
    visit.page.get_by_role("heading", name="age", exact=True).wait_for()
    look("Hierarchies")
    run_protect(visit)
    visit.sees("Every threshold holds")
    look("Protect")
    visit.go("Explore")
    visit.press("Make this release by full-domain")
    visit.press("Look at every node")
    visit.sees("nodes keep every promise")
    visit.press("Draw the curve")
    visit.page.locator("#curve ~ figure").wait_for()
    look("Explore")
    visit.page.locator(".lattice a[href*='node=0,0,0']").click()
    visit.sees("Does not keep the promises")
    look("Explore, a node")
    visit.press("Undo")
    visit.sees("which does not choose among levels")
    visit.go("Statistics")
    visit.press("Take statistics")
    visit.page.get_by_role("heading", name="Classes and risk").wait_for()
    look("Statistics")
    visit.go("Attack")
    visit.press("Attack the table")
    visit.page.get_by_role("heading", name="What they get").wait_for()
    look("Attack")
    visit.go("Compare")
    visit.page.get_by_label("Values of k").fill("5, 10")
    visit.press("Compare")
    visit.page.get_by_role("heading", name="What each costs").wait_for()
    look("Compare")
    visit.go("Release")
    visit.press("Run the release")
    visit.sees("Published:")
    look("Release")
    visit.go("Learn")
    look("Learn")
    return seen


@pytest.fixture(scope="module")
def walked(browser, server):
    """What the pages were like, and what the browser complained of."""
    with visiting(browser, server) as person:
        seen = walk(person)
        return seen, person.faults, server.files[0]


def test_a_table_becomes_a_release_that_validates(walked):
    _, faults, file = walked
    assert not faults
    published = file.parent.parent / "published" / "people"
    judged = subprocess.run(
        [ANON, "validate", str(published), "--k", "5", "--json"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert judged.returncode == 0, judged.stdout + judged.stderr
    assert json.loads(judged.stdout)["passed"] is True
    assert "Person 0" not in "".join(
        path.read_text() for path in published.rglob("*") if path.is_file()
    )


def test_every_page_says_what_it_is_and_what_its_inputs_are(walked):
    seen, _, _ = walked
    assert set(seen) >= set(OF_PROJECT)
    for name, facts in seen.items():
        assert len(facts["heading"]) == 1, name
        for lacking in ("unlabelled", "nameless", "twice", "headless", "untold"):
            assert facts[lacking] == [], (name, lacking)
        assert facts["scripts"] == ["/static/studio.js"], name


def test_no_page_is_wider_than_a_telephone(walked):
    seen, _, _ = walked
    assert {
        name: facts["wider"] for name, facts in seen.items() if facts["wider"]
    } == {}


def test_roles_chosen_while_one_is_being_saved_all_stay(visit):
    visit.upload("people.csv", people())
    take_proposals(visit)
    held = []

    def hold_the_first(route):
        if held:
            route.continue_()
        held.append(route)

    visit.page.route("**/data/columns", hold_the_first)
    for column in ("age", "sex"):
        chosen = visit.page.get_by_label(f"Role of {column}", exact=True)
        chosen.select_option(label="insensitive")
    visit.page.wait_for_timeout(1000)  # the second may come first, if it was sent
    with visit.page.expect_response("**/data/columns"):
        held[0].continue_()
    visit.sees("insensitive: 2")
    visit.page.reload()
    visit.sees("insensitive: 2")


def test_what_is_wrong_with_a_column_makes_its_table_no_wider(visit):
    visit.upload("people.csv", people())
    take_proposals(visit)
    kind = visit.page.get_by_label("What cells of town are", exact=True)
    kind.select_option(label="number")
    visit.sees("that are no number")
    table = visit.page.locator("table.columns")
    wide = "one => one.scrollWidth - one.parentElement.clientWidth"
    assert table.evaluate(wide) <= 0


def test_a_method_is_learned_by_ten_rows(visit):
    visit.page.goto(f"{visit.server.address}/learn/")
    visit.page.get_by_role("link", name="mondrian", exact=True).click()
    visit.page.get_by_role("heading", name="A worked example").wait_for()
    visit.page.get_by_label("k", exact=True).fill("4")
    visit.press("Compute")
    visit.sees("the smallest of 5 rows")  # ten rows are cut into halves
    slider = visit.page.get_by_label("k, as a slider")
    slider.press("ArrowRight")
    visit.page.wait_for_url("**k=5")
    slider.press("Home")  # it has the focus still, and the number follows
    visit.page.wait_for_url("**k=1")
    assert visit.page.get_by_label("k", exact=True).input_value() == "1"
    check_facts(visit)


def check_facts(visit):
    facts = visit.facts()
    for lacking in ("unlabelled", "nameless", "twice", "untold", "wider"):
        assert facts[lacking] == [], lacking


def test_the_census_is_tested_in_one_click(visit):
    visit.page.goto(f"{visit.server.address}/projects/")
    visit.press("Open Adult")
    visit.page.get_by_role("link", name="Run tests", exact=True).click()
    visit.page.get_by_role("heading", name="Run tests", exact=True).wait_for()
    visit.press("Run all three")
    visit.page.get_by_role("heading", name="What they came to").wait_for()
    check_facts(visit)


def test_a_network_is_protected(visit):
    visit.page.goto(f"{visit.server.address}/projects/")
    visit.go("Graphs")
    visit.press("Open the karate club")
    visit.press("Protect")
    visit.page.get_by_role("heading", name="What an intruder finds").wait_for()
    visit.press("Try several k with k-degree")
    visit.page.locator("h2:has-text('What each k costs') ~ .figures").wait_for()
    check_facts(visit)


# ---- what may go wrong ---------------------------------------------------------------


def answer_late(route):
    time.sleep(1)
    route.continue_()


def test_a_running_job_is_cancelled(visit):
    visit.page.goto(f"{visit.server.address}/projects/")
    visit.press("Open Adult")
    visit.page.get_by_role("heading", name="Protect", exact=True).wait_for()
    visit.go("Compare")
    visit.page.get_by_label("Values of k").fill(", ".join(map(str, range(2, 60))))
    visit.press("Compare")
    visit.page.locator("progress[value]").wait_for()
    visit.page.route("**/cancel", answer_late)
    visit.press("Cancel")
    assert visit.page.get_by_role("button", name="Cancelling …").is_disabled()
    visit.sees("cancelled.")
    assert visit.page.get_by_role("heading", name="Compare", exact=True).count() == 1
    assert visit.page.get_by_role("heading", name="What each costs").count() == 0
    run_protect(visit)  # a new worker is there


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"name,age\nAda,36\nBob,41,Ulm,Bonn\n", "row 3"),
        (b"", "empty"),
        (b"\x89PNG\r\n\x1a\nAda", "a picture"),
    ],
    ids=["ragged", "empty", "picture"],
)
def test_a_file_that_is_no_table_says_why(visit, content, words):
    visit.send("broken.csv", content)
    said = visit.notices()
    assert words in said
    assert "Ada" not in said
    assert "Bob" not in said


def test_thresholds_that_nothing_reaches_are_refused_in_the_words_of_the_library(visit):
    visit.upload("few.csv", people(60))
    take_proposals(visit)
    visit.go("Protect")
    visit.page.locator("#t0-p-k, [id$='k'][type=number]").first.fill("500")
    visit.page.get_by_role("button", name="Save thresholds").click()
    visit.sees("500")
    visit.press("Run")
    visit.page.get_by_role("heading", name="No table was made").wait_for()
    said = visit.notices()
    command = [ANON, "release", str(visit.server.files[0])]
    refused = subprocess.run(command, capture_output=True, text=True, check=False)
    assert refused.returncode != 0
    words = " ".join(refused.stderr.split())
    assert " ".join(said.split()).rstrip(".") in words


def test_a_refused_run_is_explained_and_acknowledged_on_its_page(visit):
    visit.upload("refused.csv", people(60))
    take_proposals(visit)
    run_protect(visit)
    visit.go("Release")
    text = visit.page.get_by_label("YAML", exact=True)
    stated = text.input_value()
    lower = re.sub(r"(metric: loss\n +max:) \S+", r"\1 0.0001", stated)
    assert lower != stated
    text.fill(f"source: [{stated}")
    visit.press("Save and check")
    visit.sees("It was not saved")
    # The text that was refused is what the person sees, at the foot of the page.
    assert text.evaluate("one => one === document.activeElement")
    assert text.evaluate("one => one.getBoundingClientRect().top < innerHeight")
    text.fill(lower)
    visit.press("Save and check")
    visit.sees("In order")
    visit.press("Run the release")
    refused = visit.page.get_by_role("heading", name="Nothing was published")
    refused.wait_for()
    assert "above the max of 0.0001" in visit.page.inner_text("section ul")
    assert "anon abandon" not in visit.page.inner_text("main")
    check_facts(visit)
    visit.page.locator("form[action$='/acknowledge'] button").press("Enter")
    visit.sees("acknowledged.")
    assert refused.count() == 0
    visit.sees("quarantined")  # in the list of runs


def test_a_release_file_that_leads_elsewhere_asks_first(visit, tmp_path):
    table = tmp_path / "elsewhere" / "people.csv"
    table.parent.mkdir()
    table.write_bytes(people(60))
    file = tmp_path / "sent" / "releases" / "sent.yaml"
    file.parent.mkdir(parents=True)
    file.write_text(
        f"source: {{path: {table}}}\n"
        "roles: {quasi_identifiers: [age], identifiers: [name]}\n"
        "anonymizer: {name: mondrian}\n"
        "thresholds: [{model: k-anonymity, k: 2}]\n"
        "target: {path: ../published/sent}\n"
        "workspace: ../.anon\n"
    )
    visit.page.goto(f"{visit.server.address}/projects/")
    visit.page.get_by_label("Path of a table or of a release file").fill(str(file))
    visit.press("Open")
    visit.page.get_by_role("heading", name="Shall these folders be opened?").wait_for()
    assert "Person 0" not in visit.page.content()
    check_facts(visit)
    visit.press("Open it")
    visit.sees("Person 000")


def test_names_and_values_are_shown_and_never_run(visit):
    cell = f"{HOSTILE}\"'&"
    quoted = '"' + cell.replace('"', '""') + '"'
    towns = (quoted, f'"<img src=x onerror=alert(1)>{chr(10)}"', "Ulm")
    visit.upload(f'"{HOSTILE}.csv', people(120, quoted, towns))
    take_proposals(visit)
    texts = {"Data": visit.page.inner_text("main")}
    walked_pages = {
        "Hierarchies": None,
        "Protect": ("Run", "Result"),
        "Explore": None,
        "Statistics": ("Take statistics", "Classes and risk"),
        "Attack": ("Attack the table", "What they get"),
        "Compare": ("Compare", "What each costs"),
        "Release": ("Run the release", "Runs so far"),
    }
    for title, done in walked_pages.items():
        visit.go(title)
        if done:
            button, heading = done
            visit.press(button)
            visit.page.get_by_role("heading", name=heading, exact=True).wait_for()
        texts[title] = visit.page.inner_text("main")
        assert visit.facts()["scripts"] == ["/static/studio.js"], title
        assert visit.page.locator("img").count() == 0
    for title in ("Data", "Hierarchies", "Protect", "Statistics"):
        assert HOSTILE in texts[title], title


def test_a_page_says_that_studio_was_stopped(browser, tmp_path):
    server = Server(tmp_path / "home")
    with visiting(browser, server) as visit:
        assert server.end() == ("", "", [])
        visit.press("Open Adult")
        assert "Studio does not answer" in visit.notices()
        assert visit.page.get_by_role("heading", name="Projects").count() == 1


# ---- who may ask ---------------------------------------------------------------------


@pytest.fixture
def client(server):
    with httpx.Client(base_url=server.address, trust_env=False) as asking:
        yield asking


def enter(client, server):
    assert client.get(server.url).status_code == 303
    assert client.get("/projects/").status_code == 200


def test_without_the_token_nothing_is_shown(client, server):
    for path in ("/", "/projects/", "/static/studio.js", "/?token=", "/?token=wrong"):
        answer = client.get(path)
        assert answer.status_code == 403, path
        assert answer.text.startswith("Refused:")
    assert client.get(server.url.replace("token=", "token=a")).status_code == 403


def test_another_host_is_refused(client, server):
    enter(client, server)
    for host in ("example.org", "127.0.0.1", "localhost:1", "127.0.0.1.example.org"):
        answer = client.get("/projects/", headers={"host": host})
        assert answer.status_code == 421, host


def test_other_sites_change_nothing(client, server):
    enter(client, server)
    before = client.get("/projects/").text
    sent = {"file": ("foreign.csv", people(10))}
    for headers in (
        {},
        {"origin": "http://example.org"},
        {"origin": "null"},
        {"sec-fetch-site": "cross-site"},
        {"sec-fetch-site": "same-site", "origin": server.address},
        {"sec-fetch-site": "same-origin", "origin": "http://localhost:1"},
    ):
        answer = client.post("/projects/upload", files=sent, headers=headers)
        assert answer.status_code == 403, headers
    assert client.get("/projects/").text == before
    assert not list(server.home.glob("foreign*"))


def test_the_browser_is_led_in_by_a_private_page(browser, tmp_path):
    opener, noted = tmp_path / "opener", tmp_path / "noted"
    opener.write_text(f'#!/bin/sh\necho "$1" > {noted}\n')
    opener.chmod(0o700)
    command = [ANON, "studio", "--port", "0"]
    env = {**os.environ, "ANON_STUDIO_HOME": str(tmp_path / "home")}
    env["BROWSER"] = f"{opener} %s"
    with subprocess.Popen(command, env=env, stdout=subprocess.PIPE, text=True) as led:
        try:
            url = led.stdout.readline().strip()
            while not (noted.exists() and noted.read_text().strip()):
                time.sleep(0.1)
            given = noted.read_text().strip()
            assert "token" not in given
            door = Path(given.removeprefix("file://"))
            assert door.stat().st_mode & 0o077 == 0
            page = browser.new_page()
            page.goto(given)
            page.get_by_role("button", name="Open Adult").wait_for()
            assert page.url.startswith(url.partition("?")[0])
            assert "token" not in page.url
            page.close()
        finally:
            led.send_signal(signal.SIGINT)
            led.wait(60)
    assert not door.exists()


# ---- without a script, without a mouse -----------------------------------------------


def test_it_works_without_a_script(browser, server):
    with visiting(browser, server, java_script_enabled=False) as visit:
        visit.upload("plain.csv", people())
        take_proposals(visit)
        run_protect(visit)
        visit.sees("Every threshold holds")
        assert not visit.faults


def tab_to(page, selector, most=60):
    """Press Tab until something has the focus; it must be seen to have it."""
    for _ in range(most):
        page.keyboard.press("Tab")
        if page.evaluate(f"document.activeElement.matches({json.dumps(selector)})"):
            style = "getComputedStyle(document.activeElement).outlineStyle"
            assert page.evaluate(style) != "none", selector
            return
    raise AssertionError(f"Tab does not reach {selector}")


def test_it_works_without_a_mouse(visit, tmp_path):
    table = tmp_path / "by-keyboard.csv"
    table.write_bytes(people())
    page = visit.page
    page.goto(f"{visit.server.address}/projects/")
    tab_to(page, "#path")
    page.keyboard.type(str(table))
    page.keyboard.press("Enter")
    page.get_by_role("heading", name="Data", exact=True).wait_for()
    tab_to(page, "form[action$='/propose'] button")
    page.keyboard.press("Enter")
    see_roles(page)
    page.keyboard.press("Control+Home")
    tab_to(page, "nav a[href$='/protect/']", 200)
    page.keyboard.press("Enter")
    page.get_by_role("heading", name="Protect", exact=True).wait_for()
    tab_to(page, "form[action$='/run'] button")
    page.keyboard.press("Enter")
    page.get_by_role("heading", name="Result", exact=True).wait_for()


def test_keys_undo_and_redo(visit):
    visit.upload("keys.csv", people(60))
    take_proposals(visit)
    visit.page.keyboard.press("Control+z")
    visit.sees("Undone: ")
    visit.page.locator("main > p .badge.role-quasi_identifiers").wait_for(
        state="detached"
    )
    visit.page.keyboard.press("Control+Shift+z")
    visit.sees("Redone: ")
    see_roles(visit.page)
