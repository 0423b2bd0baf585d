/**
 * Checks that each field of a body or a query has a maximum that suits its use, and that a number with more digits than
 * a double holds is not read as another number. Every field of every described body and query is found in
 * `/openapi.json` itself, so a new field is covered automatically: its schema, and a body that has such a number there.
 */
import { API_KEY, MANAGEMENT_KEY, startGateway, type TestGateway } from '../support/app.js';
import { describeOnEmbedded } from '../support/database.js';
import { DescribedForms } from '../support/described-forms.js';
import { ApiDescription, type DescribedOperation } from '../support/description.js';
import { FILLING, type Leaf } from '../support/field-leaves.js';
import type { JsonBody } from '../support/recorded-request.js';

/**
 * Texts without a separate maximum, which `FAIRLEAD_BODY_MAX` alone bounds: what the model reads, writes and calls,
 * media in base64, and what vendors seal for themselves.
 */
const TEXTS: ReadonlySet<string> = new Set([
  'text', 'content', 'system', 'title', 'source', 'context', 'cited_text', 'document_title', 'instructions', 'description',
  'search_prompt', 'required', 'grammar',
  'thinking', 'reasoning', 'summary', 'refusal', 'arguments',
  'data', 'file_data', 'url',
  'signature', 'encrypted_index', 'encrypted_content',
  'input', 'output', 'definition', 'image_url', 'file_url', 'video_url', 'commands', 'command', 'path', 'stdout', 'stderr', 'result',
  'query', 'documents', 'image',
]); // oxfmt-ignore

/** Sampling numbers without a separate range: the provider has one, and their length is that of a double. */
const NUMBERS: ReadonlySet<string> = new Set(['temperature', 'top_p', 'top_a', 'min_p', 'repetition_penalty']);

/** The kinds that such a number may be mistaken for: to the schemas' compiler it is an object. */
const MISTAKEN: ReadonlySet<Leaf['kind']> = new Set(['array', 'map', 'object']);
/** Requests that are sent at once. */
const BATCH = 16;

describeOnEmbedded('maxima', (database) => {
  let gateway: TestGateway;
  let description: ApiDescription;
  let forms: DescribedForms;

  beforeAll(async () => {
    const FAIRLEAD_FLOOD = 'account=1000000/10s,auth=1000000/60s,wasted=1000000/60s';
    gateway = await startGateway(database, { variables: { LOG_LEVEL: 'error', FAIRLEAD_FLOOD } });
    description = await ApiDescription.of(gateway);
    forms = new DescribedForms(description);
  });
  afterAll(() => gateway?.close());

  const leavesOfBodies = (operation: DescribedOperation): readonly (Leaf & { query: string })[] =>
    forms.described(operation).requestBody
      ? forms.formsOf(operation).flatMap((form) => forms.leavesOf(form).map((leaf) => ({ ...leaf, query: form.query })))
      : [];

  it('has a maximum for every text, number and list of a body or a query', () => {
    const faults: string[] = [];
    const exempt = new Set<string>();
    let indexes = 0;
    for (const operation of description.operations) {
      for (const leaf of [...leavesOfBodies(operation), ...forms.queryLeavesOf(operation)]) {
        indexes++;
        const field = fieldOf(leaf);
        if (isBounded(leaf)) continue;
        const exceptions = leaf.kind === 'string' ? TEXTS : leaf.kind === 'number' ? NUMBERS : undefined;
        // The stored defaults of plugins are bounded as a whole (docs/use/tools-and-plugins.md#defaults).
        const isKept = leaf.path.startsWith('plugins.');
        if (exceptions?.has(field) && (isKept || !forms.isOfManagement(operation))) exempt.add(field);
        else faults.push(`${operation.method} ${operation.path}: ${leaf.path} (${leaf.kind})`);
      }
    }
    expect(faults).toEqual([]);
    // A field that was removed, or has a maximum now, must leave the list.
    expect([...TEXTS, ...NUMBERS].filter((field) => !exempt.has(field))).toEqual([]);
    expect(indexes).toBeGreaterThan(1_000);
  });

  it('refuses a number of 150 digits wherever a list or an object is due', async () => {
    const kinds = new Map<string, number>();
    const faults: string[] = [];
    const check = async (operation: DescribedOperation, leaf: Leaf & { query: string }): Promise<void> => {
      const response = await gateway.request(operation.path.replaceAll(/\{\w+\}/g, 'x') + leaf.query, {
        method: operation.method,
        key: forms.isOfManagement(operation) ? MANAGEMENT_KEY : API_KEY,
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(leaf.body).replace(`"${FILLING}"`, '9'.repeat(150)),
      });
      const reply = (await response.json()) as JsonBody;
      const message = String(reply.error?.message);
      const isNamed = response.status === 400 && message.startsWith(leaf.path.split('.')[0]!);
      if (!isNamed) faults.push(`${operation.method} ${operation.path}: ${leaf.path} (${leaf.kind}): ${message}`);
      kinds.set(leaf.kind, (kinds.get(leaf.kind) ?? 0) + 1);
    };
    for (const operation of description.operations) {
      const leaves = leavesOfBodies(operation).filter(({ kind }) => MISTAKEN.has(kind));
      for (let first = 0; first < leaves.length; first += BATCH)
        await Promise.all(leaves.slice(first, first + BATCH).map((leaf) => check(operation, leaf)));
    }
    expect(faults).toEqual([]);
    for (const kind of MISTAKEN) expect([kind, (kinds.get(kind) ?? 0) > 0]).toEqual([kind, true]);
  }, 240_000); // oxfmt-ignore

  it.each(['/messages', '/chat/completions', '/responses', '/keys'])(
    'refuses such a number as a body of %s',
    async (path) => {
      const response = await gateway.request(path, {
        method: 'POST',
        key: path === '/keys' ? MANAGEMENT_KEY : API_KEY,
        headers: { 'content-type': 'application/json' },
        body: '9'.repeat(150),
      });
      expect([response.status, ((await response.json()) as JsonBody).error.message]).toEqual([
        400,
        'body: must be an object',
      ]);
    },
  );
});

/** The last name of a path; an entry has the name of its list. */
const fieldOf = ({ path }: Leaf): string => path.split('.').findLast((key) => !/^(\d+|\*)$/.test(key))!;

/** Parts of a pattern that can be repeated without end. */
const ENDLESS = /(?<!\\)[*+]|\{\d+,\}/;

function isBounded({ kind, schema }: Leaf): boolean {
  switch (kind) {
    case 'string':
      if (schema.const !== undefined || schema.enum || schema.maxLength !== undefined) return true;
      return schema.pattern !== undefined && !ENDLESS.test(schema.pattern) && schema.pattern.endsWith('$');
    case 'number':
      return schema.minimum !== undefined && schema.maximum !== undefined;
    case 'array':
      return schema.maxItems !== undefined;
    case 'map':
      return schema.maxProperties !== undefined;
    case 'object':
    case 'any':
      // The caller's own JSON is bounded by the body's values, and by the members of one object.
      return true;
  }
}
