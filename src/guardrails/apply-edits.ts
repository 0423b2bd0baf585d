import type { ModelRequest } from '../core/conversation/request.js';
import { printJson } from '../core/json/json.js';
import type { EmbeddedJson, TextLocation } from './passages.js';

/** Replacement texts, by the object that holds the original and the member's name. */
export class Edits {
  private readonly members = new Map<object, Map<string, string>>();

  get size(): number {
    return this.members.size;
  }

  set({ holder, key }: TextLocation, text: string): void {
    const known = this.members.get(holder);
    if (known) known.set(key, text);
    else this.members.set(holder, new Map([[key, text]]));
  }

  of(holder: object): ReadonlyMap<string, string> | undefined {
    return this.members.get(holder);
  }
}

/**
 * The request with all edits made, wherever the edited objects occur in it: neutral values and the wire objects they
 * were read from change alike, so that no dialect prints the original. Objects without an edit stay identical. Yields
 * between steps.
 */
export function* applyEdits(
  request: ModelRequest,
  edits: Edits,
  embedded: readonly EmbeddedJson[],
): Generator<void, ModelRequest, undefined> {
  const changed = new ChangedCopies(edits);
  for (const { location, value } of embedded) {
    const next = yield* changed.of(value);
    if (next !== value) edits.set(location, printJson(next));
    yield;
  }
  return yield* changed.of(request);
}

/** Members and entries that are visited in one step. */
const STEP = 512;

/** Copies of changed objects, each object once. */
class ChangedCopies {
  private readonly made = new Map<object, object>();
  private looked = 0;

  constructor(private readonly edits: Edits) {}

  *of<T extends object>(value: T): Generator<void, T, undefined> {
    const known = this.made.get(value);
    if (known) return known as T;
    const next = Array.isArray(value) ? yield* this.list(value) : isPlain(value) ? yield* this.members(value) : value;
    this.made.set(value, next);
    return next as T;
  }

  private *list(entries: readonly unknown[]): Generator<void, readonly unknown[], undefined> {
    const edits = this.edits.of(entries);
    let changed: unknown[] | undefined;
    for (let index = 0; index < entries.length; index++) {
      if (++this.looked % STEP === 0) yield;
      const entry = entries[index];
      const next = edits?.get(String(index)) ?? (isObject(entry) ? yield* this.of(entry) : entry);
      if (next !== entry) (changed ??= [...entries])[index] = next;
    }
    return changed ?? entries;
  }

  private *members(value: object): Generator<void, object, undefined> {
    const edits = this.edits.of(value);
    let changed: [string, unknown][] | undefined;
    const entries = Object.entries(value);
    for (const [index, [key, member]] of entries.entries()) {
      if (++this.looked % STEP === 0) yield;
      const next: unknown = edits?.get(key) ?? (isObject(member) ? yield* this.of(member) : member);
      if (next !== member) (changed ??= [...entries])[index] = [key, next];
    }
    // `fromEntries` defines keys, so that one named `__proto__` stays a key.
    return changed ? Object.fromEntries(changed) : value;
  }
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

/** Numbers past 2⁵³ are objects of a separate class. */
const isPlain = (value: object): boolean => Object.getPrototypeOf(value) === Object.prototype;
