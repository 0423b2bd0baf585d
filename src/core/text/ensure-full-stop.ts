/**
 * A sentence with a full stop, added where it is missing: text from others is appended to the gateway's own sentences.
 */
export const ensureFullStop = (sentence: string): string => (/[.!?]$/.test(sentence) ? sentence : `${sentence}.`);
