"""WebSockets whose peer may leave, or send what it likes, at any moment."""

from __future__ import annotations

from uvicorn._types import ASGISendEvent
from uvicorn.protocols.utils import ClientDisconnected
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from websockets.frames import Frame


class LeftSocket(WebSocketsSansIOProtocol):
    """The library's own, which logs a fault of the app where a peer has left or broken the protocol."""

    async def send(self, message: ASGISendEvent) -> None:
        """Nobody hears it once the line is being closed, by whichever side; the app learns that at once."""
        await self.writable.wait()
        if self.close_sent or self.transport.is_closing():
            raise ClientDisconnected
        await super().send(message)

    def handle_text(self, event: Frame) -> None:
        """As bytes: whoever reads them answers what is no text."""
        self.handle_bytes(event)
