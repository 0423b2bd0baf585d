import type { JsonBody } from '../../recorded-request.js';
import type { WireCall } from '../double.js';

// What the cases of all doubles share.

/** What is done to a right body, and words of the refusal. */
export type Breach = readonly [
  what: string,
  change: (body: JsonBody) => unknown,
  words: string,
  call?: Partial<WireCall>,
];

export interface RightCall {
  readonly body: JsonBody;
  readonly breaches: readonly Breach[];
  /** Beside a call to the vendor's own address with the model of the case. */
  readonly call?: Partial<WireCall>;
}

/** A call that is right in every part, and what breaks one rule each. */
export interface RuleCase extends RightCall {
  readonly model: string;
  /** The same of a count of tokens, where the double counts. */
  readonly counting?: RightCall;
}

export const PNG = 'iVBORw0KGgo=';
export const SCHEMA = {
  type: 'object',
  properties: { city: { type: 'string' } },
  required: ['city'],
  additionalProperties: false,
};
export const OPEN_SCHEMA = { type: 'object', properties: { city: { type: 'string' } } };
export const EPHEMERAL = { type: 'ephemeral' };
