"""A page for one person on this machine: served on loopback, at a random port, to whoever knows the token.

The token is in the address that is printed. A request needs it, and must name this server as its host, so that neither
another user's guess nor a page from elsewhere that a browser has open gets an answer. Nothing is written by it.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Callable
from hmac import compare_digest
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Lock
from typing import Any
from urllib.parse import parse_qs, urlsplit

from offsetproof.explore.answers import Question, Worlds
from offsetproof.explore.walking import CannotBeDoneError
from offsetproof.reading.files import UnreadableFileError
from offsetproof.reading.typed_json import read_json

LOOPBACK = "127.0.0.1"
TOKEN_HEADER = "X-Offsetproof-Token"  # the name of a header, not a token
BODY_MAX = 1 << 20
"""A question with more bytes is refused."""

_SECONDS_TO_ASK = 10
"""A connection on which nothing is asked for so long is closed."""


class PageServer(ThreadingHTTPServer):
    """Serves the worlds of one model; `page` makes the page from its data.

    Questions are answered one after the other, as a model's components are one set of objects.
    """

    daemon_threads = True

    def __init__(self, worlds: Worlds, page: Callable[[dict[str, Any]], str], port: int = 0) -> None:
        super().__init__((LOOPBACK, port), _Handler)
        self.worlds, self.page = worlds, page
        self.token = secrets.token_urlsafe(24)
        self.answering = Lock()

    @property
    def hosts(self) -> frozenset[str]:
        """What a request may call this server."""
        return frozenset(f"{name}:{self.server_port}" for name in (LOOPBACK, "localhost"))

    @property
    def address(self) -> str:
        """Where a browser finds the page."""
        return f"http://{LOOPBACK}:{self.server_port}/?token={self.token}"

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A browser that has gone away is not an error of the program's."""


class _Handler(BaseHTTPRequestHandler):
    server: PageServer
    timeout = _SECONDS_TO_ASK
    server_version, sys_version = "offsetproof", ""

    def do_GET(self) -> None:
        asked = urlsplit(self.path)
        given = parse_qs(asked.query).get("token", [""])[0]
        if not self._may_ask(given):
            return
        if asked.path != "/":
            self._refuse(HTTPStatus.NOT_FOUND, "there is one page here: /")
            return
        with self.server.answering:
            data = {**self.server.worlds.page(), "token": self.server.token}
        self._send(HTTPStatus.OK, "text/html; charset=utf-8", self.server.page(data).encode())

    def do_POST(self) -> None:
        if not self._may_ask(self.headers.get(TOKEN_HEADER, "")):
            return
        try:
            question = self._question()
            with self.server.answering:
                answer = self.server.worlds.answer(urlsplit(self.path).path.removeprefix("/"), question)
        except CannotBeDoneError as error:
            self._refuse(HTTPStatus.BAD_REQUEST, str(error))
        except Exception as error:  # whatever a model's code raises: the page says it, the server goes on
            self._refuse(HTTPStatus.INTERNAL_SERVER_ERROR, f"{error} ({type(error).__name__})")
        else:
            self._send(HTTPStatus.OK, "application/json", json.dumps(answer).encode())

    def _may_ask(self, token: str) -> bool:
        """Does who asks know the token, and does it come from this server's own page? It is told if not."""
        origin = self.headers.get("Origin")
        if self.headers.get("Host", "") not in self.server.hosts:
            self._refuse(HTTPStatus.FORBIDDEN, "another host was asked for than this one; use the address as printed")
        elif origin is not None and origin not in {f"http://{host}" for host in self.server.hosts}:
            self._refuse(HTTPStatus.FORBIDDEN, "another page asks; use the address as printed")
        elif not compare_digest(token.encode(), self.server.token.encode()):
            self._refuse(HTTPStatus.FORBIDDEN, "the token is not this run's; use the address as printed")
        else:
            return True
        return False

    def _question(self) -> Question:
        length = self.headers.get("Content-Length", "")
        if not length.isascii() or not length.isdigit() or len(length) > len(str(BODY_MAX)) or int(length) > BODY_MAX:
            raise CannotBeDoneError(f"a question has up to {BODY_MAX} bytes, and says how many")
        try:
            text = self.rfile.read(int(length)).decode()
            return read_json(text, Question, "the question", "ask as the page does")
        except (UnreadableFileError, UnicodeDecodeError) as error:
            raise CannotBeDoneError(str(error)) from error

    def _refuse(self, status: HTTPStatus, why: str) -> None:
        self._send(status, "application/json", json.dumps({"refused": why}).encode())

    def _send(self, status: HTTPStatus, kind: str, body: bytes) -> None:
        self.send_response(status)
        for name, value in (
            ("Content-Type", kind),
            ("Content-Length", str(len(body))),
            ("Cache-Control", "no-store"),
            ("X-Content-Type-Options", "nosniff"),
            ("Referrer-Policy", "no-referrer"),
            ("X-Frame-Options", "DENY"),
        ):
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_given: object) -> None:
        """Says nothing: the terminal is the user's."""
