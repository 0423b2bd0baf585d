import { isDeepStrictEqual } from 'node:util';
import type { AuditChange } from '../audit/audit-log.js';
import type { ManagedChange } from './managed-changes.js';

/** A resource in the form that the audit log stores. */
export interface LoggedThing {
  readonly target: string;
  readonly workspaceId?: string | undefined;
  /** The resource in the form of the API. Never a secret. */
  readonly view: object;
}

/** One kind of managed resource: makes the log entries of its changes. Safe to share. */
export class ManagedKind<Thing extends object> {
  /**
   * @param name prefix of its actions: `api_key`
   * @param logged what the log stores of one
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

  /** @param note details of the change that the new state does not show */
  updated(before: Thing, after: Thing, note: object = {}): AuditChange {
    const states = { before: this.logged(before).view, after: { ...this.logged(after).view, ...note } };
    return this.entry('update', after, states);
  }

  /** Any other action on a resource. */
  entry(verb: string, thing: Thing, states: Pick<AuditChange, 'before' | 'after'>): AuditChange {
    const { target, workspaceId } = this.logged(thing);
    return { action: `${this.name}.${verb}`, target, workspaceId, ...states };
  }

  /**
   * Sets values of a resource that the transaction has locked: where it has them already, nothing is written or
   * recorded.
   * @param write returns the resource as it is stored now
   * @param note details of the change that the new state does not show
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
 * Whether setting the values would change nothing; undefined ones are not set. They are compared as stored, not as
 * shown: amounts are exact, and the order of keys is irrelevant.
 */
export const hasValues = <Thing extends object>(thing: Thing, values: Partial<Thing>): boolean =>
  (Object.keys(values) as (keyof Thing)[]).every(
    (name) => values[name] === undefined || isDeepStrictEqual(values[name], thing[name]),
  );
