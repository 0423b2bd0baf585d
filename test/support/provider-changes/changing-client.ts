import { isJsonObject, printJson } from '../../../src/core/json/json.js';
import type { ModelEvent } from '../../../src/core/conversation/event.js';
import type { ModelRequest } from '../../../src/core/conversation/request.js';
import type { Dialect } from '../../../src/core/provider.js';
import { assertGrammar } from '../../../src/core/stream/grammar.js';
import { SseReader } from '../../../src/core/stream/sse.js';
import { chain } from '../../../src/core/stream/stream-stage.js';
import { doAtOnce } from '../../../src/core/steps.js';
import { DIALECTS } from '../../../src/providers/dialects/index.js';
import type { DoublePart, WireCall, WireReply } from '../doubles/double.js';
import type { JsonBody } from '../recorded-request.js';
import { frame } from '../upstream-answers.js';
import type { Media, ResultKind, ClientFace, Wishes } from './faces.js';
import { toolNamesIn } from './sent-prompt.js';
import type { Maker, ServedModel } from './served-models.js';

/** A model's answer; a call by the index of its tool among the caller's. */
export interface Answer {
  readonly thinks: boolean;
  readonly speaks: boolean;
  readonly cites: boolean;
  readonly calls: readonly { readonly id: string; readonly tool: number }[];
}

/** Reasoning of a model: its words, and the data that only its maker can read. */
export interface Thought {
  readonly maker: Maker;
  readonly words: string;
  readonly seals: readonly string[];
}

/** What would be sent to a stop, and why it would refuse it. */
export interface Sent {
  readonly body: JsonBody;
  /** As sent. */
  readonly text: string;
  readonly refusal: string | undefined;
}

/** Keys of data that only a maker can read, in the replies of all dialects. */
const SEALS: ReadonlySet<string> = new Set(['signature', 'thoughtSignature', 'encrypted_content', 'redactedContent']);
const NO_MEDIA = new Map();
/** In one conversation: Bedrock accepts no more documents (`bedrock-converse.ts` of the doubles). */
const PDFS_MAX = 5;

/** One conversation of a client that moves from model to model; it sends back exactly what it received. */
export class ChangingClient {
  readonly messages: JsonBody[] = [];
  readonly thoughts: Thought[] = [];
  private answers = 0;
  private pdfs = 0;

  constructor(
    readonly face: ClientFace,
    private readonly wishes: Wishes,
    /** The client replaces ids by its own: the same ones in each turn. */
    private readonly renumbers = false,
  ) {}

  get hasPdf(): boolean {
    return this.pdfs > 0;
  }

  ask(text: string, media: Media = 'none'): void {
    const marked = this.wishes.marked && this.messages.length === 0;
    this.messages.push(this.face.user(text, { media: media === 'pdf' && !this.takesPdf() ? 'none' : media, marked }));
  }

  /** The stop answers, and the client keeps the reply. @returns the turn */
  receive(served: ServedModel, { thinks, speaks, cites, calls }: Answer): JsonBody {
    const request = this.read();
    const { body } = this.encoded(served, request);
    const names = toolNamesIn(served.dialect, body);
    const answer = `${this.answers++}`;
    const words = `Thought ${answer} of ${served.name}.`;
    const text = `Answer ${answer}: it rains in 京都.`;
    const parts: DoublePart[] = [
      ...(thinks && served.maker ? [{ type: 'thinking', text: words } as const] : []),
      ...(speaks || calls.length === 0
        ? [
            {
              type: 'text',
              text,
              ...(cites && { citations: [{ url: 'https://rain.test/a', title: 'Rain', quote: 'it rains' }] }),
            } as const,
          ]
        : []),
      ...calls.map(({ id, tool }) => ({ type: 'call', id, name: names[tool]!, input: { at: '京都' } }) as const),
    ];
    const reply = served.double.reply({ parts }, callOf(served, request, body));
    if (thinks && served.maker) this.thoughts.push({ maker: served.maker, words, seals: [...sealsIn(reply.whole)] });
    const events = play(DIALECTS[served.dialect], served, request, reply);
    const received = this.face.turn(events, request.stream);
    const turn = this.renumbers ? this.face.renumbered(received) : received;
    this.messages.push(turn);
    return turn;
  }

  /** Answers the calls of the last turn. @param kinds of the results, used in turn */
  answer(kinds: readonly ResultKind[]): void {
    const calls = this.face.calls(this.messages.at(-1));
    const results = calls.map(({ id }, index) => {
      const kind = kinds[index % kinds.length]!;
      return { id, kind: kind === 'pdf' && !this.takesPdf() ? 'text' : kind };
    });
    if (results.length > 0) this.messages.push(...this.face.results(results));
  }

  /** Counts one more, while vendors accept another. */
  private takesPdf(): boolean {
    if (this.pdfs === PDFS_MAX) return false;
    this.pdfs++;
    return true;
  }

  /** The conversation so far, as the gateway reads it. */
  read(): ModelRequest {
    return this.face.read(this.face.body(this.messages, this.wishes));
  }

  /** The request to the stop if the conversation continued there. @throws Untranslatable */
  encoded(served: ServedModel, request: ModelRequest): Sent {
    const call = doAtOnce(DIALECTS[served.dialect].encode(request, served.target, NO_MEDIA));
    const text = printJson(call.body);
    const body: JsonBody = JSON.parse(text);
    const refusal = served.double.refuse({ ...callOf(served, request, body), headers: call.headers });
    return { body, text, refusal: refusal?.message };
  }
}

const callOf = ({ target, platform }: ServedModel, { stream }: ModelRequest, body: JsonBody): WireCall => ({
  body,
  stream,
  model: target.endpoint.upstreamModel,
  platform,
  headers: {},
});

function play(dialect: Dialect, { target }: ServedModel, request: ModelRequest, { whole, events, end }: WireReply): ModelEvent[] {
  const context = { request, target };
  const out: ModelEvent[] = [];
  if (request.stream) {
    const step = chain(new SseReader(), dialect.decodeStream(context));
    for (const { event, data } of [...events, ...end]) step.push(Buffer.from(frame(event, data)), out);
    step.end(out);
  } else {
    out.push(...doAtOnce(dialect.decodeWhole(JSON.parse(JSON.stringify(whole)), context)));
  }
  assertGrammar(out);
  return out;
} // oxfmt-ignore

function* sealsIn(value: JsonBody): Generator<string> {
  if (Array.isArray(value)) for (const one of value) yield* sealsIn(one);
  else if (isJsonObject(value)) {
    for (const [key, one] of Object.entries(value)) {
      if (SEALS.has(key) && typeof one === 'string') yield one;
      else yield* sealsIn(one);
    }
  }
}
