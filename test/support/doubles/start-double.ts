import type { PlatformId } from '../../../src/core/routing/catalog.js';
import { awsEvent, awsException } from '../aws-event-stream.js';
import type { JsonBody, RecordedRequest } from '../recorded-request.js';
import { cutBytes, frame, json, type Answer, type Complaint } from '../upstream-answers.js';
import { Upstream } from '../upstreams.js';
import { bedrockConverse } from './bedrock-converse.js';
import { DIALECT_DOUBLES } from './dialects.js';
import {
  DOUBLE_USAGE,
  type DialectDouble,
  type DoubleFailure,
  type DoubleFailureKind,
  type DoubleReply,
  type WireCall,
  type WireDialect,
  type WireEvent,
  type WireFailure,
  type WireReply,
} from './double.js';
import { TASK_DOUBLES, type TaskDouble } from './task-doubles.js';
import { PLATFORM_DOUBLES, tokenAnswer, WAYS, type Address, type PlatformDouble, type Way } from './platforms.js';

/** How a stream is transmitted. */
export interface Transmission {
  /** Limit of bytes per write: characters, lines and frames are split. Absent: one event per write. */
  readonly bytesPerPiece?: number;
  /** Overrides the vendor's line end. */
  readonly lineEnd?: '\n' | '\r\n';
  /** An empty event, or a comment, between any two events. */
  readonly pings?: true;
  /** Which checksum of the last message of an AWS event stream is corrupted. */
  readonly corrupt?: 'prelude' | 'message';
}

/** A call that the double received, with its target. */
export interface DoubleCall extends WireCall {
  readonly dialect: WireDialect;
  readonly path: string;
  readonly way: Way;
}

/** The right reply of a task, changed. */
export interface AlteredReply {
  alter(body: JsonBody): JsonBody;
}

export type DoubleAnswer = DoubleReply | DoubleFailure | AlteredReply;
export type DoubleScript = (call: DoubleCall, index: number) => DoubleAnswer;

const HELLO: DoubleReply = { parts: [{ type: 'text', text: 'Hello from the double.' }] };
/** Offsets of the checksums of a message of an AWS event stream: after both lengths, and at its end. */
const CHECKSUM_AT = { prelude: 8, message: -4 } as const;

/**
 * A vendor's host on a loopback port: every dialect that the platform serves, by its path. A violation of a rule gets
 * the vendor's own refusal, and is recorded in `violations`.
 */
export class Double {
  /** Calls to models in order, including refused ones. */
  readonly calls: DoubleCall[] = [];
  /** The refusals, in the vendor's words. */
  readonly violations: string[] = [];
  transmission: Transmission = {};
  private current: DoubleScript = () => HELLO;

  private readonly rules: PlatformDouble;
  private readonly upstream = new Upstream(
    (request) => this.refuse(request),
    (request) => this.answer(request),
  );

  private constructor(
    readonly platform: PlatformId,
    private readonly vendors: Readonly<Record<WireDialect, DialectDouble>>,
  ) {
    this.rules = PLATFORM_DOUBLES[platform];
  }

  static async start(platform: PlatformId, vendors: Partial<Record<WireDialect, DialectDouble>>): Promise<Double> {
    const double = new Double(platform, { ...DIALECT_DOUBLES, ...vendors });
    await double.upstream.listen();
    return double;
  }

  get origin(): string {
    return this.upstream.origin;
  }

  get dialects(): readonly WireDialect[] {
    return this.rules.dialects;
  }

  /** Credential for a catalog entry, in the platform's usual way of authorisation. */
  get credential(): string {
    return this.credentialFor(WAYS[this.platform][0]);
  }

  credentialFor(way: Way): string {
    return this.rules.credential(this.origin, way);
  }

  baseUrl(dialect: WireDialect): string {
    return this.rules.baseUrl(this.origin, dialect);
  }

  /** Sets the answers of subsequent calls. `index` counts them from 0. */
  script(script: DoubleScript | DoubleAnswer): void {
    const from = this.calls.length;
    this.current = typeof script === 'function' ? (call, index) => script(call, index - from) : () => script;
  }

  close(): Promise<void> {
    return this.upstream.close();
  }

  private refuse(request: RecordedRequest): Complaint | undefined {
    if (tokenAnswer(this.rules, request, this.origin)) return undefined;
    const address = this.rules.read(request.path);
    if (!address)
      return this.violated(`no such address: ${request.path}`, { status: 404, body: { message: 'Not Found' } });
    const call = this.callOf(request, address);
    this.calls.push(call);
    const unauthorised = this.rules.unauthorised(request, address);
    if (unauthorised) return this.refused(call, 'unauthorised', unauthorised.message);
    const double = this.vendors[call.dialect];
    const task = taskOf(address);
    const invalid = (task ?? (address.counts ? double.counting! : double)).refuse(call);
    return invalid && this.refused(call, 'invalid', invalid.message);
  }

  private callOf(request: RecordedRequest, address: Address): DoubleCall {
    const { path, json: body, headers } = request;
    const { dialect, model = String(body?.model), stream = body?.stream === true } = address;
    return { dialect, path, way: this.rules.wayOf(request), body, headers, model, stream, platform: this.platform };
  }

  private refused(call: DoubleCall, kind: DoubleFailureKind, message: string): Complaint {
    return this.violated(`${call.dialect}: ${message}`, this.failureOf(call, kind, message));
  }

  private violated(message: string, complaint: Complaint): Complaint {
    this.violations.push(message);
    return complaint;
  }

  private answer(request: RecordedRequest): Answer {
    const beside = tokenAnswer(this.rules, request, this.origin);
    if (beside) return beside;
    const address = this.rules.read(request.path)!;
    const { counting } = this.vendors[address.dialect];
    if (address.counts) return json(counting!.reply(DOUBLE_USAGE.input));
    const call = this.callOf(request, address);
    const answer: DoubleAnswer = this.current(call, this.calls.length - 1);
    const task = taskOf(address);
    if (task && !('fails' in answer)) {
      const { body, headers } = task.reply(call);
      return json('alter' in answer ? answer.alter(body) : body, 200, headers);
    }
    if ('parts' in answer) return this.reply(call, this.vendors[call.dialect].reply(answer, call));
    if (!('fails' in answer)) throw new Error(`${call.dialect} answers in no form of a task.`);
    const failure = this.failureOf(call, answer.fails, answer.message);
    if (!answer.after || !call.stream) return json(failure.body, failure.status, failure.headers);
    return this.broken(call, answer, answer.after);
  }

  private reply(call: DoubleCall, { whole, events, end }: WireReply): Answer {
    if (!call.stream) return json(whole);
    const pieces = [...events, ...end].map((event) => this.framed(call, event));
    return this.streamed(call, pieces);
  }

  /** A stream that fails after the given reply. */
  private broken(call: DoubleCall, { fails, message }: DoubleFailure, after: DoubleReply): Answer {
    const before = this.vendors[call.dialect].reply(after, call).events.map((event) => this.framed(call, event));
    const failure = isAwsFramed(call)
      ? awsException(bedrockConverse.failureEvent(fails, message).event, { message })
      : this.framed(call, this.vendors[call.dialect].failureEvent(fails, message));
    return this.streamed(call, [...before, failure]);
  }

  /** Bedrock reports failures of its models in a separate form. */
  private failureOf(call: DoubleCall, kind: DoubleFailureKind, message: string): WireFailure {
    return (isAwsFramed(call) ? bedrockConverse : this.vendors[call.dialect]).failure(kind, message);
  }

  private framed(call: DoubleCall, { event, data }: WireEvent): Buffer {
    if (call.dialect === 'bedrock-converse') return awsEvent(event, data);
    if (isAwsFramed(call)) return awsEvent('chunk', { bytes: Buffer.from(JSON.stringify(data)).toString('base64') });
    const lineEnd = this.transmission.lineEnd ?? this.vendors[call.dialect].lineEnd;
    return Buffer.from(frame(event, data).replaceAll('\n', lineEnd));
  }

  private keptAlive(call: DoubleCall, pieces: readonly Buffer[]): Buffer[] {
    const { ping } = this.vendors[call.dialect];
    const between = ping ? this.framed(call, ping) : Buffer.from(isAwsFramed(call) ? '' : ': keep-alive\n\n');
    return pieces.flatMap((piece, index) => (index === 0 ? [piece] : [between, piece]));
  }

  private streamed(call: DoubleCall, pieces: readonly Buffer[]): Answer {
    const { bytesPerPiece, corrupt } = this.transmission;
    const type = isAwsFramed(call) ? 'application/vnd.amazon.eventstream' : 'text/event-stream';
    const kept = this.transmission.pings ? this.keptAlive(call, pieces) : pieces;
    const sent = corrupt && isAwsFramed(call) ? [...kept.slice(0, -1), corrupted(kept.at(-1)!, corrupt)] : kept;
    const body = bytesPerPiece === undefined ? sent : cutBytes(Buffer.concat(sent), bytesPerPiece);
    return { headers: { 'content-type': type }, body };
  }
}

/**
 * Starts a host of the platform that, unscripted, answers every call with a short text.
 * @param vendors the double of a dialect there; absent: its usual one
 */
export const startDouble = (
  platform: PlatformId,
  vendors: Partial<Record<WireDialect, DialectDouble>> = {},
): Promise<Double> => Double.start(platform, vendors);

/** The message with one bit of a checksum flipped. */
function corrupted(message: Buffer, which: keyof typeof CHECKSUM_AT): Buffer {
  const bytes = Buffer.from(message);
  const at = CHECKSUM_AT[which];
  bytes[at < 0 ? bytes.length + at : at]! ^= 1;
  return bytes;
}

const taskOf = ({ dialect, task }: Address): TaskDouble | undefined => task && TASK_DOUBLES[dialect]![task]!;

/** Bedrock's own streams; its chat completions are server-sent events. */
const isAwsFramed = ({ platform, dialect }: DoubleCall): boolean => platform === 'bedrock' && dialect !== 'openai-chat';
