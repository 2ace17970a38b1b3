/** Closes a connection whose client may still be sending. */
import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";

/** How long incoming data is read and discarded. */
const LINGER_MS = 2000;

/**
 * Sends the rest and closes once the request has arrived completely, or after a moment. Closing immediately would
 * reset the connection while the client is sending, and the client could lose the response.
 */
export function endThenDestroy(socket: Socket, request?: IncomingMessage): void {
  socket.end();
  const timer = setTimeout(() => socket.destroy(), LINGER_MS).unref();
  socket.once("close", () => clearTimeout(timer));
  request?.once("end", () => socket.destroy());
  request?.resume();
}
