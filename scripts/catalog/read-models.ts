import { readdirSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import type { ModelEntry } from './author-file.js';
import { readCommonSources, refuse } from './common-sources.js';
import { readAuthorFile } from './read-author-file.js';

const FOLDER = 'catalog/models';

/** Authors whose models come first in the catalog; the others follow by their names. */
const FIRST_AUTHORS = [
  'anthropic',
  'openai',
  'google',
  'mistralai',
  'meta-llama',
  'deepseek',
  'x-ai',
  'moonshotai',
  'z-ai',
  'minimax',
  'qwen',
  'amazon',
  'nvidia',
  'cohere',
];

const rankOf = (author: string): number => {
  const rank = FIRST_AUTHORS.indexOf(author);
  return rank < 0 ? FIRST_AUTHORS.length : rank;
};

/**
 * All models of catalog/models, in the order of the catalog.
 * @throws with every fault of every file
 */
export function readModels(): readonly ModelEntry[] {
  const common = readCommonSources();
  const authors = readdirSync(FOLDER)
    .map((name) => basename(name, '.yaml'))
    .sort((one, other) => rankOf(one) - rankOf(other) || (one < other ? -1 : 1));
  const readings = authors.map((author) => {
    const file = `${FOLDER}/${author}.yaml`;
    return readAuthorFile(file, readFileSync(file, 'utf8'), author, common);
  });
  refuse(readings.flatMap((reading) => ('faults' in reading ? reading.faults : [])));
  return readings.flatMap((reading) => ('models' in reading ? reading.models : []));
}
