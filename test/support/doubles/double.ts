import { createHmac } from 'node:crypto';
import type { DialectId, PlatformId } from '../../../src/core/routing/catalog.js';
import type { JsonBody } from '../recorded-request.js';

// The words that all doubles share. A double is an upstream as strict as the vendor, as far as that is known: it
// refuses what the vendor refuses, in the vendor's form of words, and streams as the vendor does. Each rule says what
// it rests on.

/** Dialects that are spoken over HTTP: `simulated` is answered inside of the process. */
export type WireDialect = Exclude<DialectId, 'simulated'>;

/** A call of one dialect, whatever platform it came by. */
export interface WireCall {
  readonly body: JsonBody;
  /** What the address or the body says of it. */
  readonly stream: boolean;
  /** The name of the model, as the address or the body has it. */
  readonly model: string;
  readonly platform: PlatformId;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

/** A page, document or passage that a text is about. `quote` stands in the text. */
export interface DoubleCitation {
  readonly url: string;
  readonly title: string;
  readonly quote: string;
}

/** What a model says, in the words of no dialect. */
export type DoublePart =
  | { readonly type: 'thinking'; readonly text: string }
  | { readonly type: 'text'; readonly text: string; readonly citations?: readonly DoubleCitation[] }
  /** A PNG, in base64. Who is not asked for pictures, or has no form for them, tells none. */
  | { readonly type: 'image'; readonly data: string }
  | { readonly type: 'call'; readonly id: string; readonly name: string; readonly input: JsonBody };

export type DoubleStop = 'end' | 'tool-use' | 'output-limit' | 'stop-sequence' | 'refusal';

/** Tokens. Input is what was not cached; reasoning is part of the output. */
export interface DoubleUsage {
  readonly input: number;
  readonly cached: number;
  readonly output: number;
  readonly reasoning: number;
  /** Of pictures: part of the output as well, where the vendor tells it. */
  readonly images?: number;
  /** What a tool of the vendor's read to draw, beside the input, where the vendor tells it. */
  readonly drawingInput?: number;
}

export interface DoubleReply {
  readonly parts: readonly DoublePart[];
  /** Absent: `tool-use` with a call, else `end`. */
  readonly stop?: DoubleStop;
  /** The sequence that was met. */
  readonly stopSequence?: string;
  /** Absent: `DOUBLE_USAGE`; null: the vendor never says. */
  readonly usage?: DoubleUsage | null;
}

export const DOUBLE_USAGE: DoubleUsage = { input: 12, cached: 0, output: 7, reasoning: 0 };

/** How a vendor fails; each has a status and a form of words of its own for it. */
export type DoubleFailureKind = 'invalid' | 'unauthorised' | 'rate-limited' | 'overloaded' | 'server-error';

export interface DoubleFailure {
  readonly fails: DoubleFailureKind;
  readonly message: string;
  /** What is said before the failure; absent: the failure is the answer's status. */
  readonly after?: DoubleReply;
}

/** One event of a stream: `event` is empty where the vendor names none. */
export interface WireEvent {
  readonly event: string;
  readonly data: JsonBody;
}

export interface WireReply {
  readonly whole: JsonBody;
  /** What a stream tells of the reply's parts, */
  readonly events: readonly WireEvent[];
  /** and what ends it. */
  readonly end: readonly WireEvent[];
}

export interface WireFailure {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: JsonBody;
}

/** Why a vendor answers 400. */
export interface Refusal {
  /** What was broken: one of the double's `rules`. */
  readonly rule: string;
  /** In the vendor's words. */
  readonly message: string;
}

/** How a vendor counts what a call would send. */
export interface DialectCounting {
  /** What `refuse` refuses, beside what the answer's own does. */
  readonly rules: readonly string[];
  /** Undefined: it counts. */
  refuse(call: WireCall): Refusal | undefined;
  reply(tokens: number): JsonBody;
}

/** One dialect as its vendor speaks it: written from what is known of the vendor, never from the code under test. */
export interface DialectDouble {
  /** The end of a line in its event streams. */
  readonly lineEnd: '\n' | '\r\n';
  /** An event of its own that says nothing; absent: its event streams keep alive by comments. */
  readonly ping?: WireEvent;
  /** All that `refuse` refuses: `rules.spec.ts` has a breach of each. */
  readonly rules: readonly string[];
  /** Undefined: the vendor takes the call. */
  refuse(call: WireCall): Refusal | undefined;
  reply(reply: DoubleReply, call: WireCall): WireReply;
  failure(kind: DoubleFailureKind, message: string): WireFailure;
  /** Absent: the vendor counts no tokens. */
  readonly counting?: DialectCounting;
  /** How a failure is told in a stream that has begun; undefined: the platform's frames tell it. */
  failureEvent(kind: DoubleFailureKind, message: string): WireEvent;
}

/** Who seals reasoning: Anthropic's signatures hold on every platform that serves its models. */
export type Signer = 'anthropic' | 'google' | 'openai' | 'amazon';

/** What a signer puts on its words; another's is refused. */
export const signatureOf = (signer: Signer, words: string): string =>
  createHmac('sha256', `signer ${signer}`).update(words).digest('base64');

/** Words that nobody but the signer reads, in base64. */
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

/** What one says who was not asked to draw. */
export const withoutImages = (reply: DoubleReply): DoubleReply => ({
  ...reply,
  parts: reply.parts.filter(({ type }) => type !== 'image'),
});

export const stopOf = ({ stop, parts }: DoubleReply): DoubleStop =>
  stop ?? (parts.some(({ type }) => type === 'call') ? 'tool-use' : 'end');
