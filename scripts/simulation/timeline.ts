import { Clock } from '../../src/core/time.js';

interface Entry {
  readonly at: number;
  /** Order of events at the same time: the one that was planned first runs first. */
  readonly order: number;
  readonly act: () => void;
}

/** The planned events, and the clock that goes with them: it does not move during an event. */
export class Timeline extends Clock {
  /** A heap: each entry precedes the two at twice its index. */
  private readonly entries: Entry[] = [];
  private planned = 0;

  /** @param time at the start, in epoch milliseconds */
  constructor(private time: number) {
    super();
  }

  override now(): number {
    return this.time;
  }

  /** @param at epoch milliseconds; a past time means now */
  plan(at: number, act: () => void): void {
    const { entries } = this;
    const entry: Entry = { at: Math.max(at, this.time), order: this.planned++, act };
    let index = entries.push(entry) - 1;
    while (index > 0) {
      const parent = (index - 1) >> 1;
      if (!isBefore(entry, entries[parent]!)) break;
      entries[index] = entries[parent]!;
      index = parent;
    }
    entries[index] = entry;
  }

  /** Runs all events, and those they plan. */
  run(): void {
    for (let entry = this.takeFirst(); entry; entry = this.takeFirst()) {
      this.time = entry.at;
      entry.act();
    }
  }

  private takeFirst(): Entry | undefined {
    const { entries } = this;
    const [first] = entries;
    const last = entries.pop();
    if (last === undefined || entries.length === 0) return last;
    let index = 0;
    for (;;) {
      let child = 2 * index + 1;
      if (child >= entries.length) break;
      if (child + 1 < entries.length && isBefore(entries[child + 1]!, entries[child]!)) child++;
      if (!isBefore(entries[child]!, last)) break;
      entries[index] = entries[child]!;
      index = child;
    }
    entries[index] = last;
    return first;
  }
}

const isBefore = (one: Entry, other: Entry): boolean =>
  one.at < other.at || (one.at === other.at && one.order < other.order);
