/** Any JSON value, as `JSON.parse` makes it. */
export type Json = string | number | boolean | null | readonly Json[] | JsonObject;

/** A JSON object. Its keys are the caller's: read own properties only. */
export type JsonObject = { readonly [key: string]: Json | undefined };

export const isJsonObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * What core does not model, with the name of the wire format it came in. Only a face or dialect of that format reads it;
 * everyone else carries it untouched.
 */
export interface Opaque {
  readonly vendor: Vendor;
  readonly value: JsonObject;
}

/** The wire formats that values can be foreign in. */
export type Vendor = 'anthropic' | 'openai';
