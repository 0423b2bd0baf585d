import type { ModelRequest } from '../../core/conversation/request.js';
import { traitsOf } from '../../core/conversation/traits.js';
import type { JsonObject } from '../../core/json/json.js';
import type { LocalContext, Plugin, Prepared } from '../../core/plugin.js';
import { flag, object, oneOf, optional } from '../../shared/http/schema.js';
import { chooseEngine, UNASKED } from './choose-engine.js';
import { assertReadable, hashOf, listFiles, nameOf, parse, parsedFile, ReadFiles, reasonOf } from './read-files.js';
import { growthOf, isAwaited, priceOf, readOutside } from './read-outside.js';

/** Turns PDFs into text for models that read none (docs/wire/tools-and-plugins.md#the-plugin-file-parser). */
export const fileParser: Plugin = {
  id: 'file-parser',
  options: {
    enabled: optional(flag()),
    pdf: optional(object({ engine: optional(oneOf(['mistral-ocr', 'native', 'cloudflare-ai', 'pdf-text'])) })),
  },
  unasked: UNASKED,
  concerns: (request) => traitsOf(request.messages).hasDocuments && listFiles(request).next().done !== true,
  prepare,
  price: (request, _options, context) => priceOf(request, context),
  growth: growthOf,
  consults: isAwaited,
  consult: (request, _options, context) => readOutside(request, context),
};

/** Reads what is at hand and costs nothing. What is by address, or an engine's, is marked. */
async function prepare(request: ModelRequest, options: JsonObject, context: LocalContext): Promise<Prepared> {
  const engine = chooseEngine(request, options, context.catalog);
  if (engine.name === 'native') return { request };
  // What a model is asked on the way may have been read before.
  const found = [...listFiles(request)].filter(({ block }) => block.inWords?.type !== 'blocks');
  assertReadable(found);
  const files = new ReadFiles(request, engine, context);
  const isScan = engine.name === 'mistral-ocr';
  let read = 0;
  let left = 0;
  for (const file of found) {
    const { block } = file;
    if (block.source.type === 'url') {
      files.tell(block, { type: 'awaited', isScan, isForAll: engine.isForAll });
      continue;
    }
    try {
      const { data } = block.source;
      const hash = await hashOf(data, context);
      const known = files.find(hash, nameOf(block.title));
      if (!known && isScan) {
        const { pages } = await parse(data, false, context);
        files.tell(block, { type: 'awaited', isScan, isForAll: engine.isForAll, pages });
        continue;
      }
      if (!known) files.keep(parsedFile(hash, block, await parse(data, true, context)));
      files.tell(block, { type: 'blocks', blocks: files.find(hash, nameOf(block.title))!.content });
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
