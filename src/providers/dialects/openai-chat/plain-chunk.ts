import { isJsonObject, type Json, type JsonObject } from '../../../core/json/json.js';

/**
 * Maximum number of chunks of one reply that are learned from: where each chunk has new fields, the parser reads the
 * stream.
 */
const LESSONS_MAX = 4;
const NAME = '"content"';
const COLON = /: ?"/y;
// oxlint-disable-next-line no-control-regex -- control characters are what it looks for
const NOT_PLAIN = /["\\\u0000-\u001f]/;

/**
 * Reads the most frequent chunks of a stream without parsing their JSON. It learns the text before and after the words
 * from a chunk with nothing but words. A later chunk that differs only in its words, without escapes, has the same
 * meaning with other words. One per reply.
 */
export class PlainChunk {
  private head: string | undefined;
  private tail = '';
  private lessons = 0;

  /** @returns its words, possibly empty; undefined for any other chunk, of which nothing was read */
  read(data: string): string | undefined {
    const { head, tail } = this;
    if (head === undefined || data.length < head.length + tail.length) return undefined;
    if (!data.startsWith(head) || !data.endsWith(tail)) return undefined;
    const words = data.slice(head.length, data.length - tail.length);
    return NOT_PLAIN.test(words) ? undefined : words;
  }

  /** @param chunk the parsed data */
  learn(data: string, chunk: JsonObject): void {
    if (this.lessons === LESSONS_MAX || !hasOnlyText(chunk)) return;
    this.lessons++;
    // Without escapes a key has one spelling, so the only key of that name is the one whose words were found.
    const index = data.indexOf(NAME);
    if (data.includes('\\') || data.includes(NAME, index + 1)) return;
    COLON.lastIndex = index + NAME.length;
    if (!COLON.test(data)) return;
    this.head = data.slice(0, COLON.lastIndex);
    this.tail = data.slice(data.indexOf('"', COLON.lastIndex));
  }
}

/** Whether the envelope has one choice, index 0, unfinished, with only text. */
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
