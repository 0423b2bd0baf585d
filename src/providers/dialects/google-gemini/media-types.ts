import type { AudioBlock } from '../../../core/conversation/content.js';

/**
 * Addresses that the vendor reads itself; the gateway fetches all others. Buckets (`gs://`) and stored files are not
 * listed: they would be read as the owner of the credential, who is usually not the caller.
 */
const READ_BY_VENDOR: readonly RegExp[] = [
  /^https:\/\/(?:www\.|m\.)?youtube\.com\/(?:watch\?|shorts\/|live\/|embed\/)/i,
  /^https:\/\/youtu\.be\//i,
];

export const isReadByVendor = (url: string): boolean => READ_BY_VENDOR.some((pattern) => pattern.test(url));

/** The chat format's names of audio types whose media type is not `audio/` and the name. */
const AUDIO_TYPES: Readonly<Record<string, string>> = {
  m4a: 'audio/mp4',
  mpga: 'audio/mpeg',
  oga: 'audio/ogg',
  pcm16: 'audio/pcm',
};

export const audioType = ({ format }: AudioBlock): string =>
  Object.hasOwn(AUDIO_TYPES, format) ? AUDIO_TYPES[format]! : `audio/${format}`;
