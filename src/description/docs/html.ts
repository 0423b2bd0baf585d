const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

export const escapeHtml = (text: string): string => text.replaceAll(/[&<>"]/g, (sign) => ESCAPES[sign]!);

/** A description of the document: of Markdown it has code alone. */
export const printWords = (text: string): string =>
  escapeHtml(text).replaceAll(/`([^`]+)`/g, (_, code: string) => `<code>${code}</code>`);
