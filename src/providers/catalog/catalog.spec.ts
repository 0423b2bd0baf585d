// Goal: every definition is well-formed and found by its slug. Method: walks the list, so a new
// provider is under test at once.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { EFFORTS } from '../../core/conversation/effort.js';
import { DEFINITIONS, definitionOf } from './index.js';

describe('provider definitions', () => {
  it('names each provider once', () => {
    const slugs = DEFINITIONS.map(({ slug }) => slug);
    expect(new Set(slugs).size).toBe(slugs.length);
  });

  it.each(DEFINITIONS.map((definition) => [definition.slug, definition] as const))(
    '%s is well-formed',
    (slug, definition) => {
      expect(slug).toMatch(/^[a-z0-9]+(-[a-z0-9]+)*$/);
      expect(definitionOf(slug, 'none')).toBe(definition);
      for (const effort of definition.quirks.efforts ?? []) expect(EFFORTS).toContain(effort);
      expect(definition.quirks.omit ?? []).not.toContain('messages');
      expect(definition.quirks.omit ?? []).not.toContain('model');
    },
  );

  it('gives a provider without a definition the default scheme and no quirks', () => {
    expect(definitionOf('my-vllm', 'bearer')).toEqual({ slug: 'my-vllm', credential: 'bearer', quirks: {} });
    expect(definitionOf('my-proxy', 'x-api-key').credential).toBe('x-api-key');
  });

  it('takes the provider’s own scheme before the default', () => {
    expect(definitionOf('anthropic', 'bearer').credential).toBe('x-api-key');
  });

  it('lets the catalog file speak first, quirk by quirk', () => {
    const { quirks } = definitionOf('mistral', 'none', {
      quirks: { toolCallIdLength: 12, reasoningStyle: 'reasoning_effort' },
    });
    expect(quirks).toMatchObject({ toolCallIdLength: 12, reasoningStyle: 'reasoning_effort', omit: expect.anything() });
    expect(definitionOf('my-vllm', 'bearer', { quirks: { returnsReasoning: true } }).quirks).toEqual({
      returnsReasoning: true,
    });
    expect(definitionOf('mistral', 'none').quirks.toolCallIdLength).toBe(9);
  });

  it('sends a provider without a definition no undeclared field, and any provider all of them where the file permits it', () => {
    expect(definitionOf('my-vllm', 'bearer').undeclared).toBeUndefined();
    for (const slug of ['my-vllm', 'openai', 'groq']) {
      expect(definitionOf(slug, 'bearer', { passesUnknownFields: true }).undeclared).toEqual({ allBut: new Map() });
      expect(definitionOf(slug, 'bearer', { passesUnknownFields: false })).toEqual(definitionOf(slug, 'bearer'));
    }
    expect(definitionOf('openai', 'bearer', { passesUnknownFields: true }).quirks.storesReplies).toBe(true);
  });

  it('is what docs/use/translation.md states about undeclared fields', () => {
    const page = readFileSync(join(process.cwd(), 'docs', 'use', 'translation.md'), 'utf8');
    const section = page.slice(page.indexOf('\n## Undeclared fields'), page.indexOf('\n## Reasoning'));
    expect(section).toContain('| any other | none |');
    const rows = section.split('\n').filter((line) => line.startsWith('| `'));
    const below = section.split('\n').filter((line) => line.startsWith('- fields ')).join('\n'); // oxfmt-ignore
    for (const { slug, undeclared } of DEFINITIONS) {
      const [who = '', cell = ''] =
        rows.map((row) => row.split(' | ')).find(([first]) => first!.includes(`\`${slug}\``)) ?? [];
      const what = cell.includes('below this table') ? below : cell;
      const named = [...what.matchAll(/`(\w+)`/g)].map(([, name]) => name!);
      const names =
        undeclared === undefined ? [] : 'only' in undeclared ? [...undeclared.only] : [...undeclared.allBut.keys()];
      // The last row is of all providers that are not named.
      expect([slug, who !== '']).toEqual([slug, names.length > 0]);
      const values = undeclared && 'allBut' in undeclared ? [...undeclared.allBut.values()].flat().map(String) : [];
      expect([slug, named.filter((name) => !values.includes(name)).sort()]).toEqual([slug, names.sort()]);
    }
  });

  it('is not fooled by names of object members', () => {
    expect(definitionOf('constructor', 'bearer').quirks).toEqual({});
    expect(definitionOf('__proto__', 'bearer').quirks).toEqual({});
  });
});
