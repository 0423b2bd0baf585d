import type { Socket } from 'node:net';
import { yieldToEventLoop } from '../../../core/yield-to-event-loop.js';

/**
 * Bytes read at a time. Chosen: a server makes thousands of chunks, interim answers or trailers of one piece of 64 KiB,
 * each of which costs undici microseconds; of this one, hundreds.
 */
const PIECE_BYTES = 4 * 1024;

/**
 * Reads a socket in small slices, with other work in between: otherwise a server could choose how long its bytes take
 * to read. Unread bytes wait in the socket, and the sender with them. From now on the reader, who listens to `readable`
 * and calls `read()`, gets nothing until it is this socket's turn.
 */
export function readInSlices(socket: Socket): void {
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
    // A call with a size comes from the stream itself, to fill its buffer.
    if (size !== undefined) return read(size);
    if (isTurn) {
      isTurn = false;
      // An empty read makes the stream request more bytes, or emit its end.
      return socket.readableLength > PIECE_BYTES ? read(PIECE_BYTES) : read();
    }
    if (!isDue) {
      isDue = true;
      void yieldToEventLoop().then(turn);
    }
    return null;
  };
}
