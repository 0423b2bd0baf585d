import type { Socket } from 'node:net';
import { yieldToEventLoop } from '../../core/yield-to-event-loop.js';

/**
 * Read at a time, in bytes. Chosen: a server makes thousands of chunks, interim answers or trailers of one piece of
 * 64 KiB, each of which costs undici microseconds; of this one, hundreds.
 */
const PIECE_BYTES = 4 * 1024;

/**
 * Has a socket read by turns, a little at a time, whoever else is served between: how long a server's bytes take to
 * read is its own choice. What is not read waits in the socket, and its sender with it. From now on the reader, who
 * listens to `readable` and calls `read()`, finds nothing until it is this socket's turn.
 */
export function readByTurns(socket: Socket): void {
  const read = socket.read.bind(socket);
  let isDue = false;
  let isTurn = false;
  const turn = (): void => {
    isDue = false;
    if (socket.destroyed) return;
    isTurn = true;
    socket.emit('readable');
    isTurn = false;
  };
  socket.read = (size?: number): unknown => {
    // With a size it is the stream itself, which wants to be filled.
    if (size !== undefined) return read(size);
    if (isTurn) {
      isTurn = false;
      // Where there is nothing, the stream is to know that somebody waits for more, or tell its end.
      return socket.readableLength > PIECE_BYTES ? read(PIECE_BYTES) : read();
    }
    if (!isDue) {
      isDue = true;
      void yieldToEventLoop().then(turn);
    }
    return null;
  };
}
