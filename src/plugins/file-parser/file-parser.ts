import type { ModelRequest } from '../../core/conversation/request.js';
import { traitsOf } from '../../core/conversation/traits.js';
import type { JsonObject } from '../../core/json/json.js';
import type { LocalContext, Plugin, Prepared } from '../../core/plugin.js';
import { flag, object, oneOf, optional } from '../../shared/http/schema.js';
import { chooseEngine, NOT_REQUESTED } from './choose-engine.js';
import { assertReadable, hashOf, listFiles, nameOf, parse, parsedFile, ReadFiles, reasonOf } from './read-files.js';
import { growthOf, heldGrowthOf, isAwaited, priceOf, readOutside } from './read-awaited-files.js';

/** Turns PDFs into text for models that read none (docs/use/plugins/file-parser.md). */
export const fileParser: Plugin = {
  id: 'file-parser',
  options: {
    enabled: optional(flag()),
    pdf: optional(object({ engine: optional(oneOf(['mistral-ocr', 'native', 'cloudflare-ai', 'pdf-text'])) })),
  },
  whenNotRequested: NOT_REQUESTED,
  concerns: (request) => traitsOf(request.messages).hasDocuments && listFiles(request).next().done !== true,
  prepare,
  price: (request, _options, context) => priceOf(request, context),
  addedTokens: growthOf,
  heldTokens: heldGrowthOf,
  consults: isAwaited,
  consult: (request, _options, context) => readOutside(request, context),
};

/**
 * Reads what is in the request and costs nothing to read. Files by address, and files for an engine, are marked as
 * awaited.
 */
async function prepare(request: ModelRequest, options: JsonObject, context: LocalContext): Promise<Prepared> {
  const engine = chooseEngine(request, options, context.catalog);
  if (engine.name === 'native') return { request };
  // A consulted model may be sent files that were read before.
  const found = [...listFiles(request)].filter(({ block }) => block.inWords?.type !== 'blocks');
  assertReadable(found);
  const files = new ReadFiles(request, engine, context);
  const isScan = engine.name === 'mistral-ocr';
  let read = 0;
  let left = 0;
  for (const file of found) {
    const { block } = file;
    if (block.source.type === 'url') {
      files.setWords(block, { type: 'awaited', isScan, isForAll: engine.isForAll });
      continue;
    }
    try {
      const { data } = block.source;
      const hash = await hashOf(data, context);
      const known = files.find(hash, nameOf(block.title));
      if (!known && isScan) {
        const { pages } = await parse(data, false, context);
        files.setWords(block, { type: 'awaited', isScan, isForAll: engine.isForAll, pages });
        continue;
      }
      if (!known) files.keep(parsedFile(hash, block, await parse(data, true, context)));
      files.setWords(block, { type: 'blocks', blocks: files.find(hash, nameOf(block.title))!.content });
      read++;
    } catch (error) {
      context.signal.throwIfAborted();
      files.unreadable(file, reasonOf(error));
      left++;
    }
  }
  const data = { engine: engine.name, files: read, ...(left > 0 && { left_to_models: left }) };
  return { ...files.done(engine.isForAll), ...(read + left > 0 && { note: { summary: 'parsed', data } }) };
}
