"""Reads as many live streams as so many browsers would: streams.py ADDRESS DEPARTMENT COUNT, until its stdin ends.

Prints `{"ready": true}` when each has had its first picture, and at the end `{"streams", "megabytes"}`: those that were
still open, and how much has come in all."""

import asyncio
import json
import sys

PATIENCE = 60  # seconds
PORTION = 1 << 16  # bytes


class Streams:
    """All of them."""

    def __init__(self, address: str, department: str) -> None:
        self.host = address.removeprefix("http://")
        self.request = (
            f"GET /api/live?department={department} HTTP/1.1\r\nHost: {self.host}\r\nSec-Fetch-Site: same-origin\r\n"
            "Accept: text/event-stream\r\n\r\n").encode()
        self.open, self.bytes = 0, 0

    async def read(self, began: asyncio.Event) -> None:
        """One stream, as long as it lasts."""
        name, port = self.host.rsplit(":", 1)
        reader, writer = await asyncio.open_connection(name, int(port))
        writer.write(self.request)
        self.open += 1
        seen = b""
        while portion := await reader.read(PORTION):
            self.bytes += len(portion)
            if not began.is_set():
                seen += portion
                if b"event: picture" in seen:
                    began.set()
        self.open -= 1


async def main(address: str, department: str, count: str) -> None:
    streams = Streams(address, department)
    begins = [asyncio.Event() for _ in range(int(count))]
    readers = [asyncio.create_task(streams.read(began)) for began in begins]
    await asyncio.wait_for(asyncio.gather(*(began.wait() for began in begins)), PATIENCE)
    print(json.dumps({"ready": True}), flush=True)
    await asyncio.to_thread(sys.stdin.read)
    print(json.dumps({"streams": streams.open, "megabytes": streams.bytes / 1e6}), flush=True)
    for reader in readers:
        reader.cancel()


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
