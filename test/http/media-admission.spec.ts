/**
 * Checks that an account which begins with ten dollars is granted one small image at a shipped model of each author,
 * and one page of a PDF at the dearest of those that take PDFs. Explanations by the shipped catalog, on both
 * databases, look up what the counters would grant; no provider is called. `default-catalog.spec.ts` has the bound at
 * every shipped model.
 */
import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { startGateway, type TestGateway } from '../support/app.js';
import { describeOnEachDatabase } from '../support/database.js';
import { png } from '../support/images.js';
import { pdf, show } from '../support/pdfs.js';
import type { JsonBody } from '../support/recorded-request.js';

const DEAR = ['openai/gpt-5.4-pro', 'openai/gpt-5.5-pro', 'openai/o1-pro'];
const TRIES_MAX = 5;
const PAUSE_MS = 200;
const STEP_MS_MAX = 60_000;

describeOnEachDatabase('an account that begins with ten dollars', (database) => {
  let gateway: TestGateway;
  let models: readonly string[];

  beforeAll(async () => {
    // Endpoints without a credential are no candidates.
    for (const [, name] of readFileSync('catalog/default.yaml', 'utf8').matchAll(/credential: \{ env: (\w+) \}/g))
      process.env[name!] = 'a-credential-of-nobody';
    gateway = await startGateway(database, { variables: { FAIRLEAD_INITIAL_CREDITS: '10' } });
    const { data } = (await (await gateway.request('/models?input_modalities=image&output_modalities=all')).json()) as {
      data: readonly { readonly id: string }[];
    };
    const authors = new Map(data.map(({ id }) => [id.split('/')[0], id]));
    models = [...new Set([...DEAR, ...authors.values()])];
  }, STEP_MS_MAX);
  afterAll(() => gateway?.close());

  const base64 = (mediaType: string, bytes: Buffer): object => ({
    type: 'base64',
    media_type: mediaType,
    data: bytes.toString('base64'),
  });
  async function candidatesOf(model: string, block: object): Promise<readonly JsonBody[]> {
    const reply = await gateway.request('/routing/explain', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ model, max_tokens: 1_000, messages: [{ role: 'user', content: [block] }] }),
    });
    return ((await reply.json()) as JsonBody).data.candidates;
  }

  it(
    'is granted an image of one pixel at a model of each author',
    async () => {
      expect(models.length).toBeGreaterThan(20);
      const refused: string[] = [];
      for (const model of models) {
        const candidates = await candidatesOf(model, { type: 'image', source: base64('image/png', png(1, 1)) });
        if (candidates.length === 0) refused.push(`${model}: no candidate`);
        for (const { tag, would_be_granted: isGranted } of candidates)
          if (isGranted !== true) refused.push(`${model} at ${tag}`);
      }
      expect(refused).toEqual([]);
    },
    STEP_MS_MAX,
  );

  it.each(DEAR)(
    'is granted a page at %s',
    async (model) => {
      const source = base64('application/pdf', pdf({ pages: [show('hello world')] }));
      const isGranted = async (): Promise<boolean> => {
        const candidates = await candidatesOf(model, { type: 'document', source });
        expect(candidates.length).toBeGreaterThan(0);
        return candidates.every((one) => one.would_be_granted === true);
      };
      // A busy machine may fail to count the pages in a tenth of a second, and then holds for the longest document.
      let granted = await isGranted();
      for (let tries = 1; !granted && tries < TRIES_MAX; tries++) {
        await pause(PAUSE_MS * tries);
        granted = await isGranted();
      }
      expect(granted).toBe(true);
    },
    STEP_MS_MAX,
  );
});
