"""Airflow's grid of a DAG, as a browser shows it."""

import re
from pathlib import Path

from tests.real.services import Airflow

BROWSER = "/usr/bin/chromium"
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
GRID_WIDTH = 620


def take_picture(airflow: Airflow, dag_id: str, picture: Path) -> tuple[str, set[str]]:
    """Take a picture of the grid, wide enough for the runs that it shows.

    Returns
    -------
    tuple of str and set of str
        The text of the page, and the addresses of the runs that it shows.
    """
    # Not there in an environment that only `make test` was run in.
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=BROWSER, args=FLAGS)
        try:
            page = browser.new_page(viewport={"width": 1280, "height": 720})
            page.goto(f"{airflow.address}/auth/token/login?next=/dags/{dag_id}")
            page.get_by_text(re.compile("^publish$")).first.wait_for(timeout=60_000)
            divider = page.locator("[role=separator]").first.bounding_box()
            assert divider is not None
            page.mouse.move(divider["x"] + 1, 600)
            page.mouse.down()
            page.mouse.move(GRID_WIDTH, 600, steps=5)
            page.mouse.up()
            page.wait_for_load_state("networkidle")
            # The charts grow for a moment.
            page.wait_for_timeout(2000)
            page.screenshot(path=str(picture))
            links = page.locator("a[href*='/runs/']").evaluate_all(
                "found => found.map(each => decodeURIComponent(each.pathname))"
            )
            return page.inner_text("body"), {link.rstrip("/") for link in links}
        finally:
            browser.close()
