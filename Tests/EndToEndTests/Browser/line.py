"""A line between a browser and a page, which the test cuts and mends."""

import socket
import threading
from contextlib import suppress
from urllib.parse import urlsplit


class Line:
    """Hands all bytes on, in both directions."""

    def __init__(self, address):
        page = urlsplit(address)
        self._page = (page.hostname, page.port)
        self._ends = []
        self._is_cut = False
        self._server = socket.create_server(("127.0.0.1", 0))
        self.address = f"http://127.0.0.1:{self._server.getsockname()[1]}"
        threading.Thread(target=self._accept, daemon=True).start()

    def cut(self):
        """Ends every connection, and each that comes from now on."""
        self._is_cut = True
        for end in self._ends:
            hang_up(end)

    def mend(self):
        self._is_cut = False

    def _accept(self):
        while True:
            browser, _ = self._server.accept()
            threading.Thread(target=self._connect, args=(browser,), daemon=True).start()

    def _connect(self, browser):
        with browser, suppress(OSError), socket.create_connection(self._page) as page:
            self._ends += [browser, page]
            if self._is_cut:
                return
            back = threading.Thread(target=hand_on, args=(page, browser), daemon=True)
            back.start()
            hand_on(browser, page)
            back.join()


def hand_on(source, target):
    """Until one of both hangs up."""
    with suppress(OSError):
        while data := source.recv(65_536):
            target.sendall(data)
    hang_up(source)
    hang_up(target)


def hang_up(end):
    with suppress(OSError):
        end.shutdown(socket.SHUT_RDWR)
