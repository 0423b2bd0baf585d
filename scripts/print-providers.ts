import { readFileSync } from 'node:fs';
import { parse, stringify } from 'yaml';
import type { Quirks } from '../src/core/quirks.js';
import { DENIED_FIELDS } from '../src/providers/catalog/denied-fields.js';
import { definitionOf } from '../src/providers/catalog/index.js';

/*
 * The pages of the larger providers below docs/operate/providers, and the table of the others: what the shipped catalog
 * and the code state of each, between two markers.
 */

const BEGIN = '<!-- docs:providers -->';
const END = '<!-- end -->';

/** Providers of ten models or more, and makers of models of their own. */
export const PROVIDERS_WITH_PAGES: readonly string[] = [
  'amazon-bedrock', 'anthropic', 'azure', 'cohere', 'deepinfra', 'deepseek', 'fireworks', 'google-ai-studio',
  'google-vertex', 'groq', 'mistral', 'moonshotai', 'novita', 'openai', 'together', 'venice', 'xai', 'z-ai',
]; // oxfmt-ignore

interface ShippedProvider {
  readonly slug: string;
  readonly name: string;
  readonly dialect: string;
  readonly credential?: { readonly env: string };
}

interface ShippedEndpoint {
  readonly provider: string;
  readonly dialect?: string;
  readonly variant?: string;
  readonly pricing?: Readonly<Record<string, unknown>>;
}

interface ShippedModel {
  readonly endpoints: readonly ShippedEndpoint[];
}

interface ShippedCatalog {
  readonly providers: readonly ShippedProvider[];
  readonly models: readonly ShippedModel[];
}

const CATALOG = parse(readFileSync(new URL('../catalog/default.yaml', import.meta.url), 'utf8')) as ShippedCatalog;

const code = (word: string): string => `\`${word}\``;
const listed = (words: Iterable<string>): string => [...words].map(code).join(', ');

/** The page of a provider with what is known of it. @throws Error where it has no lines for it */
export function withProvider(slug: string, page: string): string {
  const provider = CATALOG.providers.find((one) => one.slug === slug);
  if (!provider) throw new Error(`the shipped catalog has no provider ${slug}`);
  const entry = stringify({ providers: [provider] }, { lineWidth: 0 });
  const rows = rowsOf(provider).map(([name, value]) => `| ${name} | ${value} |`);
  const block = ['```yaml', entry.trimEnd(), '```'].join('\n');
  return withPart(page, [block, ['| | |', '|---|---|', ...rows].join('\n')].join('\n\n'));
}

/** The page of all providers with the table of those that have no page. */
export function withOthers(page: string): string {
  const others = CATALOG.providers.filter(
    ({ slug, credential }) => credential !== undefined && !PROVIDERS_WITH_PAGES.includes(slug),
  );
  return withPart(page, others.map(({ slug, credential }) => withVariable(slug, credential!.env)).join(', '));
}

/** The variable of its credential only if it does not follow from the slug. */
const withVariable = (slug: string, variable: string): string =>
  variable === `${slug.toUpperCase().replaceAll('-', '_')}_API_KEY` ? code(slug) : `${code(slug)} (${code(variable)})`;

function withPart(page: string, part: string): string {
  const begin = page.indexOf(BEGIN);
  const end = page.indexOf(END);
  if (begin === -1 || end < begin) throw new Error(`the page has no lines "${BEGIN}" and "${END}"`);
  return `${page.slice(0, begin + BEGIN.length)}\n\n${part}\n\n${page.slice(end)}`;
}

function rowsOf({ slug, dialect }: ShippedProvider): readonly (readonly [name: string, value: string])[] {
  const models = CATALOG.models.filter(({ endpoints }) => endpoints.some(({ provider }) => provider === slug));
  const endpoints = models.flatMap((model) => model.endpoints.filter(({ provider }) => provider === slug));
  const tiers = ['fast', 'priority', 'flex'].filter((tier) => endpoints.some(({ pricing }) => pricing?.[tier]));
  const variants = new Set(endpoints.flatMap(({ variant }) => variant ?? []));
  const rows: (readonly [string, string])[] = [
    ['models', String(models.length)],
    ['format', [...new Set(endpoints.map((one) => one.dialect ?? dialect))].map(linked).join(', ')],
    ['tiers', listed(tiers)],
    ['[variants](../../use/models.md#names-of-models)', listed([...variants].map((variant) => `${slug}/${variant}`))],
    ['[undeclared fields](../../use/translation.md#undeclared-fields)', fieldsOf(slug)],
    ['[quirks](../catalog.md#quirks)', quirksOf(slug)],
  ];
  return rows.filter(([, value]) => value !== '');
}

const linked = (dialect: string): string => `[${code(dialect)}](../../use/translation/${dialect}.md)`;

/** The undeclared fields that the provider receives, in words. */
function fieldsOf(slug: string): string {
  const { undeclared } = definitionOf(slug, 'bearer');
  if (!undeclared) return 'none';
  if ('only' in undeclared) return undeclared.only.size === 0 ? 'none' : listed(undeclared.only);
  return undeclared.allBut === DENIED_FIELDS ? 'all except fields that cost extra or store data' : 'all';
}

/** The facts that the code has about the provider, under the names of the catalog file. */
function quirksOf(slug: string): string {
  const { quirks } = definitionOf(slug, 'bearer');
  return Object.entries(quirks as Readonly<Record<keyof Quirks, unknown>>)
    .map(([name, value]) => {
      const key = name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
      return code(`${key}: ${Array.isArray(value) ? `[${value.join(', ')}]` : String(value)}`);
    })
    .join(', ');
}
