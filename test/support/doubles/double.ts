import { createHmac } from 'node:crypto';
import type { DialectId, PlatformId } from '../../../src/core/routing/catalog.js';
import type { JsonBody } from '../recorded-request.js';

// The common types of all doubles. A double is an upstream as strict as the vendor, as far as that is known: it refuses
// what the vendor refuses, in the vendor's wording, and streams as the vendor does. Each rule names its source.

/** Dialects that are used over HTTP: `simulated` is answered inside of the process. */
export type WireDialect = Exclude<DialectId, 'simulated'>;

/** A call of one dialect, on any platform. */
export interface WireCall {
  readonly body: JsonBody;
  /** From the address or the body. */
  readonly stream: boolean;
  /** The name of the model in the address or the body. */
  readonly model: string;
  readonly platform: PlatformId;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

/** A page, document or passage that a text is about. `quote` occurs in the text. */
export interface DoubleCitation {
  readonly url: string;
  readonly title: string;
  readonly quote: string;
}

/** The output of a model, independent of any dialect. */
export type DoublePart =
  | { readonly type: 'thinking'; readonly text: string }
  | { readonly type: 'text'; readonly text: string; readonly citations?: readonly DoubleCitation[] }
  /** A PNG, in base64. Emitted only on request, by vendors that have a form for it. */
  | { readonly type: 'image'; readonly data: string }
  | { readonly type: 'call'; readonly id: string; readonly name: string; readonly input: JsonBody };

export type DoubleStop = 'end' | 'tool-use' | 'output-limit' | 'stop-sequence' | 'refusal';

/** Tokens. Input is the uncached part; reasoning is part of the output. */
export interface DoubleUsage {
  readonly input: number;
  readonly cached: number;
  readonly output: number;
  readonly reasoning: number;
  /** Tokens of pictures: part of the output as well, where the vendor reports it. */
  readonly images?: number;
  /** Input of a vendor's drawing tool, in addition to the input, where the vendor reports it. */
  readonly drawingInput?: number;
}

export interface DoubleReply {
  readonly parts: readonly DoublePart[];
  /** Absent: `tool-use` with a call, else `end`. */
  readonly stop?: DoubleStop;
  /** The stop sequence that was met. */
  readonly stopSequence?: string;
  /** Absent: `DOUBLE_USAGE`; null: the vendor never reports usage. */
  readonly usage?: DoubleUsage | null;
}

export const DOUBLE_USAGE: DoubleUsage = { input: 12, cached: 0, output: 7, reasoning: 0 };

/** How a vendor fails; each kind has its own status and wording. */
export type DoubleFailureKind = 'invalid' | 'unauthorised' | 'rate-limited' | 'overloaded' | 'server-error';

export interface DoubleFailure {
  readonly fails: DoubleFailureKind;
  readonly message: string;
  /** The reply before the failure; absent: the failure is the answer's status. */
  readonly after?: DoubleReply;
}

/** One event of a stream: `event` is empty where the vendor names none. */
export interface WireEvent {
  readonly event: string;
  readonly data: JsonBody;
}

export interface WireReply {
  readonly whole: JsonBody;
  /** The events of the reply's parts, */
  readonly events: readonly WireEvent[];
  /** and the events at its end. */
  readonly end: readonly WireEvent[];
}

export interface WireFailure {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: JsonBody;
}

/** Why a vendor answers 400. */
export interface Refusal {
  /** The violated rule: one of the double's `rules`. */
  readonly rule: string;
  /** In the vendor's wording. */
  readonly message: string;
}

/** How a vendor counts the tokens of a call. */
export interface DialectCounting {
  /** The rules of `refuse`, in addition to those of an answer. */
  readonly rules: readonly string[];
  /** Undefined: it counts. */
  refuse(call: WireCall): Refusal | undefined;
  reply(tokens: number): JsonBody;
}

/** One vendor's dialect, written from what is known of the vendor, never from the code under test. */
export interface DialectDouble {
  /** The line end in its event streams. */
  readonly lineEnd: '\n' | '\r\n';
  /** An empty event of its own; absent: its event streams keep alive by comments. */
  readonly ping?: WireEvent;
  /** All rules of `refuse`: `rules.spec.ts` has a breach of each. */
  readonly rules: readonly string[];
  /** Undefined: the vendor accepts the call. */
  refuse(call: WireCall): Refusal | undefined;
  reply(reply: DoubleReply, call: WireCall): WireReply;
  failure(kind: DoubleFailureKind, message: string): WireFailure;
  /** Absent: the vendor counts no tokens. */
  readonly counting?: DialectCounting;
  /** The failure event in a stream that has begun; undefined: the platform's frames carry it. */
  failureEvent(kind: DoubleFailureKind, message: string): WireEvent;
}

/** The signer of reasoning: Anthropic's signatures are valid on every platform that serves its models. */
export type Signer = 'anthropic' | 'google' | 'openai' | 'amazon';

/** A signer's signature of its words; others refuse it. */
export const signatureOf = (signer: Signer, words: string): string =>
  createHmac('sha256', `signer ${signer}`).update(words).digest('base64');

/** Words that only the signer can read, in base64. */
export function seal(signer: Signer, words: string): string {
  const mac = createHmac('sha256', `seal ${signer}`).update(words).digest();
  return Buffer.concat([mac, Buffer.from(words)]).toString('base64');
}

const MAC_BYTES = 32;

/** The words of the signer's own seal; undefined for anything else. */
export function unseal(signer: Signer, sealed: unknown): string | undefined {
  if (typeof sealed !== 'string') return undefined;
  const words = Buffer.from(sealed, 'base64').subarray(MAC_BYTES).toString();
  return seal(signer, words) === sealed ? words : undefined;
}

/** The reply of a model that was not requested to draw. */
export const withoutImages = (reply: DoubleReply): DoubleReply => ({
  ...reply,
  parts: reply.parts.filter(({ type }) => type !== 'image'),
});

export const stopOf = ({ stop, parts }: DoubleReply): DoubleStop =>
  stop ?? (parts.some(({ type }) => type === 'call') ? 'tool-use' : 'end');
