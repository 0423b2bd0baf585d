/**
 * Checks that an abort by the user also ends the call of the provider. Each client aborts an answer that would never
 * end, and the loopback upstream waits for its connection to close.
 */
import { describeOnEmbedded } from '../support/database.js';
import { neverAnswers } from '../support/upstream-answers.js';
import { CLIENTS } from './clients.js';
import { PROVIDERS } from './scripted-upstream.js';
import { TestBench } from './test-bench.js';

/** From the abort to the close at the upstream. */
const CLOSE_MS_MAX = 1_000;

describeOnEmbedded('leaving with real clients', (database) => {
  let bench: TestBench;
  beforeAll(async () => {
    bench = await TestBench.start(database);
  }, 240_000);
  afterAll(() => bench?.close());

  const pairs = CLIENTS.flatMap((kind) => PROVIDERS.map((provider) => ({ kind, provider })));

  it.each(pairs)('$kind.name leaves a stream of the $provider.kind upstream', async ({ kind, provider }) => {
    const model = bench.script(provider, provider.breaksOff('Once upon a time', 'silent'));
    const arrival = bench.upstream(provider).request();
    const controller = new AbortController();
    let leftAt = 0;
    const leave = (): void => {
      leftAt ||= Date.now();
      controller.abort();
    };
    const answer = bench
      .connect(kind)
      .ask({ model, turn: 'A story' }, true, { signal: controller.signal, onText: leave });
    expect(await errorNameOf(answer)).toBe(kind.abortName);
    const record = await arrival;
    await record.closed;
    expect(record.aborted).toBe(true);
    expect(record.closedAt! - leftAt).toBeLessThan(CLOSE_MS_MAX);
  });

  it.each(pairs)('$kind.name leaves a whole answer of the $provider.kind upstream', async ({ kind, provider }) => {
    const model = bench.script(provider, neverAnswers);
    const arrival = bench.upstream(provider).request();
    const controller = new AbortController();
    const answer = errorNameOf(bench.connect(kind).ask({ model, turn: 'Hello' }, false, { signal: controller.signal }));
    const record = await arrival;
    const leftAt = Date.now();
    controller.abort();
    expect(await answer).toBe(kind.abortName);
    await record.closed;
    expect(record.aborted).toBe(true);
    expect(record.closedAt! - leftAt).toBeLessThan(CLOSE_MS_MAX);
  });
});

/** The class of the error; exceptions of the platform have it in their name alone. */
async function errorNameOf(answer: Promise<unknown>): Promise<string> {
  try {
    await answer;
  } catch (error) {
    const { name, constructor } = error as Error;
    return constructor.name === 'DOMException' ? name : constructor.name;
  }
  return 'none';
}
