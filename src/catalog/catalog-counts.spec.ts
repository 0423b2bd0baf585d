// Goal: the counts that pages name are those of the catalog that ships. Method: the file is read and counted, and each
// sentence with a count is looked for in its page.
import { readFileSync } from 'node:fs';
import { PROVIDERS } from '../../scripts/catalog-providers.js';
import { NO_CREDENTIALS } from '../../test/support/credential-sources.js';
import { collects, type Endpoint, type Model } from '../core/routing/catalog.js';
import { PUBLISHED_SLUGS } from '../core/routing/published-slugs.js';
import { routabilityOf } from '../providers/routability.js';
import { readCatalog } from './read-catalog.js';

const reading = readCatalog(
  { name: 'catalog/default.yaml', text: readFileSync('catalog/default.yaml', 'utf8') },
  undefined,
  NO_CREDENTIALS,
);
if ('faults' in reading) throw new Error(reading.faults[0].message);
const { snapshot } = reading;

const models = [...snapshot.models.values()].filter(({ id }) => !id.startsWith('sandbox/'));
const endpoints = models.flatMap((model) => model.endpoints);
const providersOf = ({ endpoints: all }: Model): number => new Set(all.map(({ provider }) => provider.slug)).size;
const listing = endpoints.filter(({ supportedParameters }) => supportedParameters.length > 0).length;
const takingImages = models.filter(({ inputModalities }) => inputModalities.includes('image'));
const unmeasured = takingImages.filter((model) => !model.imageTokensMax && !model.imageTokens);
const left = (fits: (endpoint: Endpoint) => boolean): number =>
  models.filter(({ endpoints: all }) => all.some(fits)).length;

const withScore = (kind: 'quality' | 'coding'): Model[] => models.filter(({ scores }) => scores[kind]);
const [scored, coding] = [withScore('quality'), withScore('coding')];

const routable = [...PUBLISHED_SLUGS].filter((slug) => routabilityOf(slug, snapshot).routable).length;
const undefinedSlugs = PUBLISHED_SLUGS.size - PROVIDERS.length;

it.each([
  ['catalog', `${models.length} models at ${endpoints.length} endpoints of ${routable} providers`],
  ['catalog', `${models.filter((model) => providersOf(model) > 1).length} of the models at two providers or more`],
  ['catalog', `${listing} of the endpoints list what they take`],
  ['catalog', `of the other ${endpoints.length - listing} no reference`],
  ['catalog', `\`zdr: true\` | ${left(({ provider }) => provider.policy.zeroDataRetention)} |`],
  ['catalog', `\`data_collection: deny\` | ${left(({ provider }) => !collects(provider.policy))} |`],
  ['catalog', `\`quantizations: [fp8]\` | ${left(({ quantization }) => quantization === 'fp8')} |`],
  ['catalog', `\`enforce_distillable_text\` | ${models.filter(({ distillable }) => distillable).length} |`],
  ['catalog', `${unmeasured.length} of the ${takingImages.length} models that take images`],
  ['catalog', `${scored.length} have a \`quality\`, ${coding.length} of them a \`coding\` too; the other ${models.length - scored.length} have none`],
  ['models', `Of the ${PUBLISHED_SLUGS.size} slugs`],
  ['models', `defines ${PROVIDERS.length} and has endpoints at ${routable} of them; of the other ${undefinedSlugs}`],
])('docs/%s.md says: %s', (page, sentence) => {
  const text = readFileSync(`docs/${page}.md`, 'utf8').replaceAll('\n', ' ');
  // Whoever counts otherwise need not read the page to its end.
  expect(text.includes(sentence)).toBe(true);
});

it('has at least what was asked for', () => {
  expect(models.length).toBeGreaterThanOrEqual(300);
  expect(endpoints.length).toBeGreaterThanOrEqual(600);
  expect(routable).toBeGreaterThanOrEqual(60);
});

it('has scores of one source for each kind, with the day of its figures', () => {
  expect(coding.length).toBeGreaterThanOrEqual(25);
  for (const [kind, name] of Object.entries({ quality: 'Intelligence', coding: 'Coding' })) {
    const sources = new Set(withScore(kind as 'quality' | 'coding').map(({ scores }) => scores[kind as 'quality']!.source));
    expect([...sources]).toEqual([`Artificial Analysis ${name} Index, 2026-09-23`]);
  }
  expect(coding.filter(({ scores }) => !scores.quality)).toEqual([]);
});
