const CONTROL = /\p{Cc}/gu;

/** Makes foreign text safe to print: removes characters that control a terminal or begin a line. */
export const oneLine = (text: string): string => text.replace(CONTROL, ' ');
