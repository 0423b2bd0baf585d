import type { Server, Socket } from 'node:net';

/** Connections that are read for the first time in one turn of the event loop: some milliseconds of work. */
const PER_TURN = 32;

/**
 * Passes accepted but unread connections to the server that reads them: some in each turn of the event loop,
 * immediately where no more have arrived. Every other one is taken from the newest, so that a single client behind
 * thousands is read in the next turn, while the oldest also make progress.
 */
export class ConnectionQueue {
  /** Sockets in order of arrival, from `first` on. */
  private waiting: (Socket | undefined)[] = [];
  private first = 0;
  private read = 0;
  private isCounting = false;
  private isNewestNext = true;

  /** @param server receives each connection, which then flows */
  constructor(private readonly server: Pick<Server, 'emit'>) {}

  /** @param socket paused since it was accepted (`pauseOnConnect`) */
  add(socket: Socket): void {
    if (!this.isCounting) {
      this.isCounting = true;
      setImmediate(this.nextTurn);
    }
    if (this.read < PER_TURN && this.waiting.length === 0) {
      this.read++;
      this.give(socket);
    } else this.waiting.push(socket);
  }

  private readonly nextTurn = (): void => {
    for (this.read = 0; this.read < PER_TURN && this.waiting.length > this.first; this.read++) this.give(this.take());
    if (this.waiting.length === this.first) {
      this.waiting = [];
      this.first = 0;
    }
    this.isCounting = this.read > 0;
    if (this.isCounting) setImmediate(this.nextTurn);
  };

  private take(): Socket {
    const isNewest = this.isNewestNext;
    this.isNewestNext = !isNewest;
    if (isNewest) return this.waiting.pop()!;
    const oldest = this.waiting[this.first]!;
    // The slot is kept until the queue is empty, the connection is not.
    this.waiting[this.first++] = undefined;
    return oldest;
  }

  private give(socket: Socket): void {
    this.server.emit('connection', socket);
    socket.resume();
  }
}
