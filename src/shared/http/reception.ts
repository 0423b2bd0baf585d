import type { Server, Socket } from 'node:net';

/** Connections that are read for the first time in one turn of the event loop: some milliseconds of work. */
const PER_TURN = 32;

/**
 * Gives connections that are accepted, and not read yet, to the server that reads them: some in each turn of the event
 * loop, at once where no more have come. Of those that wait every other is the newest: whoever comes alone behind
 * thousands is read in the next turn, and the oldest have their turn all the same.
 */
export class Reception {
  /** In the order they came, from `first` on. */
  private waiting: (Socket | undefined)[] = [];
  private first = 0;
  private read = 0;
  private isCounting = false;
  private isNewestNext = true;

  /** @param server gets each connection, which flows then */
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
    // Its place is kept until all are gone, the connection is not.
    this.waiting[this.first++] = undefined;
    return oldest;
  }

  private give(socket: Socket): void {
    this.server.emit('connection', socket);
    socket.resume();
  }
}
