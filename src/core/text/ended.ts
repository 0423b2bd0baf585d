/** A sentence with its full stop, whether it had one or not: what others say is put at the end of ours. */
export const ended = (sentence: string): string => (/[.!?]$/.test(sentence) ? sentence : `${sentence}.`);
