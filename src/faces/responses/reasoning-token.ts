import { hash } from 'node:crypto';
import type { RedactedThinkingBlock, ThinkingBlock } from '../../core/conversation/content.js';
import { GATEWAY_TOOLS, SEAL_PREFIX, type ReasoningMark } from '../../core/conversation/reasoning-mark.js';
import { isJsonObject, type Json, type JsonObject } from '../../core/json/json.js';

/*
 * `encrypted_content` of a reasoning item: whatever its vendor requires to read the reasoning again, with the vendor's
 * name, so that the item is complete without its other members (docs/use/responses.md#reasoning). The proof inside is
 * the vendor's own; the sum finds what was altered or cut on the way.
 */

export type ReasoningBlock = ThinkingBlock | RedactedThinkingBlock;

const PREFIX = 'fr1.';
/** Hexadecimal digits of the sum: enough for accidents, and the vendor itself judges its proof. */
const SUM_LENGTH = 16;

/** Far above what an item has: one to a few blocks, with signatures of some thousand characters. Chosen. */
const BLOCKS_MAX = 1_000;
const TOKEN_LENGTH_MAX = 2 * 1024 * 1024;

const sumOf = (body: string): string => hash('sha256', body, 'hex').slice(0, SUM_LENGTH);

/** @param blocks of one item */
export function printToken(blocks: readonly ReasoningBlock[]): string {
  const body = Buffer.from(JSON.stringify(blocks)).toString('base64url');
  return `${PREFIX}${body}.${sumOf(body)}`;
}

/** The blocks of an item; empty for a content of another origin, and for one that was altered. */
export function readToken(token: string): readonly ReasoningBlock[] {
  if (token.startsWith(SEAL_PREFIX)) {
    return [{ type: 'redacted-thinking', data: token, mark: { format: GATEWAY_TOOLS } }];
  }
  if (token.length > TOKEN_LENGTH_MAX) return [];
  const [body = '', sum] = token.slice(PREFIX.length).split('.');
  if (!token.startsWith(PREFIX) || sum !== sumOf(body)) return [];
  const value = parse(Buffer.from(body, 'base64url').toString('utf8'));
  return Array.isArray(value) && value.length <= BLOCKS_MAX ? (value as readonly Json[]).flatMap(readBlock) : [];
}

/** Anyone can compute the sum. */
function parse(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}

function readBlock(value: Json): ReasoningBlock[] {
  if (!isJsonObject(value)) return [];
  const { type, thinking, data, signature, mark } = value;
  const marked = isJsonObject(mark) && typeof mark['format'] === 'string' && { mark: readMark(mark, mark['format']) };
  if (type === 'redacted-thinking' && typeof data === 'string' && data !== '') return [{ type, data, ...marked }];
  if (type !== 'thinking' || typeof thinking !== 'string') return [];
  return [{ type, thinking, ...(typeof signature === 'string' && { signature }), ...marked }];
}

function readMark({ provider, id, isSummary, isOfText }: JsonObject, format: string): ReasoningMark {
  return {
    format,
    ...(typeof provider === 'string' && { provider }),
    ...(typeof id === 'string' && { id }),
    ...(isSummary === true && { isSummary }),
    ...(isOfText === true && { isOfText }),
  };
}
