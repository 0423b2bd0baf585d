// docs/operate/catalog.md describes every field that the catalog readers know, in its section, and no other; its
// examples are valid catalogs. The names are taken from the readers' calls and tables; the page is read as text.
import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { credentialSources } from '../../test/support/credential-sources.js';
import { EFFORTS } from '../core/conversation/effort.js';
import { IMAGE_RULES } from '../core/money/image-tokens.js';
import {
  GEMINI_GENERATIONS,
  MAX_TOKENS_FIELDS,
  REASONING_STYLES,
  SYSTEM_ROLES,
  VENDOR_TOOLS,
} from '../core/quirks.js';
import { ABORT_RULES } from '../core/routing/abort-rules.js';
import {
  DIALECT_IDS,
  FETCH_ENGINES,
  FUSION_PRESETS,
  MODALITIES,
  PLATFORM_IDS,
  SEARCH_ENGINES,
} from '../core/routing/catalog.js';
import { TOKEN_CLASS_NAMES, UNIT_NAMES } from '../core/routing/price-classes.js';
import { readCatalog } from './read-catalog.js';
import { TARIFFS } from './read-pricing.js';
import { QUIRK_KEYS } from './read-quirks.js';

const page = readFileSync('docs/operate/catalog.md', 'utf8');
/** Recipes on pages of their own. */
const recipePages = ['local-model', 'own-prices'].map((name) => readFileSync(`docs/operate/${name}.md`, 'utf8'));

/** Names that the readers take from constants. */
const CONSTANTS: Readonly<Record<string, readonly string[]>> = {
  QUIRK_KEYS,
  TOKEN_CLASS_NAMES,
  OPTIONAL_CLASSES: TOKEN_CLASS_NAMES,
  UNIT_NAMES,
  TARIFFS,
  FUSION_PRESETS,
};

/** The sections that describe the fields of each reader. */
const SECTIONS: Readonly<Record<string, readonly string[]>> = {
  'read-catalog': ['Top level'],
  'read-provider': ['Providers'],
  'read-credential': ['Providers'],
  'read-quirks': ['Quirks'],
  'read-model': ['Models', 'Endpoints'],
  'read-pricing': ['Prices'],
  'read-engines': ['Tools'],
  'read-tools': ['Tools'],
  'read-plugins': ['Plugins'],
};

/** The text between the brackets that open at `from`. */
function bracketed(text: string, from: number): string {
  let depth = 0;
  for (let index = from; index < text.length; index++) {
    if (text[index] === '(') depth++;
    else if (text[index] === ')' && --depth === 0) return text.slice(from + 1, index);
  }
  throw new Error('a bracket is not closed');
}

/** Every field that a reader requests by `members`. */
function namesOf(reader: string): readonly string[] {
  const source = readFileSync(`src/catalog/${reader}.ts`, 'utf8');
  const names = [...source.matchAll(/\.members(?:<[^()]*>)?\(/g)].flatMap((call) => {
    const words = bracketed(source, call.index + call[0].length - 1);
    const constants = [...words.matchAll(/\b[A-Z][A-Z_]+\b/g)].flatMap(([name]) => {
      if (!CONSTANTS[name]) throw new Error(`${reader} asks for ${name}, which this spec does not know`);
      return CONSTANTS[name];
    });
    return [...[...words.matchAll(/'([\w-]+)'/g)].map(([, name]) => name!), ...constants];
  });
  return [...new Set(names)];
}

/** The text below a heading of the second level. */
function sectionOf(heading: string): string {
  const [, text] = page.split(`\n## ${heading}\n`);
  if (text === undefined) throw new Error(`there is no section ${heading}`);
  return text.split('\n## ')[0]!;
}

/** Words within the code of a text. */
const wordsOf = (text: string): ReadonlySet<string> =>
  new Set([...text.matchAll(/`([^`\n]+)`/g)].flatMap(([, code]) => code!.match(/[\w.-]+/g) ?? []));

/** First cells of the rows of a section's tables. */
const keysOf = (section: string): readonly string[] =>
  [...section.matchAll(/^\| (`[^|]+) \|/gm)].flatMap(([, cell]) => [...wordsOf(cell!)]);

describe('the page of the catalog', () => {
  it.each(Object.entries(SECTIONS))('describes every field of %s', (reader, sections) => {
    const names = namesOf(reader);
    expect(names.length).toBeGreaterThan(2);
    const described = wordsOf(sections.map(sectionOf).join('\n'));
    expect(names.filter((name) => !described.has(name))).toEqual([]);
  });

  it('describes no field without a reader', () => {
    const known = new Set([...Object.keys(SECTIONS).flatMap(namesOf), 'price_per_page']);
    for (const section of new Set(Object.values(SECTIONS).flat())) {
      const foreign = keysOf(sectionOf(section)).filter((key) => !known.has(key));
      expect([section, foreign]).toEqual([section, []]);
    }
  });

  it('covers every reader', () => {
    const source = readFileSync('src/catalog/read-catalog.ts', 'utf8');
    const named = [...source.matchAll(/'\.\/(read-[a-z]+)\.js'/g)].map(([, name]) => name!);
    // Names of geographies are the author's own.
    expect(named.filter((name) => !SECTIONS[name] && name !== 'read-geographies')).toEqual([]);
  });

  it.each([
    ['Providers', [...DIALECT_IDS, ...PLATFORM_IDS, ...ABORT_RULES]],
    [
      'Quirks',
      [...EFFORTS, ...MAX_TOKENS_FIELDS, ...SYSTEM_ROLES, ...REASONING_STYLES, ...GEMINI_GENERATIONS, ...VENDOR_TOOLS],
    ],
    ['Models', [...MODALITIES, ...IMAGE_RULES]],
    ['Tools', [...SEARCH_ENGINES, ...FETCH_ENGINES]],
  ])('%s names every value of its fields', (section, words) => {
    const described = wordsOf(sectionOf(section));
    expect(words.filter((word) => !described.has(word))).toEqual([]);
  });
});

/** All shipped providers and one of their models, without panels of others: the whole file takes a second to read. */
function shippedPart(): { readonly name: string; readonly text: string } {
  const whole = parse(readFileSync('catalog/default.yaml', 'utf8')) as { readonly models: readonly object[] };
  return { name: 'shipped', text: JSON.stringify({ ...whole, models: whole.models.slice(0, 1), plugins: {} }) };
}

describe('examples of the page', () => {
  const shipped = shippedPart();
  const sources = credentialSources({}, { '/run/secrets/company-proxy': 'a key' });
  const examples = [page, ...recipePages]
    .flatMap((text) => [...text.matchAll(/^```yaml\n([^]*?)^```$/gm)])
    .map(([, text]) => text!);
  const read = (text: string) => readCatalog({ name: 'the example', text }, shipped, sources);

  it.each(examples.map((text) => [text.split('\n')[0]!.replace(/^# /, ''), text]))('%s is a catalog', (_, text) => {
    const whole = text.includes('version: 1') ? text : `version: 1\nextends: default\n${text}`;
    expect(read(whole)).toMatchObject({ snapshot: expect.anything() });
  });

  it('have a recipe for each common task', () => {
    const recipes = [...sectionOf('Recipes').matchAll(/^### (.+)$/gm)].map(([, title]) => title);
    expect(recipes).toEqual(['A proxy that speaks the Messages format', 'Your own name for a model']);
    expect(sectionOf('Recipes').match(/^version: 1$/gm)).toHaveLength(recipes.length);
    expect(recipePages.map((text) => text.match(/^version: 1$/gm)?.length)).toEqual([1, 1]);
  });
});
