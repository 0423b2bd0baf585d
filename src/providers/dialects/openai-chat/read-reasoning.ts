import { UNNAMED_REASONING, type ReasoningMark } from '../../../core/conversation/reasoning-mark.js';
import { isJsonObject, type Json, type JsonObject } from '../../../core/json/json.js';

/** A piece of reasoning. Consecutive pieces with one `key` are one block; an encrypted piece is complete. */
export interface ReasoningPiece {
  readonly text: string;
  readonly key: string;
  readonly mark?: ReasoningMark;
  readonly signature?: string;
  /** Encrypted content that only its maker can read. */
  readonly sealed?: string;
}

/** Reasoning that must not be sent back. */
export const plainReasoning = (text: string): ReasoningPiece => ({ text, key: '' });

/**
 * The reasoning in a chunk's `delta` or a whole `message`, under any of the providers' names for it.
 * @param provider slug of the provider
 */
export function readReasoning(piece: JsonObject, provider: string): readonly ReasoningPiece[] {
  const content = piece['reasoning_content'] ?? piece['reasoning'];
  const plain = typeof content === 'string' ? content : '';
  const details = piece['reasoning_details'];
  if (!Array.isArray(details)) return plain === '' ? [] : [plainReasoning(plain)];
  const pieces = (details as readonly Json[]).flatMap((detail) => readDetail(detail, provider) ?? []);
  // The two fields, where both have text, have the same text.
  return plain === '' || pieces.some(({ text }) => text !== '') ? pieces : [plainReasoning(plain), ...pieces];
}

function readDetail(detail: Json, provider: string): ReasoningPiece | undefined {
  if (!isJsonObject(detail)) return undefined;
  const { type, index } = detail;
  const isSummary = type === 'reasoning.summary';
  const id = textAt(detail, 'id');
  const mark: ReasoningMark = {
    format: textAt(detail, 'format') || UNNAMED_REASONING,
    provider,
    ...(id !== '' && { id }),
    ...(isSummary && { isSummary }),
  };
  const sealed = textAt(detail, 'data');
  if (type === 'reasoning.encrypted') return sealed === '' ? undefined : { text: '', key: '', mark, sealed };
  const signature = textAt(detail, 'signature');
  return {
    text: textAt(detail, 'text') || textAt(detail, 'summary'),
    key: `${isSummary ? 'summary' : 'text'} ${typeof index === 'number' ? index : ''} ${mark.format}`,
    mark,
    ...(signature !== '' && { signature }),
  };
}

function textAt(detail: JsonObject, key: string): string {
  const value = detail[key];
  return typeof value === 'string' ? value : '';
}
