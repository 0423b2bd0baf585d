/** Names counted apart at one time; what is counted of further ones is not sent. Chosen. */
const NAMES_MAX = 10_000;
/** Names sent at once, so that none keeps Redis busy. */
const SENT_MAX = 500;

/** How counts of one kind are joined and sent. */
export interface CountSender<Count> {
  /** @param kept may be changed and returned */
  join(kept: Count, later: Count): Count;
  /** Adds it to what Redis has counted. Rejects where that is not known to have been done. */
  send(name: string, count: Count): Promise<unknown>;
}

/**
 * What was counted in this process while Redis did not answer, by name, until Redis has it. What was sent over a
 * connection that broke before the answer is sent again: it may be counted twice there, and never not at all.
 */
export class ApartCounts<Count> {
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

  /** What Redis is not known to have of a name: what is yet to be sent, and what is on its way. */
  of(name: string): readonly Count[] {
    if (this.isEmpty) return NONE;
    const count = this.unsent.get(name);
    const sent = this.sent.get(name) ?? NONE;
    return count === undefined ? sent : [...sent, count];
  }

  /** Sends what there is of a name, before anything that is sent after this call. @returns whether Redis has it */
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

  /** Sends all, in parts, as far as Redis takes them. @returns whether it has */
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
    const left = this.sent.get(name)?.filter((one) => one !== count) ?? NONE;
    if (left.length > 0) this.sent.set(name, left);
    else this.sent.delete(name);
  }
}

const NONE: readonly never[] = [];
