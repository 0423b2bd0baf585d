/** Names that are counted locally at one time; counts of further names are not sent. Chosen. */
const NAMES_MAX = 10_000;
/** Names sent at once, so that no batch keeps Redis busy. */
const SENT_MAX = 500;

/** Merges and sends counts of one kind. */
export interface CountSender<Count> {
  /** @param kept may be changed and returned */
  join(kept: Count, later: Count): Count;
  /** Adds it to the count in Redis. Rejects where that is not confirmed. */
  send(name: string, count: Count): Promise<unknown>;
}

/**
 * Counts made in this process while Redis did not answer, by name, until Redis has them. A count whose connection broke
 * before the answer is sent again: Redis may count it twice, but never misses it.
 */
export class UnsentCounts<Count> {
  private readonly unsent = new Map<string, Count>();
  private readonly sent = new Map<string, readonly Count[]>();
  private isSending = false;

  constructor(private readonly sender: CountSender<Count>) {}

  get isEmpty(): boolean {
    return this.unsent.size === 0 && this.sent.size === 0;
  }

  add(name: string, count: Count): void {
    const kept = this.unsent.get(name);
    if (kept !== undefined) this.unsent.set(name, this.sender.join(kept, count));
    else if (this.unsent.size < NAMES_MAX) this.unsent.set(name, count);
  }

  /** Counts of a name that Redis has not confirmed: those yet to be sent, and those under way. */
  of(name: string): readonly Count[] {
    if (this.isEmpty) return NONE;
    const count = this.unsent.get(name);
    const sent = this.sent.get(name) ?? NONE;
    return count === undefined ? sent : [...sent, count];
  }

  /** Sends the counts of a name, before anything that is sent after this call. @returns whether Redis has them */
  async send(name: string): Promise<boolean> {
    const count = this.unsent.get(name);
    if (count === undefined) return true;
    this.unsent.delete(name);
    this.sent.set(name, [...(this.sent.get(name) ?? NONE), count]);
    try {
      await this.sender.send(name, count);
      this.arrived(name, count);
      return true;
    } catch {
      this.arrived(name, count);
      const later = this.unsent.get(name);
      this.unsent.set(name, later === undefined ? count : this.sender.join(count, later));
      return false;
    }
  }

  /** Sends all counts, in parts, as far as Redis accepts them. @returns whether it has all */
  async sendAll(): Promise<boolean> {
    if (this.isSending) return true;
    this.isSending = true;
    try {
      while (this.unsent.size > 0) {
        const names = [...this.unsent.keys()].slice(0, SENT_MAX);
        const isKnown = await Promise.all(names.map((name) => this.send(name)));
        if (isKnown.includes(false)) return false;
      }
      return true;
    } finally {
      this.isSending = false;
    }
  }

  private arrived(name: string, count: Count): void {
    const left = this.sent.get(name)?.filter((unsent) => unsent !== count) ?? NONE;
    if (left.length > 0) this.sent.set(name, left);
    else this.sent.delete(name);
  }
}

const NONE: readonly never[] = [];
