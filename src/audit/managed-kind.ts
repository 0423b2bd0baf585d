import { isDeepStrictEqual } from 'node:util';
import type { AuditChange } from './audit-log.js';
import type { ManagedChange } from './managed-changes.js';

/** What the log keeps of a thing. */
export interface LoggedThing {
  readonly target: string;
  readonly workspaceId?: string | undefined;
  /** As the API shows it. Never a secret. */
  readonly view: object;
}

/** One kind of managed resource: which entries its changes have, and when there is none. Safe to share. */
export class ManagedKind<Thing extends object> {
  /**
   * @param name what its actions begin with: `api_key`
   * @param logged what the log keeps of one
   */
  constructor(
    private readonly name: string,
    private readonly logged: (thing: Thing) => LoggedThing,
  ) {}

  created(thing: Thing): AuditChange {
    return this.entry('create', thing, { after: this.logged(thing).view });
  }

  deleted(thing: Thing): AuditChange {
    return this.entry('delete', thing, { before: this.logged(thing).view });
  }

  /** @param note said of the change besides how the resource is shown since */
  updated(before: Thing, after: Thing, note: object = {}): AuditChange {
    const states = { before: this.logged(before).view, after: { ...this.logged(after).view, ...note } };
    return this.entry('update', after, states);
  }

  /** Anything else that was done to a resource. */
  entry(verb: string, thing: Thing, states: Pick<AuditChange, 'before' | 'after'>): AuditChange {
    const { target, workspaceId } = this.logged(thing);
    return { action: `${this.name}.${verb}`, target, workspaceId, ...states };
  }

  /**
   * Sets values of a thing that the transaction has locked: nothing is written, and nothing recorded, where it has them
   * already.
   * @param write returns the thing as it is stored since
   * @param note said of the change besides how the resource is shown since
   */
  async update(
    before: Thing,
    values: Partial<Thing>,
    write: () => Promise<Thing>,
    note?: object,
  ): Promise<ManagedChange<Thing>> {
    if (hasValues(before, values)) return { result: before, entries: [] };
    const after = await write();
    return { result: after, entries: [this.updated(before, after, note)] };
  }
}

/**
 * Whether setting the values would change nothing; those that are undefined are not set. They are compared as they are
 * stored, not as they are shown: an amount is exact, and the order of keys makes no difference.
 */
export const hasValues = <Thing extends object>(thing: Thing, values: Partial<Thing>): boolean =>
  (Object.keys(values) as (keyof Thing)[]).every(
    (name) => values[name] === undefined || isDeepStrictEqual(values[name], thing[name]),
  );
