// The counts in the documentation match the shipped catalog. The file is read and counted, and each sentence with a
// count is searched in its page.
import { readFileSync } from 'node:fs';
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

it.each([
  ['../README', `has ${models.length} models at ${routable} providers`],
  ['../README', `the sandbox's ${snapshot.models.size - models.length} models`],
  ['operate/catalog', `${models.length} models at ${endpoints.length} endpoints of ${routable} providers`],
  ['operate/catalog', `${models.filter((model) => providersOf(model) > 1).length} of the models at two providers or more`],
  ['operate/catalog', `${listing} of the endpoints list their request fields`],
  ['operate/catalog', `the other ${endpoints.length - listing} are left out under`],
  ['operate/catalog', `\`zdr: true\` | ${left(({ provider }) => provider.policy.zeroDataRetention)} |`],
  ['operate/catalog', `\`data_collection: deny\` | ${left(({ provider }) => !collects(provider.policy))} |`],
  ['operate/catalog', `\`quantizations: [fp8]\` | ${left(({ quantization }) => quantization === 'fp8')} |`],
  ['operate/catalog', `\`enforce_distillable_text\` | ${models.filter(({ distillable }) => distillable).length} |`],
  ['operate/catalog', `${scored.length} of the shipped models have a \`quality\`, ${coding.length} of them also a \`coding\`; the other ${models.length - scored.length} have none`],
])('docs/%s.md states: %s', (page, sentence) => {
  const text = readFileSync(`docs/${page}.md`, 'utf8').replaceAll('\n', ' ');
  // A wrong count then does not print the whole page.
  expect(text.includes(sentence)).toBe(true);
});

it('has at least the required number', () => {
  expect(models.length).toBeGreaterThanOrEqual(300);
  expect(endpoints.length).toBeGreaterThanOrEqual(600);
  expect(routable).toBeGreaterThanOrEqual(60);
  expect(unmeasured.map(({ id }) => id)).toEqual([]);
});

it('has scores of one source for each kind, with the day of its figures', () => {
  expect(coding.length).toBeGreaterThanOrEqual(25);
  for (const [kind, name] of Object.entries({ quality: 'Intelligence', coding: 'Coding' })) {
    const sources = new Set(withScore(kind as 'quality' | 'coding').map(({ scores }) => scores[kind as 'quality']!.source));
    expect([...sources]).toEqual([`Artificial Analysis ${name} Index, 2026-09-23`]);
  }
  expect(coding.filter(({ scores }) => !scores.quality)).toEqual([]);
});
