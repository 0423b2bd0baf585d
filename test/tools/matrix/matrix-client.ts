import type { DoubleReply, WireDialect } from '../../support/doubles/double.js';
import { joinChunks, readChunks } from '../../support/chat-stream.js';
import type { JsonBody } from '../../support/recorded-request.js';
import { readMessagesEvents } from '../../support/sse.js';
import { promptBytes } from '../../support/provider-changes/sent-prompt.js';
import { buildMessage } from '../../http/messages-bench.js';
import { ALL_FACES, type AnyFace, type FaceName, type SeenReply } from '../../http/translation-bench.js';
import { readResponseEvents } from '../../support/response-events.js';
import { DIALECTS, idOf, isAdviser, type ToolMatrixBench } from './bench.js';
import { ADVICE } from './cells.js';

// What the specs of the matrix send to a gateway, and how they read its replies.

const MAX_TOKENS = 4_000;
const BUDGET = 2_000;

export const thinking = (text: string): DoubleReply['parts'][number] => ({ type: 'thinking', text });
export const text = (words: string): DoubleReply['parts'][number] => ({ type: 'text', text: words });
export const call = (id: string, name: string, input: JsonBody): DoubleReply['parts'][number] => ({
  type: 'call',
  id,
  name,
  input,
});

/** One answered call. */
export interface Answered {
  readonly seen: SeenReply;
  readonly id: string;
  /** In the face's own form. */
  readonly usage: JsonBody;
}

/** Each dialect through each face, whole and streamed. */
export const casesOf = (dialects: readonly WireDialect[] = DIALECTS) =>
  dialects.flatMap((dialect) =>
    ALL_FACES.flatMap((face) => [false, true].map((stream) => ({ dialect, face, stream, name: face.name }))),
  );

/** A caller of one gateway. */
export class Talk {
  constructor(private readonly bench: ToolMatrixBench) {}

  /** Scripts replies one after the other; the last one repeats. Advisors always send the same. */
  script(dialect: WireDialect, ...replies: readonly DoubleReply[]): void {
    const { bench } = this;
    for (const one of new Set([bench.doubleOf(dialect), bench.doubleOf('openai-chat')])) {
      let next = 0;
      one.script((call) => {
        if (isAdviser(call)) return { parts: [text(ADVICE)] };
        return bench.placed(replies[Math.min(next++, replies.length - 1)]!);
      });
    }
  }

  /** Bodies of the calls since the bench was reset. */
  sentTo(dialect: WireDialect): JsonBody[] {
    return this.bench
      .doubleOf(dialect)
      .calls.filter((call) => !isAdviser(call) && call.dialect === dialect)
      .map(({ body }) => this.bench.read(body));
  }

  /** @throws with the status and the body of a failure */
  async ask(face: AnyFace, dialect: WireDialect, fields: object, stream: boolean): Promise<Answered> {
    const body = { model: idOf(dialect), max_tokens: MAX_TOKENS, stream, ...face.thinking(BUDGET), ...fields };
    const response = await this.bench.send(face.path, body);
    const printed = await response.text();
    if (response.status !== 200) throw new Error(`${response.status} ${printed} ${this.bench.violations.join(' ')}`);
    const seen = stream ? face.streamed(printed) : face.whole(JSON.parse(printed));
    return { seen, id: response.headers.get('x-generation-id')!, usage: usageIn(face, printed, stream) };
  }
}

const STREAMED_USAGE: Readonly<Record<FaceName, (printed: string) => JsonBody>> = {
  messages: (printed) => buildMessage(readMessagesEvents(printed)).usage,
  chat: (printed) => joinChunks(readChunks(printed)).usage,
  responses: (printed) => readResponseEvents(printed).at(-1).response.usage,
};

function usageIn(face: AnyFace, printed: string, stream: boolean): JsonBody {
  if (!stream) return JSON.parse(printed).usage;
  return STREAMED_USAGE[face.name](printed);
}

/** Where a longer conversation differs from the shorter one at its beginning; '' where it does not. */
export function promptFault(dialect: WireDialect, shorter: JsonBody, longer: JsonBody): string {
  // An empty list of citations of the Messages face equals none.
  const [due, found] = [shorter, longer].map((body) =>
    promptBytes(dialect, body).replaceAll(',"citations":[]', ''),
  ) as [string, string];
  if (found.startsWith(due)) return '';
  const at = [...due].findIndex((character, index) => character !== found[index]);
  return `${due.slice(Math.max(0, at - 80), at + 160)}  <>  ${found.slice(Math.max(0, at - 80), at + 160)}`;
}
