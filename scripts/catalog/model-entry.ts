import { TASK_KINDS } from '../../src/core/conversation/task.js';
import { scoreNames } from '../catalog-scores.js';
import type { Source, SourceList } from '../catalog-sources.js';
import type { Sourced } from '../catalog-tables.js';
import type { ModelEntry } from './author-file.js';
import { endpointEntry, tagOf } from './endpoint-entry.js';
import { figuresOf, type EndpointFigures } from './endpoint-figures.js';
import { mediaOf } from './media.js';
import { list, originsOf, text, type Origins, type WrittenEntry } from './printing.js';

/** A model in both files. */
export interface WrittenModel {
  readonly lines: readonly string[];
  readonly sourceLines: readonly string[];
}

export function modelEntry(book: SourceList, model: ModelEntry): WrittenModel {
  const { id, aliases, created, distillable, dimensions, outputModalities: output } = model;
  const endpoints = model.endpoints.map((entry) => figuresOf(book, entry));
  const context = greatest(endpoints.map((endpoint) => endpoint.context))!;
  // An endpoint that states no figure would have the model's.
  const outputMax = endpoints.every((endpoint) => endpoint.output)
    ? greatest(endpoints.map((endpoint) => endpoint.output!))
    : undefined;
  const [input, media, scores] = [inputOf(book, model, endpoints), mediaOf(book, model), scoresOf(book, model)];
  const generates = !TASK_KINDS.some((task) => output?.value.includes(task));
  const written = endpoints.map((endpoint) =>
    endpointEntry(book, endpoint, { context: context.value, output: outputMax?.value, generates }),
  );
  const origins: Origins = {
    ...(created && { created: book.add(created.source) }),
    context_length: context.source,
    ...(outputMax && generates && { max_completion_tokens: outputMax.source }),
    ...input.origins,
    ...(output && { output_modalities: book.add(output.source) }),
    ...(dimensions && { dimensions: book.add(dimensions.source) }),
    ...media.origins,
    ...(distillable && { distillable: book.add(distillable.source) }),
    ...scores.origins,
  };
  return {
    lines: [
      ``,
      `  - id: ${id}`,
      ...(aliases ? [`    aliases: ${list(aliases.value)}`] : []),
      `    name: ${text(model.name)}`,
      ...(created ? [`    created: ${created.value}`] : []),
      `    context_length: ${context.value}`,
      ...(outputMax && generates ? [`    max_completion_tokens: ${outputMax.value}`] : []),
      ...input.lines,
      `    output_modalities: ${list(output?.value ?? ['text'])}`,
      ...(dimensions ? [`    dimensions: ${list(dimensions.value.map(String))}`] : []),
      ...(distillable ? [`    distillable: ${distillable.value}`] : []),
      ...media.lines,
      ...scores.lines,
      `    endpoints:`,
      ...written.flatMap(({ lines }) => lines),
    ],
    sourceLines: [
      `  ${id}:`,
      ...Object.entries(origins).map(([key, source]) => `    ${key}: ${source}`),
      `    endpoints:`,
      ...written.map((entry, index) => `      ${tagOf(endpoints[index]!.entry)}: ${originsOf(entry.origins)}`),
    ],
  };
}

const greatest = (figures: readonly Sourced<number>[]): Sourced<number> | undefined =>
  figures.reduce<Sourced<number> | undefined>((best, one) => (best && best.value >= one.value ? best : one), undefined);

/** The source is its own, else the first table that lists the model, else that of what it makes. */
function inputOf(
  book: SourceList,
  { id, inputModalities, outputModalities }: ModelEntry,
  endpoints: readonly EndpointFigures[],
): WrittenEntry {
  const listed = endpoints.find(({ figures }) => figures.takesImages)?.figures.takesImages?.source;
  const cite = (source: Source | undefined): string | undefined => source && book.add(source);
  const source = cite(inputModalities?.source) ?? listed ?? cite(outputModalities?.source);
  if (source === undefined) throw new Error(`${id}: no table lists it, so input_modalities needs a source.`);
  return {
    lines: [`    input_modalities: ${list(inputModalities?.value ?? ['text'])}`],
    origins: { input_modalities: source },
  };
}

function scoresOf(book: SourceList, { scores }: ModelEntry): WrittenEntry {
  if (!scores) return { lines: [], origins: {} };
  const { quality, coding, source } = scores;
  const names = scoreNames(source);
  const line = (kind: keyof typeof names, value: number): string =>
    `      ${kind}: { value: ${value}, source: ${text(names[kind])} }`;
  return {
    lines: [`    scores:`, line('quality', quality), ...(coding === undefined ? [] : [line('coding', coding)])],
    origins: { scores: book.add(source) },
  };
}
