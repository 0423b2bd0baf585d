import { isJsonObject } from '../core/json/json.js';
import { parseUsd, PICO_PER_USD, type PicoUsd } from '../core/money/credits.js';
import { HOUR_MS } from '../core/time.js';
import type { CatalogDocument, FieldPath } from './document.js';

const SLUG = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;
const DAY = /^\d{4}-\d\d-\d\d$/;
const DECIMAL = /^(-?)\d+(?:\.(\d+))?$/;
const DURATION = /^([1-9]\d{0,6})(ms|s)$/;
const SIZE = /^([1-9]\d{0,5})(KiB|MiB|GiB)$/;
const BYTES_PER: Readonly<Record<string, number>> = { KiB: 1024, MiB: 1024 ** 2, GiB: 1024 ** 3 };
const TIMEOUT_MS_MAX = HOUR_MS;
const TEXT_CHARS_MAX = 2000;
const MS_PER_SECOND = 1_000;
const TOKENS_PER_PRICE = 1_000_000n;

/** An exact factor. */
export interface Factor {
  readonly numerator: bigint;
  readonly denominator: bigint;
}

/**
 * A value in a catalog file. Each reader returns the value in its exact type, or records a fault and returns undefined.
 * Reading continues, so that one run reports all faults. A document with a fault is never used.
 */
export class Field {
  constructor(
    private readonly document: CatalogDocument,
    readonly path: FieldPath,
    private readonly value: unknown,
  ) {}

  refuse(message: string): undefined {
    this.document.refuse(this.path, message);
    return undefined;
  }

  /** Whether it is this word. */
  is(word: string): boolean {
    return this.value === word;
  }

  /** Whether the value is an object with fields. */
  isObject(): boolean {
    return isJsonObject(this.value);
  }

  /** The fields of a closed object. Unknown and missing names are faults; the rest can be read. */
  members<Name extends string>(
    required: readonly Name[],
    optional: readonly Name[] = [],
  ): ReadonlyMap<Name, Field> | undefined {
    if (!isJsonObject(this.value)) return this.refuse('must be an object');
    const known = [...required, ...optional];
    for (const name of Object.keys(this.value)) {
      if (!known.some((field) => field === name)) this.child(name).refuse('is not a known field');
    }
    const found = new Map<Name, Field>();
    for (const name of known) if (Object.hasOwn(this.value, name)) found.set(name, this.child(name, this.value[name]));
    for (const name of required) if (!found.has(name)) this.child(name).refuse('is required');
    return found;
  }

  /**
   * The fields of an open object, whose names the author chooses.
   * @param expectation of a name: completes "must be named …"
   */
  entries(names: RegExp = SLUG, expectation = 'in lower case with hyphens'): readonly (readonly [string, Field])[] {
    if (!isJsonObject(this.value)) {
      this.refuse('must be an object');
      return [];
    }
    const entries = Object.entries(this.value).map(([name, value]) => [name, this.child(name, value)] as const);
    for (const [name, field] of entries) if (!names.test(name)) field.refuse(`must be named ${expectation}`);
    return entries;
  }

  items(): readonly Field[] {
    if (Array.isArray(this.value)) return this.value.map((item: unknown, index) => this.child(index, item));
    this.refuse('must be a list');
    return [];
  }

  /** A text that is not blank. @param charsMax its longest */
  text(charsMax = TEXT_CHARS_MAX): string | undefined {
    const { value } = this;
    if (typeof value !== 'string' || value.trim() === '') return this.refuse('must be a text that is not empty');
    if (value.length > charsMax) return this.refuse(`must have at most ${charsMax} characters`);
    return value;
  }

  /** @param expectation completes "must be …" */
  matching(pattern: RegExp, expectation: string): string | undefined {
    return typeof this.value === 'string' && this.value.length <= TEXT_CHARS_MAX && pattern.test(this.value)
      ? this.value
      : this.refuse(`must be ${expectation}`);
  }

  slug(): string | undefined {
    return this.matching(SLUG, 'in lower case with hyphens, such as "google-vertex"');
  }

  oneOf<const Choice extends string | number>(choices: readonly Choice[]): Choice | undefined {
    const choice = choices.find((candidate) => candidate === this.value);
    if (choice !== undefined) return choice;
    const names = choices.map((candidate) => JSON.stringify(candidate)).join(', ');
    return this.refuse(choices.length === 1 ? `must be ${names}` : `must be one of ${names}`);
  }

  flag(): boolean | undefined {
    return typeof this.value === 'boolean' ? this.value : this.refuse('must be true or false');
  }

  positiveInteger(): number | undefined {
    const { value } = this;
    return typeof value === 'number' && Number.isSafeInteger(value) && value > 0
      ? value
      : this.refuse('must be a whole number above 0');
  }

  wholeNumber(): number | undefined {
    const { value } = this;
    return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0
      ? value
      : this.refuse('must be a whole number from 0 on');
  }

  /** A UTC day such as `2025-09-29`, as the Unix seconds of its start. */
  day(): number | undefined {
    const day = typeof this.value === 'string' && DAY.test(this.value) ? this.value : '';
    const start = new Date(`${day}T00:00:00Z`);
    // JavaScript reads 30 February as 2 March.
    const isDay = !Number.isNaN(start.getTime()) && start.toISOString().startsWith(day);
    return isDay ? start.getTime() / MS_PER_SECOND : this.refuse('must be a day such as "2025-09-29"');
  }

  /** A share between 0 and 1, inclusive. */
  share(): number | undefined {
    const { value } = this;
    return typeof value === 'number' && value >= 0 && value <= 1 ? value : this.refuse('must be a number from 0 to 1');
  }

  /** USD per million tokens, as pico USD per token. Exact: a seventh decimal would be less than the smallest amount. */
  pricePerToken(): PicoUsd | undefined {
    const perMillion = this.decimalUsd(6);
    return perMillion === undefined ? undefined : perMillion / TOKENS_PER_PRICE;
  }

  /** A multiplier of prices: a decimal above 0, exact. */
  factor(): Factor | undefined {
    const times = this.decimalUsd(6);
    if (times === 0n) return this.refuse('must be above 0');
    return times === undefined ? undefined : { numerator: times, denominator: PICO_PER_USD };
  }

  /** USD per unit. */
  pricePerUnit(): PicoUsd | undefined {
    return this.decimalUsd(12);
  }

  /** `500ms` or `60s`, as milliseconds; an hour at most unless `max` is given. */
  durationMs(max = TIMEOUT_MS_MAX): number | undefined {
    const match = typeof this.value === 'string' ? DURATION.exec(this.value) : null;
    if (!match) return this.refuse('must be a duration such as "500ms" or "60s"');
    const durationMs = Number(match[1]) * (match[2] === 's' ? 1000 : 1);
    return durationMs <= max ? durationMs : this.refuse(`must be at most "${max / 1000}s"`);
  }

  /** `64MiB`, as bytes. */
  sizeBytes({ min, max }: { readonly min: number; readonly max: number }): number | undefined {
    const match = typeof this.value === 'string' ? SIZE.exec(this.value) : null;
    if (!match) return this.refuse('must be a size such as "64MiB"');
    const bytes = Number(match[1]) * BYTES_PER[match[2]!]!;
    if (bytes >= min && bytes <= max) return bytes;
    return this.refuse(`must be from "${min / BYTES_PER['MiB']!}MiB" to "${max / BYTES_PER['MiB']!}MiB"`);
  }

  private decimalUsd(decimalsMax: number): PicoUsd | undefined {
    const { value } = this;
    // A YAML number has passed through a float: "0.1" is no longer exactly what the author wrote.
    const match = typeof value === 'string' && value.length <= TEXT_CHARS_MAX ? DECIMAL.exec(value) : null;
    if (typeof value !== 'string' || !match) return this.refuse('must be a decimal string such as "0.25"');
    const [, sign, decimals = ''] = match;
    if (sign === '-') return this.refuse('must not be negative');
    if (decimals.length > decimalsMax) return this.refuse(`must have at most ${decimalsMax} decimals`);
    return parseUsd(value) ?? this.refuse('must have at most 15 digits before the point');
  }

  private child(step: string | number, value?: unknown): Field {
    return new Field(this.document, [...this.path, step], value);
  }
}
