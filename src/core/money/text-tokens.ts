/** The tokens of a text in the bound of a prompt, as in `measurePrompt`. */
export const textTokens = (text: string): number => Math.ceil((3 * Buffer.byteLength(text) - 2 * text.length) / 2);
