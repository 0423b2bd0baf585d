import type { MediaSource } from '../../core/conversation/content.js';
import type { Base64Text } from '../../core/json/base64-text.js';

export const PDF = 'application/pdf';
const PDF_NAME = 'document.pdf';

/** A medium as one address: its own, or a data URL of its bytes. */
export function urlOf(source: MediaSource): string {
  return source.type === 'url' ? source.url : `data:${source.mediaType};base64,${source.data}`;
}

const ADDRESS = /^https?:\/\//i;
const DATA_URL = /^data:([^;,]+)[^,]*;base64,/i;

/** The other way round: what a vendor tells as one address. Undefined for anything else. */
export function sourceOf(url: string): MediaSource | undefined {
  if (ADDRESS.test(url)) return { type: 'url', url };
  // Its head alone is looked at: the bytes may be many.
  const head = DATA_URL.exec(url.slice(0, HEAD_CHARACTERS_MAX));
  const data = head ? url.slice(head[0].length) : '';
  return head && data !== '' ? { type: 'base64', mediaType: head[1]!.toLowerCase(), data } : undefined;
}

/** Of a data URL, up to its bytes. */
const HEAD_CHARACTERS_MAX = 256;

/** Bytes as a data URL; those that the gateway fetched are not copied for it. */
export function dataUrl(mediaType: string, base64: string | Base64Text): string | Base64Text {
  const lead = `data:${mediaType};base64,`;
  return typeof base64 === 'string' ? lead + base64 : base64.after(lead);
}

/** OpenAI's formats want a name of a file, and OpenAI one whose ending tells the type. */
export function fileName(title: string | undefined, mediaType: string): string {
  if (title === undefined || title === '') return mediaType === PDF ? PDF_NAME : 'document';
  return mediaType !== PDF || title.toLowerCase().endsWith('.pdf') ? title : `${title}.pdf`;
}

/** The words of a document whose type is a text. */
export const textOf = (base64: string | Base64Text): string =>
  Buffer.from(base64.toString(), 'base64').toString('utf8');
