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


def take_picture(airflow: Airflow, dag_id: str, picture: Path) -> str:
    """Take a picture of the grid; the text of the page."""
    # Not there in an environment that only `make test` was run in.
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=BROWSER, args=FLAGS)
        try:
            page = browser.new_page(viewport={"width": 1280, "height": 720})
            page.goto(f"{airflow.address}/auth/token/login?next=/dags/{dag_id}")
            # Eleven bars of runs and one that is shorter or red, once all are there.
            page.get_by_text(re.compile("^publish$")).first.wait_for(timeout=60_000)
            page.wait_for_load_state("networkidle")
            page.screenshot(path=str(picture))
            return page.inner_text("body")
        finally:
            browser.close()
