import type { Field } from '../../src/catalog/field.js';
import { MEDIA_BASES } from '../../src/catalog/check/read-sources.js';
import { IMAGE_RULES } from '../../src/core/money/image-tokens.js';
import { MODALITIES, OUTPUT_MODALITIES, type Modality, type OutputModality } from '../../src/core/routing/catalog.js';
import type { Source } from '../catalog-sources.js';
import type { Fact, ImageFacts, MediaFact, ModelFacts, ScoreFacts } from './author-file.js';
import type { SourceNames } from './source-names.js';

/** Facts of a model, as a file names them. */
export const MODEL_FACTS = [
  'aliases',
  'created',
  'input_modalities',
  'output_modalities',
  'dimensions',
  'distillable',
  'images',
  'pages',
  'scores',
] as const;

type Members = ReadonlyMap<string, Field>;
type Read<Value> = (field: Field) => Value | undefined;

/** @param members of a model, or of shared facts */
export function readModelFacts(members: Members, sources: SourceNames): ModelFacts {
  const fact = <Value>(name: string, read: Read<Value>): Fact<Value> | undefined =>
    readFact(members.get(name), sources, read);
  const facts = {
    aliases: fact('aliases', readTexts),
    created: fact('created', readDay),
    inputModalities: readInput(members.get('input_modalities'), sources),
    outputModalities: fact('output_modalities', readOutputs),
    dimensions: fact('dimensions', readLengths),
    distillable: fact('distillable', (field) => field.flag()),
    images: readImages(members.get('images'), sources),
    pages: readPages(members.get('pages'), sources),
    scores: readScores(members.get('scores'), sources),
  };
  // An absent value must not replace a shared fact.
  return Object.fromEntries(Object.entries(facts).filter(([, value]) => value !== undefined));
}

/** `{ value, source }` */
export function readFact<Value>(
  field: Field | undefined,
  sources: SourceNames,
  read: Read<Value>,
): Fact<Value> | undefined {
  const members = field?.members(['value', 'source']);
  const valueField = members?.get('value');
  const value = valueField && read(valueField);
  const source = sources.find(members?.get('source'));
  return value === undefined || !source ? undefined : { value, source };
}

const readDay = (field: Field): string | undefined =>
  field.matching(/^\d{4}-\d\d-\d\d$/, 'a day such as 2025-09-29');

export const readTexts = (field: Field): readonly string[] =>
  field.items().flatMap((item) => item.text() ?? []);

const readModalities = (field: Field): readonly Modality[] =>
  field.items().flatMap((item) => item.oneOf(MODALITIES) ?? []);

const readOutputs = (field: Field): readonly OutputModality[] =>
  field.items().flatMap((item) => item.oneOf(OUTPUT_MODALITIES) ?? []);

const readLengths = (field: Field): readonly number[] =>
  field.items().flatMap((item) => item.positiveInteger() ?? []);

/** A list alone where a table lists the model: it is the source. */
function readInput(field: Field | undefined, sources: SourceNames): ModelFacts['inputModalities'] {
  if (!field) return undefined;
  return field.isObject() ? readFact(field, sources, readModalities) : { value: readModalities(field) };
}

function readImages(field: Field | undefined, sources: SourceNames): ImageFacts | undefined {
  const members = field?.members(['source'], ['tokens_max', 'rule', 'basis']);
  const source = sources.find(members?.get('source'));
  if (!members || !source) return undefined;
  if (!members.has('tokens_max') && !members.has('rule')) return field?.refuse('must have tokens_max, rule or both');
  const max = readMedia(members, source);
  const rule = members.get('rule')?.oneOf(IMAGE_RULES);
  return { ...(max && { max }), ...(rule !== undefined && { rule: { value: rule, source } }) };
}

function readPages(field: Field | undefined, sources: SourceNames): MediaFact | undefined {
  const members = field?.members(['tokens_max', 'source'], ['basis']);
  const source = sources.find(members?.get('source'));
  return members && source && readMedia(members, source);
}

/** The figure is its vendor's where no basis is stated. */
function readMedia(members: Members, source: Source): MediaFact | undefined {
  const value = members.get('tokens_max')?.positiveInteger();
  const basis = members.has('basis') ? members.get('basis')!.oneOf(MEDIA_BASES) : 'vendor';
  return value === undefined || basis === undefined ? undefined : { value, source, basis };
}

function readScores(field: Field | undefined, sources: SourceNames): ScoreFacts | undefined {
  const members = field?.members(['quality', 'source'], ['coding']);
  const source = sources.find(members?.get('source'));
  const quality = members?.get('quality')?.share();
  const coding = members?.get('coding')?.share();
  if (quality === undefined || !source) return undefined;
  return { quality, ...(coding !== undefined && { coding }), source };
}
