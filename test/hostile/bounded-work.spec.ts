/**
 * Checks that the cost of a request is bounded by its use: no field of any body, no parameter and no header delays
 * others, however large it is; `test/http/maxima.spec.ts` checks that each has a maximum. Every field of every
 * described body and query is found in `/openapi.json` itself, so a new field is covered automatically. Each is filled
 * far above any use and sent to the real application while the event loop is watched; sender and upstream are another
 * thread. The loop is watched over some requests at once, and over each alone where it was late.
 */
import { API_KEY, MANAGEMENT_KEY, extendedCatalogOf, startGateway, type TestGateway } from '../support/app.js';
import { describeOnEmbedded } from '../support/database.js';
import { DescribedForms, type Form } from '../support/described-forms.js';
import { ApiDescription, type DescribedOperation } from '../support/description.js';
import type { Leaf, LeafKind } from '../support/field-leaves.js';
import { PeerThread, type Filling, type Order, type Outcome } from './peer-thread.js';
import { DELAY_MS_MAX, delayDuring, watchLoop } from './loop-delay.js';
import type { JsonBody } from '../support/recorded-request.js';

/** Requests during which the loop is watched at once. */
const BATCH = 24;
const MINUTES = 60_000;

const FILLINGS: Readonly<Record<LeafKind, readonly Filling[]>> = {
  string: ['letters', 'separators', 'blanks'],
  number: ['digits', 'exponent', 'decimals'],
  array: ['entries'],
  map: ['members'],
  object: ['digits'],
  any: ['lists', 'members'],
};

/** One request that must delay no other. */
interface Probe {
  readonly what: string;
  readonly order: Order;
  readonly isRefused?: boolean;
}

/** Routes with a body that belong to inference keys, or to either kind. */
const FACES = ['/messages', '/messages/count_tokens', '/chat/completions', '/routing/explain'] as const;

/** The size of one line of a request's head: a whole head has at most 16 KiB. */
const LINE_BYTES = 12_000;
const MIB = 1024 * 1024;

/** Takes prompts of any length. */
const ROOMY = { context_length: 1_000_000_000 };

describeOnEmbedded('bounded work', (database) => {
  let gateway: TestGateway;
  let peerThread: PeerThread;
  let description: ApiDescription;
  let forms: DescribedForms;
  /** Ids of existing objects, by the first segment of the path. */
  const ids: Record<string, string> = {};

  beforeAll(async () => {
    peerThread = await PeerThread.start();
    const native = { url: peerThread.origin, dialect: 'anthropic-messages' } as const;
    const chat = { url: `${peerThread.origin}/v1`, dialect: 'openai-chat' } as const;
    gateway = await startGateway(database, {
      catalog: extendedCatalogOf(
        { id: 'test/native', at: [native], model: ROOMY },
        { id: 'test/chat', at: [chat], model: ROOMY },
        { id: 'test/both', at: [native, chat], model: ROOMY },
      ),
      variables: { LOG_LEVEL: 'error', FAIRLEAD_FLOOD: 'account=1000000/10s,auth=1000000/60s' },
    });
    description = await ApiDescription.of(gateway);
    forms = new DescribedForms(description);
    const made = async (path: string, body: object): Promise<JsonBody> => {
      const response = await gateway.request(path, {
        method: 'POST',
        key: MANAGEMENT_KEY,
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
      return ((await response.json()) as JsonBody).data;
    };
    ids['keys'] = (await made('/keys', { name: 'ours' })).hash;
    ids['byok'] = (await made('/byok', { provider: 'openai', key: 'sk-nothing' })).id;
    ids['workspaces'] = (await made('/workspaces', { name: 'Ours', slug: 'ours' })).id;
    ids['guardrails'] = (await made('/guardrails', { name: 'ours' })).id;
  }, 240_000);
  afterAll(async () => {
    await gateway?.close();
    await peerThread?.close();
  });

  const addressOf = ({ servers, path }: DescribedOperation, query: string): string => {
    const filled = path
      .replace(/\{(id|hash|reference)\}/, ids[path.split('/')[1]!] ?? 'x')
      .replace('{interval}', 'daily')
      .replace('{author}', 'sandbox')
      .replace('{slug}', 'echo');
    return `${gateway.origin}${servers[0]}${filled}${query}`;
  };

  const headersFor = (operation: DescribedOperation): Record<string, string> => {
    const key = forms.isOfManagement(operation) ? MANAGEMENT_KEY : API_KEY;
    return { 'content-type': 'application/json', authorization: `Bearer ${key}` };
  };

  /** The faults of the answers to some requests, and of the delay of others meanwhile. */
  async function findFaults(probes: readonly Probe[]): Promise<readonly string[]> {
    const faults: string[] = [];
    for (let first = 0; first < probes.length; first += BATCH) {
      const batch = probes.slice(first, first + BATCH);
      const { delayMs, outcomes } = await watchLoop(
        peerThread,
        batch.map(({ order }) => order),
      );
      for (const [position, { what, isRefused }] of batch.entries()) {
        const outcome = outcomes[position]!;
        const finding = `${what}: ${outcome.status} ${messageOf(outcome)}`;
        if (outcome.status === 0 || outcome.status >= 500) faults.push(`fails on ${finding}`);
        if (isRefused && outcome.status !== 400) faults.push(`takes ${finding}`);
      }
      if (delayMs >= DELAY_MS_MAX) faults.push(...(await findLate(batch)));
    }
    return faults;
  }

  /** The requests that delay the loop, found by halves, because most often the machine was busy. */
  async function findLate(probes: readonly Probe[]): Promise<readonly string[]> {
    if (probes.length === 1) {
      const [{ what, order }] = probes as [Probe];
      const { delayMs, boundMs, outcome } = await delayDuring(peerThread, order);
      return delayMs < boundMs
        ? []
        : [`${delayMs.toFixed(0)} of ${boundMs.toFixed(0)} ms late by ${what}: ${outcome.status}`];
    }
    const middle = probes.length >> 1;
    const late: string[] = [];
    for (const half of [probes.slice(0, middle), probes.slice(middle)]) {
      const { delayMs } = await watchLoop(
        peerThread,
        half.map(({ order }) => order),
      );
      if (delayMs >= DELAY_MS_MAX) late.push(...(await findLate(half)));
    }
    return late;
  }

  /** One request for each field of a body and each of its fillings. */
  function probesOf(operation: DescribedOperation): Probe[] {
    const probes: Probe[] = [];
    for (const form of forms.formsOf(operation)) {
      const { query } = form;
      for (const leaf of forms.leavesOf(form)) {
        for (const filling of FILLINGS[leaf.kind]) {
          probes.push({
            what: `${operation.method} ${operation.path}${query} ${leaf.path} of ${filling}`,
            order: orderOf(operation, query, leaf, filling),
            // No request needs such a number.
            isRefused: filling === 'digits' || leaf.kind === 'number',
          });
        }
      }
    }
    return probes;
  }

  const orderOf = (operation: DescribedOperation, query: string, leaf: Leaf, filling: Filling) => ({
    url: addressOf(operation, query),
    method: operation.method,
    headers: headersFor(operation),
    body: JSON.stringify(leaf.body),
    filling,
    ...(leaf.entry !== undefined && { entry: JSON.stringify(leaf.entry) }),
  });

  const messageOf = ({ status, text }: Outcome): string => {
    try {
      return String(JSON.parse(text).error?.message ?? '').slice(0, 160);
    } catch {
      return status === 200 ? '' : text.slice(0, 160);
    }
  };

  it.each(FACES)('is not held up by any field of POST %s', async (path) => {
    const probes = probesOf(description.find('POST', path)!);
    expect(await findFaults(probes)).toEqual([]);
    expect(probes.length).toBeGreaterThan(300);
  }, 5 * MINUTES); // oxfmt-ignore

  it('is not held up by any field of a body of management', async () => {
    const operations = description.operations.filter(
      (operation) => forms.described(operation).requestBody && !(FACES as readonly string[]).includes(operation.path),
    );
    expect(await findFaults(operations.flatMap(probesOf))).toEqual([]);
    expect(operations.length).toBeGreaterThan(10);
  }, 5 * MINUTES); // oxfmt-ignore

  it('is not held up by any parameter of a query, part of a path or header', async () => {
    const probes: Probe[] = [];
    const add = (what: string, url: string, operation: DescribedOperation, more: object = {}): void => {
      const { method } = operation;
      const headers = { ...headersFor(operation), ...more };
      const body = forms.described(operation).requestBody ? { body: JSON.stringify(forms.formsOf(operation)[0]!.base) } : {};
      probes.push({ what, order: { url, method, headers, ...body } });
    };
    for (const operation of description.operations) {
      for (const { name, in: where } of forms.described(operation).parameters ?? []) {
        const what = `${operation.method} ${operation.path} ${name}`;
        for (const filler of ['x', ',', 'a,', '%2F', '%20']) {
          const value = filler.repeat(LINE_BYTES / filler.length);
          if (where === 'query') add(what, addressOf(operation, `?${name}=${value}`), operation);
          else if (where === 'header') add(what, addressOf(operation, ''), operation, { [name]: decodeURIComponent(value) });
          else add(what, `${gateway.origin}${operation.servers[0]}${operation.path.replace(`{${name}}`, value).replaceAll(/\{\w+\}/g, 'x')}`, operation);
        }
        if (where === 'query') add(what, addressOf(operation, `?${`${name}=1&`.repeat(LINE_BYTES / 20)}`), operation);
      }
    }
    expect(await findFaults(probes)).toEqual([]);
    expect(probes.length).toBeGreaterThan(300);
  }, 2 * MINUTES); // oxfmt-ignore

  it.each([
    ['100,000 messages of one word', '/messages', 200, () => ({ messages: alternating(100_000) })],
    ['20,000 messages of one word', '/chat/completions', 200, () => ({ messages: alternating(20_000) })],
    ['20,000 results of tools', '/chat/completions', 200, () => ({ messages: callsWithResults(9_999) })],
    ['20,000 results of tools', '/messages', 200, () => ({ messages: blocksWithResults(20_000) })],
    ['a text of 30 MiB', '/messages', 200, () => ({ messages: [{ role: 'user', content: 'word '.repeat(6 * MIB) }] })],
    ['a text of 30 MiB', '/chat/completions', 200, () => ({ messages: [{ role: 'user', content: 'word '.repeat(6 * MIB) }] })],
    ['30 MiB of blanks', '/messages', 200, () => ({ messages: [{ role: 'user', content: ' '.repeat(30 * MIB) }] })],
    ['30 MiB of escapes', '/messages', 200, () => ({ messages: [{ role: 'user', content: '"'.repeat(15 * MIB) }] })],
    ['20,000 ids that the provider refuses', '/messages', 200, () => ({ messages: blocksWithResults(20_000, 'é'.repeat(40)) })],
    ['10,000 ids that the provider refuses', '/chat/completions', 200, () => ({ messages: callsWithResults(9_999, 'é') })],
    ['objects of 9,000 names', '/messages', 200, () => ({ tools: [0, 1].map((position) => ({ name: `t${position}`, input_schema: { type: 'object', properties: namesOf(9_000, position) } })) })],
    ['60 objects of 10,000 names', '/chat/completions', 400, () => ({ tools: Array.from({ length: 60 }, (_, position) => ({ type: 'function', function: { name: `t${position}`, parameters: namesOf(10_000, position) } })) })],
    ['1,000 objects of 100 names', '/messages', 400, () => ({ tools: [{ name: 't', input_schema: { type: 'object', allOf: Array.from({ length: 1_000 }, (_, position) => namesOf(100, position)) } }] })],
    ['10,000 tools', '/messages', 200, () => ({ tools: Array.from({ length: 10_000 }, (_, index) => ({ name: `t${index}`, input_schema: { type: 'object' } })) })],
  ] as const)('serves others beside %s of %s', async (_what, path, status, fields) => {
    const operation = description.find('POST', path)!;
    const [{ base }] = forms.formsOf(operation) as [Form];
    const body = JSON.stringify({ ...base, ...fields() });
    const order = { url: addressOf(operation, ''), method: 'POST', headers: headersFor(operation), body };
    const { delayMs, boundMs, outcome } = await delayDuring(peerThread, order);
    expect(`${outcome.status} ${messageOf(outcome)}`).toMatch(new RegExp(`^${status}`));
    expect(delayMs).toBeLessThan(boundMs);
  }, 2 * MINUTES); // oxfmt-ignore
});

const alternating = (count: number): object[] =>
  Array.from({ length: count }, (_, index) => ({ role: index % 2 ? 'assistant' : 'user', content: 'word' }));

/** Each call in a separate message. */
const callsWithResults = (count: number, prefix = 't'): object[] => [
  { role: 'user', content: 'word' },
  ...Array.from({ length: count }, (_, index) => [
    { role: 'assistant', tool_calls: [{ id: `${prefix}${index}`, type: 'function', function: { name: 'f', arguments: '{}' } }] },
    { role: 'tool', tool_call_id: `${prefix}${index}`, content: 'ok' },
  ]).flat(),
]; // oxfmt-ignore

/** All calls in one message, all results in the next. */
const blocksWithResults = (count: number, prefix = 't'): object[] => {
  const ids = Array.from({ length: count }, (_, index) => `${prefix}${index}`);
  return [
    { role: 'user', content: 'word' },
    { role: 'assistant', content: ids.map((id) => ({ type: 'tool_use', id, name: 'f', input: {} })) },
    { role: 'user', content: ids.map((id) => ({ type: 'tool_result', tool_use_id: id, content: 'ok' })) },
  ];
};

/** An object with many names that no other field's object has. */
const namesOf = (count: number, position: number): object =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${position}-${index}`, 1]));
