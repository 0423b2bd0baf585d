import type { DecisionRecord } from './decision-record.js';

/** A candidate as named in a record. */
export interface ReadRef {
  /** Absent where the record no longer identifies the model. */
  readonly model?: string;
  readonly tag: string;
  /** Id of the stored credential; absent: the operator's own. */
  readonly credential?: string;
}

const REF = /^(?:(?<model>\d+):)?(?<tag>[^@]*)(?:@(?<key>\d+))?$/;

/** Reads what `writeRef` wrote. Where models or keys were cut from the record, returns the remaining parts. */
export function readRef(ref: string, { requested, models, keys, cut }: DecisionRecord): ReadRef {
  const { model: index, tag = ref, key } = REF.exec(ref)?.groups ?? {};
  const known = models ?? (requested !== undefined && !cut?.includes('models') ? [requested] : []);
  const named = known[Number(index ?? 0)];
  const model = typeof named === 'object' ? named[0] : named;
  const credential = key === undefined ? undefined : (keys?.[Number(key)]?.id ?? `stored credential ${key}`);
  return { ...(model !== undefined && { model }), tag, ...(credential !== undefined && { credential }) };
}
