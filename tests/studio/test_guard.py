"""Who may ask for a page, and what every answer carries."""

import pytest
from starlette.responses import PlainTextResponse
from starlette.routing import Route
from starlette.testclient import TestClient

from anon_transformers.studio._guard import HEADERS, POLICY
from anon_transformers.studio._page import Page, action
from anon_transformers.studio._server import Quiet

NOTHING = "default-src 'none'"


@pytest.fixture
def stranger(studio):
    """A client that has neither the cookie nor an origin."""
    studio.client.cookies.clear()
    del studio.client.headers["origin"]
    return studio.client


def test_the_token_becomes_a_strict_cookie_and_leaves_the_address(studio, stranger):
    answer = stranger.get(f"/?token={studio.token}", follow_redirects=False)
    assert answer.status_code == 303
    assert answer.headers["location"] == "/"
    cookie = answer.headers["set-cookie"].lower()
    assert cookie.startswith(f"anon-studio-{studio.port}=")
    assert "httponly" in cookie
    assert "samesite=strict" in cookie
    assert "path=/" in cookie


def test_nothing_is_shown_without_the_token(stranger):
    for address in ("/", "/projects/", "/static/studio.css", "/p/x/data/", "/nowhere"):
        answer = stranger.get(address, follow_redirects=False)
        assert answer.status_code == 403
        assert "it carries a token" in answer.text


@pytest.mark.parametrize("token", ["", "wrong", "ä"])
def test_another_token_is_refused(stranger, token):
    answer = stranger.get("/", params={"token": token}, follow_redirects=False)
    assert answer.status_code == 403
    assert "set-cookie" not in answer.headers


def test_the_cookie_of_another_port_is_refused(studio, stranger):
    name = f"anon-studio-{studio.port + 1}"
    cookie = {"cookie": f"{name}={studio.token}"}
    assert stranger.get("/projects/", headers=cookie).status_code == 403


@pytest.mark.parametrize(
    "host",
    [
        "evil.example", "evil.example:8123", "127.0.0.1", "127.0.0.1:8124",
        "0.0.0.0:8123", "127.0.0.1:8123.evil.example", "",
    ],
)  # fmt: skip
def test_a_foreign_host_is_refused_even_with_the_cookie(studio, host):
    answer = studio.get("/projects/", headers={"host": host})
    assert answer.status_code == 421
    assert "not one of Studio's" in answer.text


def test_localhost_is_one_of_ours(studio):
    cookie = {"cookie": f"anon-studio-{studio.port}={studio.token}"}
    host = {"host": f"localhost:{studio.port}", **cookie}
    assert studio.get("/projects/", headers=host).status_code == 200


def _sent(client, headers):
    return client.post(
        "/projects/open", data={}, headers=headers, follow_redirects=False
    )


def test_a_form_of_our_own_is_accepted(studio):
    own = {"origin": studio.base}
    del studio.client.headers["origin"]
    assert _sent(studio.client, own).status_code == 303
    assert _sent(studio.client, {"sec-fetch-site": "same-origin"}).status_code == 303
    both = {**own, "sec-fetch-site": "same-origin"}
    assert _sent(studio.client, both).status_code == 303


@pytest.mark.parametrize(
    "headers",
    [
        pytest.param({}, id="neither"),
        pytest.param({"origin": "http://evil.example"}, id="foreign-origin"),
        pytest.param({"origin": "null"}, id="null-origin"),
        pytest.param({"origin": "https://127.0.0.1:8123"}, id="other-scheme"),
        pytest.param({"origin": "http://localhost:8123"}, id="other-name-than-host"),
        pytest.param({"origin": "http://127.0.0.1:9999"}, id="other-port"),
        pytest.param({"sec-fetch-site": "cross-site"}, id="cross-site"),
        pytest.param({"sec-fetch-site": "same-site"}, id="same-site"),
        pytest.param({"sec-fetch-site": "none"}, id="typed"),
        pytest.param(
            {"origin": "http://127.0.0.1:8123", "sec-fetch-site": "cross-site"},
            id="own-origin-cross-site",
        ),
        pytest.param(
            {"origin": "http://evil.example", "sec-fetch-site": "same-origin"},
            id="foreign-origin-same-site",
        ),
    ],
)
@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH"])
def test_a_form_of_others_changes_nothing(studio, headers, method):
    del studio.client.headers["origin"]
    answer = studio.client.request(
        method, "/projects/adult", headers=headers, follow_redirects=False
    )
    assert answer.status_code == 403
    assert "only Studio's own pages" in answer.text
    assert not studio.studio.shelf.projects()


@pytest.mark.parametrize("site", ["same-site", "cross-site"])
@pytest.mark.parametrize("method", ["GET", "HEAD"])
def test_no_page_of_others_loads_parts_of_ours(studio, site, method):
    """A page of another port has the cookie with it: ports are of one site."""
    headers = {"sec-fetch-site": site, "sec-fetch-mode": "no-cors"}
    answer = studio.client.request(method, "/projects/", headers=headers)
    assert answer.status_code == 403
    # A link is followed, and shows its page to nobody but the person.
    headers["sec-fetch-mode"] = "navigate"
    answer = studio.client.request(method, "/projects/", headers=headers)
    assert answer.status_code == 200


def test_two_origins_are_none(studio):
    del studio.client.headers["origin"]
    both = [("origin", studio.base), ("origin", "http://evil.example")]
    answer = studio.client.post("/projects/adult", headers=both, follow_redirects=False)
    assert answer.status_code == 403


def test_a_token_in_the_address_is_no_pass_for_a_form(studio, stranger):
    own = {"origin": studio.base}
    address = f"/projects/adult?token={studio.token}"
    answer = stranger.post(address, headers=own, follow_redirects=False)
    assert answer.status_code == 403
    assert not studio.studio.shelf.projects()


LARGEST = 20_000


def test_an_upload_that_is_too_large_leaves_nothing(small_studio):
    page = small_studio.post(
        "/projects/upload", files={"file": ("a.csv", b"a\n" * LARGEST)}
    )
    assert page.status_code == 413
    assert "open a larger table by its path" in page.text
    assert not small_studio.studio.shelf.projects()


def test_a_body_that_does_not_say_its_length_is_cut_off(small_studio):
    def chunks():
        head = b'--x\r\ncontent-disposition: form-data; name="file"; filename="a.csv"'
        yield head + b"\r\n\r\n"
        for _ in range(5):
            yield b"a\n" * LARGEST
        yield b"\r\n--x--\r\n"

    kind = {"content-type": "multipart/form-data; boundary=x"}
    answer = small_studio.client.post(
        "/projects/upload", content=chunks(), headers=kind, follow_redirects=False
    )
    assert answer.status_code == 413
    assert not small_studio.studio.shelf.projects()
    assert not [path for path in small_studio.home.glob("*") if path.is_dir()]


def test_a_length_that_is_no_number_is_refused(studio):
    for length in ("-1", "1e9", "x"):
        answer = studio.get("/projects/", headers={"content-length": length})
        assert answer.status_code == 413


def test_every_answer_carries_the_policy(studio):
    refused = studio.client.post(
        "/projects/adult", headers={"origin": "http://e.example"}
    )
    host = studio.get("/projects/", headers={"host": "e.example"})
    job = studio.post("/jobs/x/cancel")
    answers = [
        studio.get("/projects/"),
        studio.get("/static/studio.js"),
        studio.get("/static/nothing.js"),
        studio.get("/nowhere"),
        studio.get("/p/none/data/"),
        studio.get("/jobs/none"),
        studio.client.get("/", follow_redirects=False),
        studio.client.put("/projects/adult"),
        refused,
        host,
        job,
    ]
    codes = {answer.status_code for answer in answers}
    assert {200, 303, 403, 404, 405, 421} <= codes
    for answer in answers:
        for name, value in HEADERS.items():
            assert answer.headers[name] == value, (answer.url, name)
        assert answer.headers["content-security-policy"].startswith(NOTHING)
    assert "unsafe-inline" not in POLICY.replace("style-src-attr 'unsafe-inline'", "")


def _raise(request, *form):
    raise ValueError("the cell of Jane Doe")


@pytest.fixture
def faulty(faulty_room):
    """A Studio with a page that fails, whose client does not raise what it raises."""
    faulty_room.client._transport.raise_server_exceptions = False
    return faulty_room


def test_a_page_that_fails_says_its_type_and_no_more(faulty):
    answer = faulty.get("/broken/")
    assert answer.status_code == 500
    assert "ValueError" in answer.text
    assert "Jane" not in answer.text
    assert answer.headers["content-security-policy"] == POLICY


def test_the_log_has_the_type_of_a_failure_and_no_word_of_it(faulty, caplog):
    with TestClient(Quiet(faulty.client.app), base_url=faulty.base) as client:
        client.get(f"/?token={faulty.token}")
        assert client.get("/broken/").status_code == 500
    (record,) = caplog.records
    assert "ValueError in _raise" in record.getMessage()
    assert "Jane" not in caplog.text


def test_a_form_that_fails_says_its_type_and_no_more(faulty):
    page = faulty.post("/broken/form", came_from="/fine/")
    assert page.status_code == 200
    assert page.url.path == "/fine/"
    assert faulty.studio.take_notices() == [("error", "this failed with ValueError.")]


def test_no_page_of_others_is_where_a_form_leads(faulty):
    headers = {"referer": "http://evil.example/fine/"}
    page = faulty.client.post("/broken/form", headers=headers, follow_redirects=False)
    assert page.headers["location"] == "/"


PAGES = (
    Page(
        "broken",
        "Broken",
        "Fails.",
        (Route("/", _raise), Route("/form", action(_raise), methods=["POST"])),
        of_project=False,
    ),
    Page(
        "fine",
        "Fine",
        "Answers.",
        (Route("/", lambda request: PlainTextResponse("fine")),),
        of_project=False,
    ),
    Page(
        "projects",
        "Home",
        "Answers.",
        (Route("/", lambda request: PlainTextResponse("home")),),
        of_project=False,
    ),
)


@pytest.fixture
def faulty_room(make_studio):
    return make_studio(pages=PAGES)


@pytest.fixture
def small_studio(make_studio):
    return make_studio(largest=LARGEST)
