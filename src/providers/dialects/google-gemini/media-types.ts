import type { AudioBlock } from '../../../core/conversation/content.js';

/** Addresses that the vendor reads itself, everything else is fetched for it (ai.google.dev/gemini-api/docs/files). */
const READ_BY_VENDOR: readonly RegExp[] = [
  /^gs:\/\//i,
  /^https:\/\/generativelanguage\.googleapis\.com\/v[\w.]+\/files\//i,
  /^https:\/\/(?:www\.|m\.)?youtube\.com\/(?:watch\?|shorts\/|live\/|embed\/)/i,
  /^https:\/\/youtu\.be\//i,
];

export const isReadByVendor = (url: string): boolean => READ_BY_VENDOR.some((pattern) => pattern.test(url));

/** By the ending of an address: `fileData` wants to be told what it names. */
const TYPE_OF_ENDING: Readonly<Record<string, string>> = {
  avif: 'image/avif',
  gif: 'image/gif',
  heic: 'image/heic',
  heif: 'image/heif',
  jpeg: 'image/jpeg',
  jpg: 'image/jpeg',
  png: 'image/png',
  webp: 'image/webp',
  pdf: 'application/pdf',
  txt: 'text/plain',
  html: 'text/html',
  csv: 'text/csv',
  md: 'text/markdown',
  json: 'application/json',
  mp4: 'video/mp4',
  mpeg: 'video/mpeg',
  mpg: 'video/mpeg',
  mov: 'video/quicktime',
  webm: 'video/webm',
  avi: 'video/x-msvideo',
  wmv: 'video/x-ms-wmv',
};

/** Undefined where the ending does not tell; the vendor then goes by what it stored. */
export function typeOfAddress(url: string): string | undefined {
  const ending = /\.([a-z0-9]+)(?:[?#]|$)/i.exec(url.slice(url.lastIndexOf('/')))?.[1]?.toLowerCase();
  return ending !== undefined && Object.hasOwn(TYPE_OF_ENDING, ending) ? TYPE_OF_ENDING[ending] : undefined;
}

/** What the chat format calls a sound, where that is not its media type. */
const AUDIO_TYPES: Readonly<Record<string, string>> = {
  m4a: 'audio/mp4',
  mpga: 'audio/mpeg',
  oga: 'audio/ogg',
  pcm16: 'audio/pcm',
};

export const audioType = ({ format }: AudioBlock): string =>
  Object.hasOwn(AUDIO_TYPES, format) ? AUDIO_TYPES[format]! : `audio/${format}`;
