import type { JsonBody } from '../../recorded-request.js';
import type { WireCall } from '../double.js';

// The common parts of all doubles' cases.

/** A change to a valid body, and words of the refusal. */
export type Breach = readonly [
  what: string,
  change: (body: JsonBody) => unknown,
  words: string,
  call?: Partial<WireCall>,
];

export interface RightCall {
  readonly body: JsonBody;
  readonly breaches: readonly Breach[];
  /** Differences from a call to the vendor's own address with the model of the case. */
  readonly call?: Partial<WireCall>;
}

/** A fully valid call, and one breach for each rule. */
export interface RuleCase extends RightCall {
  readonly model: string;
  /** A valid count of tokens and its breaches, if the double counts. */
  readonly counting?: RightCall;
}

export const PNG = 'iVBORw0KGgo=';
export const SCHEMA = {
  type: 'object',
  properties: { city: { type: 'string' } },
  required: ['city'],
  additionalProperties: false,
};
/** Bounds that vendors refuse of a form of the answer. */
export const BOUND_SCHEMA = { ...SCHEMA, properties: { city: { type: 'string', minLength: 1 } } };
export const SEVERAL_SCHEMA = { ...SCHEMA, properties: { city: { type: 'array', items: SCHEMA, minItems: 2 } } };
export const ONE_OF_SCHEMA = { ...SCHEMA, properties: { city: { oneOf: [{ type: 'string' }, { type: 'null' }] } } };
export const RECURSIVE_SCHEMA = {
  ...SCHEMA,
  properties: { city: { $ref: '#/$defs/city' } },
  $defs: { city: { ...SCHEMA, properties: { city: { $ref: '#/$defs/city' } } } },
};
const schemaOf = (count: number, property: object, isRequired: boolean): object => {
  const names = Array.from({ length: count }, (_, index) => `p${index}`);
  const properties = Object.fromEntries(names.map((name) => [name, property]));
  return { ...SCHEMA, properties, required: isRequired ? names : [] };
};
export const OPTIONAL_SCHEMA = schemaOf(25, { type: 'string' }, false);
export const UNIONS_SCHEMA = schemaOf(17, { type: ['string', 'null'] }, true);
export const OPEN_SCHEMA = { type: 'object', properties: { city: { type: 'string' } } };
export const EPHEMERAL = { type: 'ephemeral' };
