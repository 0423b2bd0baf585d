import type { AudioBlock } from '../../../core/conversation/content.js';

/**
 * Addresses that the vendor reads itself, everything else is fetched for it. Buckets (`gs://`) and stored files are not
 * among them: they would be read as the owner of the credential, who is mostly not the caller.
 */
const READ_BY_VENDOR: readonly RegExp[] = [
  /^https:\/\/(?:www\.|m\.)?youtube\.com\/(?:watch\?|shorts\/|live\/|embed\/)/i,
  /^https:\/\/youtu\.be\//i,
];

export const isReadByVendor = (url: string): boolean => READ_BY_VENDOR.some((pattern) => pattern.test(url));

/** What the chat format calls a sound, where that is not its media type. */
const AUDIO_TYPES: Readonly<Record<string, string>> = {
  m4a: 'audio/mp4',
  mpga: 'audio/mpeg',
  oga: 'audio/ogg',
  pcm16: 'audio/pcm',
};

export const audioType = ({ format }: AudioBlock): string =>
  Object.hasOwn(AUDIO_TYPES, format) ? AUDIO_TYPES[format]! : `audio/${format}`;
