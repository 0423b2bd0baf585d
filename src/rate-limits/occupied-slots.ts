import type { Clock } from '../core/time.js';

/**
 * The slots that calls of this process occupy, by subject. A slot that is not given back expires. There are never more
 * than calls under way.
 */
export class OccupiedSlots {
  /** Subject → owner → end, epoch milliseconds. The oldest is the first. */
  private readonly slots = new Map<string, Map<string, number>>();

  /** @param lifeMs longer than any call may last */
  constructor(
    private readonly clock: Clock,
    private readonly lifeMs: number,
  ) {}

  add(subject: string, owner: string): void {
    let owners = this.slots.get(subject);
    if (!owners) this.slots.set(subject, (owners = new Map<string, number>()));
    owners.set(owner, this.clock.now() + this.lifeMs);
  }

  remove(subject: string, owner: string): void {
    const owners = this.slots.get(subject);
    if (owners?.delete(owner) && owners.size === 0) this.slots.delete(subject);
  }

  count(subject: string): number {
    return this.current(subject)?.size ?? 0;
  }

  ownersOf(subject: string): readonly string[] {
    return [...(this.current(subject)?.keys() ?? [])];
  }

  subjects(): readonly string[] {
    return [...this.slots.keys()];
  }

  /** Without expired slots. */
  private current(subject: string): ReadonlyMap<string, number> | undefined {
    const owners = this.slots.get(subject);
    if (!owners) return undefined;
    const now = this.clock.now();
    for (const [owner, endsAt] of owners) {
      if (endsAt > now) break;
      this.remove(subject, owner);
    }
    return owners;
  }
}
