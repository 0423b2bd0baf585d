import type { BlockStart, ModelEvent, ServiceToolResult } from '../../core/conversation/event.js';
import type { Usage } from '../../core/conversation/usage.js';
import { plainVector } from '../../core/conversation/vectors.js';
import { definedOnly } from '../../core/defined.js';
import { parseJson, printJson, type Json } from '../../core/json/json.js';
import { parseWithNumberLists, type NumberLists } from '../../core/json/number-lists.js';
import { doAtOnce } from '../../core/steps.js';

/** The figures that count for a reply from the cache. */
export const NOTHING_USED: Usage = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 };

/** A result of a tool as it is stored: its seal is made ahead. */
type StoredResult = Omit<ServiceToolResult, 'seal'> & { readonly seal: string | null };

/** One line for a batch of events, without the bytes that they were read from. */
export const printBatch = (batch: readonly ModelEvent[]): string => `${printJson(batch.map(withoutSource))}\n`;

/** The events of a line. A report of usage keeps the tier, the speed and the location, and no figure. */
export const parseBatch = (line: string): ModelEvent[] =>
  (line.includes(VECTORS) && parseVectors(line)) || (parseJson(line) as ModelEvent[]).map(restored);

/** Begins the vectors of a reply, or a member of a value of a vendor's. */
const VECTORS = '"vectors":[';

type ReplyEnd = Extract<ModelEvent, { type: 'reply-end' }>;

/** The events of a reply with vectors; undefined: it has none. */
function parseVectors(line: string): ModelEvent[] | undefined {
  const { value, lists } = doAtOnce(parseWithNumberLists(Buffer.from(line), ['vectors']));
  const events = value as ModelEvent[];
  const isVectors = events.some((event) => event.type === 'reply-end' && event.computed?.kind === 'embeddings');
  if (!isVectors) return undefined;
  return events.map((event) => (event.type === 'reply-end' ? withVectors(event, lists) : restored(event)));
}

function withVectors(event: ReplyEnd, lists: NumberLists): ReplyEnd {
  const { computed } = event;
  if (computed?.kind !== 'embeddings') return event;
  const vectors = computed.vectors.map((vector) => lists.find(vector) ?? plainVector(vector));
  return { ...event, computed: { ...computed, vectors } };
}

function withoutSource(event: ModelEvent): Json {
  const { source: _, ...rest } = event as ModelEvent & { readonly source?: unknown };
  if (event.type !== 'block-start' || event.block.type !== 'service-tool-result') return rest as unknown as Json;
  const { result } = event.block;
  const stored: StoredResult = { ...result, seal: result.seal(Infinity) ?? null };
  return { ...rest, block: { ...event.block, result: stored } } as unknown as Json;
}

function restored(event: ModelEvent): ModelEvent {
  if (event.type === 'usage') {
    const { serviceTier, speed, inferenceGeo } = event.usage;
    return { ...event, usage: { ...NOTHING_USED, ...definedOnly({ serviceTier, speed, inferenceGeo }) } };
  }
  if (event.type !== 'block-start' || event.block.type !== 'service-tool-result') return event;
  const { seal, ...result } = event.block.result as unknown as StoredResult;
  const open = (lengthMax: number): string | undefined => (seal && seal.length <= lengthMax ? seal : undefined);
  const block: BlockStart = { ...event.block, result: { ...result, seal: open } };
  return { ...event, block };
}

/** Reads lines that arrive in pieces. */
export class LineReader {
  private rest = '';

  /** @returns the lines that the piece completes */
  read(piece: Buffer): string[] {
    const lines = (this.rest + piece.toString('latin1')).split('\n');
    this.rest = lines.pop()!;
    return lines.map((line) => Buffer.from(line, 'latin1').toString());
  }
}
