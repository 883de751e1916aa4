"""The explorer's server: who may ask it, what it answers, and how it ends."""

from __future__ import annotations

import http.client
import json
import re
import signal
import socket
import subprocess
from collections.abc import Iterator
from threading import Thread
from typing import Any

import pytest
from cli.program import PROGRAM
from explore.test_walking import walker_of

from offsetproof.explore.answers import Worlds
from offsetproof.explore.server import BODY_MAX, LOOPBACK, TOKEN_HEADER, PageServer
from offsetproof.explore.walking import Walker
from offsetproof.lang.errors import ModelError
from offsetproof.reports.html.pages import explorer_page
from offsetproof.traces.store import read_record
from offsetproof.traces.trace import Trace


def no_world(_trace: Trace) -> Walker:
    raise AssertionError("a toy has no story")


@pytest.fixture
def server() -> Iterator[PageServer]:
    with PageServer(Worlds(walker_of("Slips"), no_world), explorer_page) as running:
        thread = Thread(target=running.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield running
        running.shutdown()
        thread.join()


def asked(server: PageServer, method: str, path: str, body: Any = None, **headers: str) -> tuple[int, str]:
    """The status and the body of an answer, asked as the page asks but for what is given."""
    connection = http.client.HTTPConnection(LOOPBACK, server.server_port, timeout=10)
    data = body if isinstance(body, bytes) else b"" if body is None else json.dumps(body).encode()
    given = {TOKEN_HEADER: server.token, **{name.replace("_", "-"): value for name, value in headers.items()}}
    connection.request(method, path, data, given)
    answer = connection.getresponse()
    found = answer.status, answer.read().decode()
    assert answer.headers["Cache-Control"] == "no-store"
    assert answer.headers["Referrer-Policy"] == "no-referrer"
    connection.close()
    return found


def refusal(server: PageServer, method: str, path: str, body: Any = None, **headers: str) -> tuple[int, str]:
    status, text = asked(server, method, path, body, **headers)
    return status, json.loads(text)["refused"]


def test_page_and_answers_are_for_who_knows_the_token(server: PageServer) -> None:
    status, page = asked(server, "GET", f"/?token={server.token}")
    assert status == 200
    assert server.token in page
    assert "connect-src &#39;self&#39;" in page
    status, text = asked(server, "POST", "/moment", {"steps": ["walks"]})
    assert (status, json.loads(text)["values"]["place"]) == (200, "1")
    there = json.loads(asked(server, "POST", "/moment", {"steps": ["walks", "walks"], "at": 1})[1])
    assert (there["values"], len(there["steps"])) == (json.loads(text)["values"], 2)


@pytest.mark.parametrize(
    ("method", "path", "headers", "why"),
    [
        ("GET", "/", {}, "the token"),
        ("GET", "/?token=", {}, "the token"),
        ("GET", "/?token=%C3%A9", {}, "the token"),
        ("POST", "/moment", {TOKEN_HEADER: "guessed"}, "the token"),
        ("POST", "/moment", {"Host": "evil.example"}, "another host"),
        ("POST", "/moment", {"Host": ""}, "another host"),
        ("POST", "/moment", {"Origin": "http://evil.example"}, "another page"),
        ("POST", "/moment", {"Origin": "null"}, "another page"),
    ],
)
def test_others_are_refused(server: PageServer, method: str, path: str, headers: dict[str, str], why: str) -> None:
    status, text = refusal(server, method, path, {"steps": []} if method == "POST" else None, **headers)
    assert status == 403
    assert why in text
    assert "place" not in text


def test_right_token_does_not_help_another_host(server: PageServer) -> None:
    assert refusal(server, "GET", f"/?token={server.token}", Host=f"rebound.example:{server.server_port}")[0] == 403
    assert asked(server, "GET", f"/?token={server.token}", Host=f"localhost:{server.server_port}")[0] == 200
    assert asked(server, "POST", "/moment", {}, Origin=f"http://{LOOPBACK}:{server.server_port}")[0] == 200


@pytest.mark.parametrize(
    ("path", "body", "why"),
    [
        ("/moment", b"{", "the question: line 1, column 2: is not JSON"),
        ("/moment", b"\xff", "can't decode byte 0xff"),
        ("/moment", b"[" * 100_000, "the question: the document: is nested too deeply"),
        ("/moment", [1], "the question: the document: Expected `object`, got `array`; ask as the page does"),
        ("/moment", {"steps": "walks"}, "steps: Expected `array`, got `str`"),
        ("/moment", {"steps": [1]}, "steps[0]: Expected `str`, got `int`"),
        ("/moment", {"begins": True}, "begins: Expected `int`, got `bool`"),
        ("/moment", {"steps": ["walks"], "at": 2}, "the walk has the steps 0 to 1"),
        ("/moment", {"steps": ["walks"], "at": -1}, "the walk has the steps 0 to 1"),
        ("/moment", {"steps": ["walks"], "at": True}, "at: Expected `int`, got `bool`"),
        ("/moment", {"steps": ["flies"]}, "the model has no action flies"),
        ("/moment", {"world": "I5"}, "no story of Slips is called 'I5'"),
        ("/moment", {"world": ["I5"]}, "world: Expected `str`, got `array`"),
        ("/secrets", {}, "no such question: secrets"),
    ],
)
def test_question_that_is_none_is_refused_in_words_and_the_server_goes_on(
    server: PageServer, path: str, body: Any, why: str
) -> None:
    status, text = refusal(server, "POST", path, body)
    assert status == 400
    assert why in text
    assert asked(server, "POST", "/moment", {})[0] == 200


def test_question_that_is_too_long_or_has_no_length_is_refused_unread(server: PageServer) -> None:
    for length in (str(BODY_MAX + 1), "-1", "9" * 5000, "two"):
        assert refusal(server, "POST", "/moment", b"", Content_Length=length)[0] in (400, 500), length
    with socket.create_connection((LOOPBACK, server.server_port), timeout=5) as silent:
        silent.sendall(b"POST /moment HTTP/1.1\r\n")
        assert asked(server, "POST", "/moment", {})[0] == 200  # who says nothing keeps nobody waiting


def test_model_that_goes_wrong_is_told(server: PageServer, monkeypatch: pytest.MonkeyPatch) -> None:
    def goes_wrong(*_given: object) -> None:
        raise ModelError("walks", "it fell")

    monkeypatch.setattr(Walker, "moment", goes_wrong)
    status, text = refusal(server, "POST", "/moment", {})
    assert status == 500
    assert "it fell" in text


def test_walk_is_saved_and_the_graph_has_every_state(server: PageServer) -> None:
    _, text = asked(server, "POST", "/trace", {"steps": ["walks", "walks"]})
    assert read_record(text).trace.length == 2
    graph = json.loads(asked(server, "POST", "/graph", {})[1])
    assert (len(graph["nodes"]), len(graph["edges"])) == (12, 14)
    assert graph["nodes"][0]["depth"] == 0
    assert graph["edges"][0] == [0, 1, "walks"]


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_signal_ends_it_and_its_port_is_free_again(number: signal.Signals, code: int) -> None:
    started = subprocess.Popen(
        [PROGRAM, "explore", "toys:Slips"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert started.stdout is not None
    line = started.stdout.readline()
    found = re.fullmatch(
        r"for a browser on this machine, until Ctrl-C: http://127\.0\.0\.1:(\d+)/\?token=\S{32}\n", line
    )
    assert found is not None, line
    port = int(found[1])
    with socket.create_connection((LOOPBACK, port), timeout=5):
        started.send_signal(number)
        rest = started.communicate(timeout=20)
    assert (started.returncode, rest) == (code, ("", ""))
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection((LOOPBACK, port), timeout=5)
