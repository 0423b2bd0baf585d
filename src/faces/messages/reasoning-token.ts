import { isAnthropicReasoning, type ReasoningMark } from '../../core/conversation/reasoning-mark.js';
import { isJsonObject } from '../../core/json/json.js';

/*
 * The Messages format has no field for the vendor of a signature or of sealed data: those of other vendors are wrapped
 * together with it, as JSON in base64 (docs/contribute/decisions/0042).
 */

/** Base64 of the common beginning of all tokens; no vendor's signature is JSON. */
const HEAD = Buffer.from('{"format"').toString('base64');

/** The wire form of a signature or of sealed data. */
export function printToken(data: string, mark: ReasoningMark | undefined): string {
  if (mark === undefined || isAnthropicReasoning(mark)) return data;
  const { format, provider, id, isSummary } = mark;
  return Buffer.from(JSON.stringify({ format, provider, id, is_summary: isSummary, data })).toString('base64');
}

/** The vendor's own data and the vendor; undefined for what is no token: Anthropic's, as far as is known. */
export function readToken(token: string): { readonly data: string; readonly mark: ReasoningMark } | undefined {
  if (!token.startsWith(HEAD)) return undefined;
  let value: unknown;
  try {
    value = JSON.parse(Buffer.from(token, 'base64').toString('utf8'));
  } catch {
    return undefined;
  }
  if (!isJsonObject(value)) return undefined;
  const { format, provider, id, is_summary: isSummary, data } = value;
  if (typeof format !== 'string' || typeof data !== 'string') return undefined;
  const mark: ReasoningMark = {
    format,
    ...(typeof provider === 'string' && { provider }),
    ...(typeof id === 'string' && { id }),
    ...(isSummary === true && { isSummary }),
  };
  return { data, mark };
}
