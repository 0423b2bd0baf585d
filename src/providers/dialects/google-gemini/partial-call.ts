import { isJsonObject, printJson, type Json, type JsonObject } from '../../../core/json/json.js';
import type { Steps } from '../../../core/steps.js';
import { listOf, malformed, printedInSteps } from '../read-json.js';

/** Maximum number of characters and values in the arguments of one call while they are assembled. */
export const ARGUMENTS_MAX = 8 * 1024 * 1024;
/** The cost of a value besides its characters, so that many tiny ones are bounded too. */
const VALUE_OVERHEAD = 64;
const DEPTH_MAX = 128;

type Members = { [key: string]: Json | undefined };
type Container = Json[] | Members;

const STEP = /\.([^.[\]]+)|\[(\d+)\]|\['((?:[^'\\]|\\.)*)'\]/y;

/**
 * A call whose arguments come as pieces, each a value with its path. They are emitted only when complete: pieces of
 * JSON text need their final order. One per call.
 */
export class PartialCall {
  private readonly args: Members;
  private size = 0;

  constructor(
    readonly name: string,
    /** The provider's own id; undefined where it gave none. */
    readonly givenId: string | undefined,
    readonly signature: string | undefined,
    args: JsonObject,
  ) {
    this.args = { ...args };
  }

  /** @throws ProviderFault `malformed-reply` for an impossible path */
  add(pieces: Json | undefined): void {
    for (const piece of listOf(pieces)) {
      if (!isJsonObject(piece) || typeof piece['jsonPath'] !== 'string') continue;
      this.count(VALUE_OVERHEAD + piece['jsonPath'].length);
      this.put(readPath(piece['jsonPath']), piece);
    }
  }

  /** The arguments as JSON. */
  *whole(): Steps<string> {
    return yield* printedInSteps(this.args);
  }

  /** The JSON without its last bracket: incomplete arguments must not look complete. */
  *cut(): Steps<string> {
    return (yield* this.whole()).slice(0, -1);
  }

  private put(path: readonly (string | number)[], piece: JsonObject): void {
    let container: Container = this.args;
    for (const [index, step] of path.entries()) {
      const known = read(container, step);
      if (index === path.length - 1) {
        write(container, step, this.valueOf(piece, known));
      } else if (isContainer(known)) {
        container = known;
      } else {
        const made: Container = typeof path[index + 1] === 'number' ? [] : {};
        write(container, step, made);
        container = made;
      }
    }
  }

  /** Texts grow, other values come at once. */
  private valueOf({ stringValue, numberValue, boolValue }: JsonObject, known: Json | undefined): Json {
    if (typeof stringValue === 'string') {
      this.count(stringValue.length);
      return typeof known === 'string' ? known + stringValue : stringValue;
    }
    const value = numberValue ?? boolValue ?? null;
    if (isContainer(value)) throw malformed('has an argument of a tool call of another type than it states');
    this.count(printJson(value).length);
    return value;
  }

  private count(characters: number): void {
    this.size += characters;
    if (this.size > ARGUMENTS_MAX) throw malformed('holds arguments of a tool call that are too long');
  }
}

/** The steps of a path such as `$.a[0].b`. */
function readPath(path: string): readonly (string | number)[] {
  const steps: (string | number)[] = [];
  STEP.lastIndex = 1;
  while (STEP.lastIndex < path.length) {
    const found = STEP.exec(path);
    if (found === null || !path.startsWith('$') || steps.length === DEPTH_MAX) throw noPlace(path);
    steps.push(found[2] === undefined ? (found[1] ?? found[3] ?? '') : Number(found[2]));
  }
  if (typeof steps[0] !== 'string') throw noPlace(path);
  return steps;
}

const isContainer = (value: Json | undefined): value is Json & Container => Array.isArray(value) || isJsonObject(value);

function read(container: Container, step: string | number): Json | undefined {
  return Array.isArray(container) ? (typeof step === 'number' ? container[step] : undefined) : own(container, step);
}

function own(container: JsonObject, step: string | number): Json | undefined {
  return Object.hasOwn(container, step) ? container[step] : undefined;
}

/** Lists grow by one entry at a time: an index far beyond the end would allocate a list of that length. */
function write(container: Container, step: string | number, value: Json): void {
  // Defined, so that `__proto__` becomes an ordinary key.
  if (!Array.isArray(container))
    Object.defineProperty(container, step, { value, writable: true, enumerable: true, configurable: true });
  else if (typeof step === 'number' && step <= container.length) container[step] = value;
  else throw noPlace(String(step));
}

const noPlace = (path: string): Error =>
  malformed(`has an argument of a tool call at a path that does not exist (${path.slice(0, 40)})`);
