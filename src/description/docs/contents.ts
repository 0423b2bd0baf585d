import type { Guide } from '../guide-pages.js';
import { TAGS, type Reader } from '../tags.js';
import { escapeHtml, printWords } from './html.js';
import type { Operation } from './operations.js';

/** A link of the side navigation. */
interface Entry {
  /** Below `docs/`. */
  readonly path: string;
  readonly titleHtml: string;
}

/** A task of a reader: a part of the guide, or a chapter of the reference. */
interface Task {
  readonly titleHtml: string;
  readonly descriptionHtml: string;
  readonly entries: readonly Entry[];
}

/** All pages by reader and task. */
export type Contents = readonly { readonly reader: Reader; readonly tasks: readonly Task[] }[];

const READERS: readonly Reader[] = ['Callers', 'Administrators', 'Operators'];

export function contentsOf(guide: Guide, operations: readonly Operation[]): Contents {
  const chapters = (reader: Reader): readonly Task[] =>
    TAGS.filter((tag) => tag.reader === reader).map(({ name, description }) => ({
      titleHtml: escapeHtml(name),
      descriptionHtml: escapeHtml(description),
      entries: operations
        .filter(({ tags: [tag] }) => tag === name)
        .map(({ operationId, summary }) => ({ path: `api/${operationId}`, titleHtml: printWords(summary) })),
    }));
  return READERS.map((reader) => ({
    reader,
    // The pages of docs/use are for callers.
    tasks: [...(reader === 'Callers' ? guideTasks(guide) : []), ...chapters(reader)],
  }));
}

function guideTasks(guide: Guide): readonly Task[] {
  const pages = [...guide.values()];
  return [...new Set(pages.map(({ task }) => task))].map((task) => ({
    titleHtml: `Guide: ${escapeHtml(task)}`,
    descriptionHtml: '',
    entries: pages
      .filter((page) => page.task === task)
      .map(({ name, titleHtml }) => ({ path: `use/${name}`, titleHtml })),
  }));
}

/**
 * The side of each page, in which the task of the shown one is open.
 * @param docs relative path to the folder of the pages
 */
export const printSide = (contents: Contents, shown: string, docs: string): string =>
  contents
    .map(
      ({ reader, tasks }) => `<p class="reader">${reader}</p>
${tasks.map((task) => printTask(task, shown, docs)).join('\n')}`,
    )
    .join('\n');

function printTask({ titleHtml, entries }: Task, shown: string, docs: string): string {
  const isOpen = entries.some(({ path }) => path === shown);
  return `<details${isOpen ? ' open' : ''}><summary>${titleHtml}</summary>
${printEntries(entries, shown, docs)}</details>`;
}

const printEntries = (entries: readonly Entry[], shown: string, docs: string): string =>
  `<ul>
${entries
  .map(
    ({ path, titleHtml }) =>
      `<li><a${path === shown ? ' aria-current="page"' : ''} href="${docs}${path}">${titleHtml}</a></li>`,
  )
  .join('\n')}
</ul>
`;

/** The first page: what there is for whom. */
export const printStart = (contents: Contents, docs: string): string =>
  `<h1 tabindex="-1">API and guide</h1>
<p>A self-hosted model routing gateway. The base address is <code><span data-base>http://127.0.0.1:8787</span>/api/v1</code>; for programs, <a href="${docs}../openapi.json">openapi.json</a> describes it. Amounts are USD unless stated otherwise, times are ISO 8601 in UTC.</p>
${contents
  .map(
    ({ reader, tasks }) => `<section aria-labelledby="${reader}">
<h2 id="${reader}">${reader}</h2>
<div class="tasks">
${tasks
  .map(
    ({ titleHtml, descriptionHtml, entries }) => `<div><h3>${titleHtml}</h3>
${descriptionHtml === '' ? '' : `<p class="hint">${descriptionHtml}</p>\n`}${printEntries(entries, '', docs)}</div>`,
  )
  .join('\n')}
</div>
</section>`,
  )
  .join('\n')}
`;
