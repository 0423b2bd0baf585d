// Fetched files and texts of engines count towards the bytes in flight of their key as long as they are needed, and are
// refused where there is no capacity.
import { extensionContext } from '../../../test/support/extension-context.js';
import { modelRequest } from '../../../test/support/model-request.js';
import { catalogOf } from '../../../test/support/route-inputs.js';
import type { ContentBlock } from '../../core/conversation/content.js';
import type { ExtensionContext } from '../../core/extension.js';
import { readOutside } from './read-awaited-files.js';

const FILES = 3;
const BYTES = 3_000;
const TEXT = 'words of a page';

const requestFor = (isScan: boolean) => {
  const content = Array.from({ length: FILES }, (_, at): ContentBlock => ({
    type: 'document',
    source: { type: 'url', url: `https://files.example/${at}.pdf` },
    inWords: { type: 'awaited', isScan, isForAll: true },
  }));
  return modelRequest({ messages: [{ role: 'user', content }] });
};

/** @param room for everything that is held or kept at a time */
function bench(room = Infinity) {
  const seen = { held: 0, kept: 0, most: 0, whileRead: [] as number[] };
  const take = (bytes: number): boolean => {
    if (seen.held + seen.kept + bytes > room) return false;
    seen.held += bytes;
    seen.most = Math.max(seen.most, seen.held);
    return true;
  };
  let fetched = 0;
  const catalog = catalogOf();
  const context = extensionContext({
    catalog: {
      ...catalog,
      plugins: { ...catalog.plugins, ocr: { id: 'mistral-ocr', price: 1n, timeoutMs: 1 } as never },
    },
    keep: (bytes) => {
      if (seen.held + seen.kept + bytes > room) return false;
      seen.kept += bytes;
      return true;
    },
    guardedFetch: {
      allows: () => true,
      fetch: (url) => {
        let own = BYTES;
        take(BYTES);
        return Promise.resolve({
          url,
          mediaType: 'application/pdf',
          bytes: Buffer.alloc(BYTES, String(fetched++)),
          take: (bytes) => {
            if (!take(bytes)) return false;
            own += bytes;
            return true;
          },
          release: () => {
            seen.held -= own;
            own = 0;
          },
        });
      },
    },
    workers: {
      run: () => {
        seen.whileRead.push(seen.held);
        return Promise.resolve({ pages: 1, texts: [TEXT] });
      },
    },
    engines: {
      call: () => {
        seen.whileRead.push(seen.held);
        return Promise.resolve({ pages: [{ index: 0, markdown: TEXT }], usage_info: { pages_processed: 1 } });
      },
    },
  });
  return { seen, context };
}

const BASE64 = (BYTES / 3) * 4;
const read = (isScan: boolean, context: ExtensionContext) => readOutside(requestFor(isScan), context);

it('holds a file while it is parsed here, and then its text', async () => {
  const { seen, context } = bench();
  await read(false, context);
  expect(seen).toMatchObject({ held: 0, most: BASE64, whileRead: [BASE64, BASE64, BASE64] });
  expect(seen.kept).toBeGreaterThanOrEqual(FILES * TEXT.length);
});

it('holds all files for an engine until they are read, and then their texts', async () => {
  const { seen, context } = bench();
  await read(true, context);
  const waiting = [1, 2, 3, 3, 2, 1].map((files) => files * BASE64);
  expect(seen).toMatchObject({ held: 0, most: FILES * BASE64, whileRead: waiting });
  expect(seen.kept).toBeGreaterThanOrEqual(FILES * TEXT.length);
});

it.each([
  ['a file as text', BYTES],
  ['its words', BASE64],
])('fails with `busy` where %s exceeds the bytes in flight, and holds nothing', async (_, room) => {
  const { seen, context } = bench(room);
  await expect(read(false, context)).rejects.toMatchObject({ kind: 'busy', message: 'too much is being read' });
  expect(seen).toMatchObject({ held: 0, kept: 0 });
});

it('refuses the result of an engine whose texts exceed the bytes in flight', async () => {
  const { context } = bench(FILES * BASE64);
  await expect(read(true, context)).rejects.toMatchObject({ kind: 'unavailable', message: /too much is being read$/ });
});
