import type { JsonObject } from '../json/json.js';
import type { ImageBlock, TextBlock } from './content.js';

/** The content of a file, as it is returned with a reply, sent back and stored. */
export interface ParsedFile {
  /** SHA-256 of its bytes, hex. */
  readonly hash: string;
  readonly name: string;
  /** One text for each page; pictures follow the text of their page. */
  readonly content: readonly (TextBlock | ImageBlock)[];
}

/** The annotation of a file (docs/use/plugins/file-parser.md). */
export const viewParsedFile = ({ hash, name, content }: ParsedFile): JsonObject => ({
  type: 'file',
  file: { hash, name, content: content.map(viewPart) },
});

const viewPart = (block: TextBlock | ImageBlock): JsonObject =>
  block.type === 'text'
    ? { type: 'text', text: block.text }
    : { type: 'image_url', image_url: { url: urlOf(block.source) } };

const urlOf = (source: ImageBlock['source']): string =>
  source.type === 'url' ? source.url : `data:${source.mediaType};base64,${source.data}`;

/** The length of its content, in characters. */
export const lengthOfFile = ({ content }: Pick<ParsedFile, 'content'>): number =>
  content.reduce((sum, block) => sum + lengthOf(block), 0);

function lengthOf(block: TextBlock | ImageBlock): number {
  if (block.type === 'text') return block.text.length;
  return block.source.type === 'base64' ? block.source.data.length : block.source.url.length;
}
