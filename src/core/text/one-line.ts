const CONTROL = /\p{Cc}/gu;

/** Text of others that is printed: without what moves a terminal, or begins a line. */
export const oneLine = (text: string): string => text.replace(CONTROL, ' ');
