import type { MediaSource } from '../../core/conversation/content.js';
import type { Base64Text } from '../../core/json/base64-text.js';

export const PDF = 'application/pdf';
const PDF_NAME = 'document.pdf';

/** A medium as an address: its own, or a data URL of its bytes. */
export function urlOf(source: MediaSource): string {
  return source.type === 'url' ? source.url : `data:${source.mediaType};base64,${source.data}`;
}

const ADDRESS = /^https?:\/\//i;
const DATA_URL = /^data:([^;,]+)[^,]*;base64,/i;

/** The inverse: the medium at a vendor's address. Undefined for any other text. */
export function sourceOf(url: string): MediaSource | undefined {
  if (ADDRESS.test(url)) return { type: 'url', url };
  // Only the beginning is matched: the bytes may be many.
  const head = DATA_URL.exec(url.slice(0, HEAD_CHARACTERS_MAX));
  const data = head ? url.slice(head[0].length) : '';
  return head && data !== '' ? { type: 'base64', mediaType: head[1]!.toLowerCase(), data } : undefined;
}

/** Maximum number of characters of a data URL before its bytes. */
const HEAD_CHARACTERS_MAX = 256;

/** Bytes as a data URL; bytes that the gateway fetched are not copied. */
export function dataUrl(mediaType: string, base64: string | Base64Text): string | Base64Text {
  const lead = `data:${mediaType};base64,`;
  return typeof base64 === 'string' ? lead + base64 : base64.after(lead);
}

/** OpenAI's formats require a file name, and OpenAI requires an extension that gives the type. */
export function fileName(title: string | undefined, mediaType: string): string {
  if (title === undefined || title === '') return mediaType === PDF ? PDF_NAME : 'document';
  return mediaType !== PDF || title.toLowerCase().endsWith('.pdf') ? title : `${title}.pdf`;
}

/** The text of a document with a text type. */
export const textOf = (base64: string | Base64Text): string =>
  Buffer.from(base64.toString(), 'base64').toString('utf8');
