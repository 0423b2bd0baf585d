import { BLOCK_SEPARATOR, searchResultText } from '../block-text.js';
import { encodeBlock, encodeDocument, type DocumentForms, type PartBlock, type PartForms } from '../encode-parts.js';
import { urlOf } from '../media-parts.js';
import type { CohereContext } from './encode-context.js';
import type { CohereContent, CoherePart } from './wire.js';

const text = (words: string): CoherePart => ({ type: 'text', text: words });

const DOCUMENTS: DocumentForms<CoherePart, CohereContext> = {
  text,
  block: encodeParts,
};

const FORMS: PartForms<CoherePart, CohereContext> = {
  text,
  // The vendor takes bytes or an address, and fetches addresses itself (docs.cohere.com, guide on images).
  image: ({ source, detail }) => ({
    type: 'image_url',
    image_url: { url: urlOf(source), ...(detail !== undefined && { detail }) },
  }),
  document: (block, path, context) =>
    context.sources.has(block) ? [] : encodeDocument(block, path, context, DOCUMENTS),
  searchResult: (block, { sources }) => (sources.has(block) ? [] : [text(searchResultText(block))]),
};

/**
 * The parts of one block of a user turn or tool result; none for a block that is sent among the documents.
 * @param path the block's path in the caller's request
 * @throws Untranslatable when the format has no part for it
 */
export function encodeParts(block: PartBlock, path: string, context: CohereContext): CoherePart[] {
  return encodeBlock(block, path, context, FORMS);
}

/** Parts in the format's shortest form: texts as one string. */
export function contentOf(parts: readonly CoherePart[]): CohereContent {
  const texts: string[] = [];
  for (const part of parts) {
    if (part.type !== 'text') return parts;
    texts.push(part.text);
  }
  return texts.join(BLOCK_SEPARATOR);
}
