import { isDeepStrictEqual } from 'node:util';
import { compile } from '../../src/shared/http/schema.js';
import { KNOWN_ITEMS } from '../../src/faces/responses/schemas/reply.js';
import type { JsonBody } from '../support/recorded-request.js';
import { differs, type Difference } from './compare-response.js';
import type { Harness, Recording } from './harness.js';

const IS_KNOWN_ITEM = compile(KNOWN_ITEMS);
const KNOWN_TYPES = new Set(['message', 'reasoning', 'function_call', 'custom_tool_call', 'image_generation_call']);

/** Exact forms, and the provider's own items where it speaks this format: what came is what goes. */
export function compareItems(recording: Recording, { output }: JsonBody, harness: Harness): Difference[] {
  const malformed: JsonBody[] = output.filter(
    (item: JsonBody) => KNOWN_TYPES.has(item.type) && !IS_KNOWN_ITEM.check(item),
  );
  const differences = malformed.map((item) => differs('form', item.type, item));
  if (recording.dialect !== 'openai-responses') return differences;
  const expected = recordedItems(recording, harness).map(comparable).filter(hasContent);
  const seen: JsonBody[] = output.map(comparable);
  const taken = new Set<string>();
  for (const [index, item] of expected.entries()) {
    // An item without an id, or with one that another has, gets an id of the gateway's.
    if (item.id === undefined || taken.has(item.id)) item.id = seen[index]?.id;
    taken.add(item.id);
  }
  // Each vendor's seal is in the gateway's, which is compared on its own.
  for (const item of [...expected, ...seen]) delete item.seal;
  for (let index = 0; index < Math.max(expected.length, seen.length); index++) {
    if (isDeepStrictEqual(expected[index], seen[index])) continue;
    differences.push(differs(`item ${expected[index]?.type ?? 'of nobody'}`, expected[index], seen[index]));
  }
  return differences;
}

function recordedItems({ mode, bytes }: Recording, { frames }: Harness): JsonBody[] {
  const text = bytes.toString('utf8');
  if (mode === 'whole') return JSON.parse(text).output;
  const items: JsonBody[] = [];
  let end: JsonBody;
  for (const { data } of frames(text)) {
    if (data.trim() === '[DONE]') continue;
    const event: JsonBody = JSON.parse(data);
    if (event.type === 'response.output_item.done') items[event.output_index] = event.item;
    if (event.response) end = event.response;
  }
  const ended = items.filter(Boolean);
  return ended.length > 0 ? ended : end.output;
}

const textsOf = (parts: readonly JsonBody[] | null | undefined): string[] =>
  (parts ?? []).map(({ text, refusal }) => text ?? refusal);

/** Reasoning with nothing to read and nothing to hand back is left out (docs/use/responses.md#reply). */
const hasContent = ({ type, summary, content, seal }: JsonBody): boolean =>
  type !== 'reasoning' || summary.length > 0 || content.length > 0 || Boolean(seal);

/** Annotations that have no address, without repetitions: a stream may have them in another order. */
const filesOf = (parts: readonly JsonBody[] | null | undefined): string[] =>
  [
    ...new Set(
      (parts ?? [])
        .flatMap(({ annotations }) => annotations ?? [])
        .filter(({ url }: JsonBody) => url === undefined)
        .map((annotation: JsonBody) => JSON.stringify(annotation)),
    ),
  ].toSorted();

/** What must stay the same. Proofs, addresses of citations and log probabilities are compared on their own. */
function comparable(item: JsonBody): JsonBody {
  const { type, id, call_id, name, phase, summary, content } = item;
  switch (type) {
    case 'message':
      return { type, id, texts: textsOf(content), files: filesOf(content), ...(phase && { phase }) };
    case 'reasoning':
      return { type, id, summary: textsOf(summary), content: textsOf(content), seal: item.encrypted_content };
    case 'function_call':
      return { type, id, call_id, name, arguments: item.arguments };
    case 'custom_tool_call':
      return { type, id, call_id, name, input: item.input };
    case 'image_generation_call':
      return { type, id, result: item.result };
    default:
      return item;
  }
}
