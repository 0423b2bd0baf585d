import { isJsonObject, type Json, type JsonObject } from '../../../core/json/json.js';

/** Chunks of one reply that are looked at: upstreams that write something new into each are left to the parser. */
const LESSONS_MAX = 4;
const NAME = '"content"';
const COLON = /: ?"/y;
// oxlint-disable-next-line no-control-regex -- control characters are what it looks for
const NOT_PLAIN = /["\\\u0000-\u001f]/;

/**
 * Reads the chunks that most of a stream is made of without parsing their JSON. A chunk that held words and nothing
 * else teaches what stands before and after them; a later one that is the same but for its words, with nothing escaped
 * in them, says the same of other words. One per reply.
 */
export class PlainChunk {
  private head: string | undefined;
  private tail = '';
  private lessons = 0;

  /** @returns its words, which may be none; undefined when the chunk is another, of which nothing was read */
  read(data: string): string | undefined {
    const { head, tail } = this;
    if (head === undefined || data.length < head.length + tail.length) return undefined;
    if (!data.startsWith(head) || !data.endsWith(tail)) return undefined;
    const words = data.slice(head.length, data.length - tail.length);
    return NOT_PLAIN.test(words) ? undefined : words;
  }

  /** @param chunk what the parser made of the data */
  learn(data: string, chunk: JsonObject): void {
    if (this.lessons === LESSONS_MAX || !hasOnlyText(chunk)) return;
    this.lessons++;
    // Without escapes a key is spelt in one way: the only one of that name is the one whose words were found.
    const place = data.indexOf(NAME);
    if (data.includes('\\') || data.includes(NAME, place + 1)) return;
    COLON.lastIndex = place + NAME.length;
    if (!COLON.test(data)) return;
    this.head = data.slice(0, COLON.lastIndex);
    this.tail = data.slice(data.indexOf('"', COLON.lastIndex));
  }
}

/** Beside the envelope: one choice, the one that is read, unfinished, that holds text. */
function hasOnlyText({ choices, usage }: JsonObject): boolean {
  if (isGiven(usage) || !Array.isArray(choices) || choices.length !== 1) return false;
  const [choice] = choices as readonly Json[];
  if (!isJsonObject(choice) || !isJsonObject(choice['delta'])) return false;
  if ((choice['index'] ?? 0) !== 0) return false;
  if (isGiven(choice['finish_reason']) || isGiven(choice['usage']) || isGiven(choice['logprobs'])) return false;
  return (
    Object.entries(choice['delta']).every(([key, value]) =>
      key === 'content' ? typeof value === 'string' && value !== '' : key === 'role' || !isGiven(value),
    ) && choice['delta']['content'] !== undefined
  );
}

const isGiven = (value: Json | undefined): boolean => value !== undefined && value !== null;
