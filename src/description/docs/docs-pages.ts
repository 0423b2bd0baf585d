import { join } from 'node:path';
import { Injectable } from '@nestjs/common';
import type { JsonObject } from '../../core/json/json.js';
import { Environment } from '../../shared/environment.js';
import { PageFiles } from '../../shared/http/page-files.js';
import { Description } from '../description.js';
import { GuidePages, type Guide } from '../guide-pages.js';
import { contentsOf, printSide, printStart, type Contents } from './contents.js';
import { printDocsPage } from './docs-shell.js';
import { printErrors } from './errors-page.js';
import { escapeHtml } from './html.js';
import { printOperation } from './operation-page.js';
import { bodyOwners, operationsOf, type Operation } from './operations.js';
import { SchemaWords } from './schema-words.js';
import { searchIndex } from './search-index.js';

/** The files that pages of the documentation load. */
@Injectable()
export class DocsFiles extends PageFiles {
  constructor() {
    super(join(import.meta.dirname, '..', 'assets'));
  }
}

interface Sources {
  readonly words: SchemaWords;
  readonly operations: readonly Operation[];
  readonly guide: Guide;
  readonly contents: Contents;
}

interface Page {
  readonly titleHtml: string;
  readonly html: string;
}

const OPERATIONS = 'api/';
const GUIDE = 'use/';

/** The pages of the reference and the guide. They are printed when they are first requested, and kept. */
@Injectable()
export class DocsPages {
  private sources: Promise<Sources> | undefined;
  private index: Promise<string> | undefined;
  private readonly printed = new Map<string, Page>();

  constructor(
    private readonly description: Description,
    private readonly guide: GuidePages,
    private readonly files: DocsFiles,
    private readonly environment: Environment,
  ) {}

  /**
   * A whole page; undefined where there is none of this name.
   * @param name its path below `docs/`; empty: the first page
   * @param docs relative path from its address to that folder
   * @param isBelowBase whether it was requested below the base path, where no console is
   */
  async print(name: string, docs: string, isBelowBase: boolean): Promise<string | undefined> {
    const sources = await this.read();
    const page = name === '' ? start(sources, docs) : this.page(name, sources);
    if (!page) return undefined;
    return printDocsPage(await this.files.parts(), {
      ...page,
      sideHtml: printSide(sources.contents, name, docs),
      docs,
      hasConsole: !isBelowBase && this.environment.console === 'on',
    });
  }

  /** All that the search finds, as JSON. */
  search(): Promise<string> {
    if (this.index) return this.index;
    const index = this.read().then(async ({ words, operations, guide }) =>
      JSON.stringify(await searchIndex(words, operations, [...guide.values()])),
    );
    this.index = index;
    // A failure to read the pages may be temporary.
    index.catch(() => (this.index = undefined));
    return index;
  }

  private page(name: string, sources: Sources): Page | undefined {
    const kept = this.printed.get(name);
    if (kept) return kept;
    const page = printPage(name, sources);
    if (page) this.printed.set(name, page);
    return page;
  }

  private read(): Promise<Sources> {
    if (this.sources) return this.sources;
    const sources = Promise.all([this.description.document(), this.guide.all()]).then(([json, guide]) => {
      const document = JSON.parse(json) as JsonObject;
      const operations = operationsOf(document);
      return { words: new SchemaWords(document), operations, guide, contents: contentsOf(guide, operations) };
    });
    this.sources = sources;
    sources.catch(() => (this.sources = undefined));
    return sources;
  }
}

const start = ({ contents }: Sources, docs: string): Page => ({
  titleHtml: 'API and guide',
  html: printStart(contents, docs),
});

function printPage(name: string, { words, operations, guide }: Sources): Page | undefined {
  if (name === 'errors') return { titleHtml: 'Statuses and kinds of errors', html: printErrors() };
  if (name.startsWith(GUIDE)) {
    const page = guide.get(name.slice(GUIDE.length));
    return page && { titleHtml: page.titleHtml, html: `<div class="guide">\n${page.html}</div>\n` };
  }
  if (!name.startsWith(OPERATIONS)) return undefined;
  const operation = operations.find(({ operationId }) => operationId === name.slice(OPERATIONS.length));
  return (
    operation && {
      titleHtml: escapeHtml(operation.summary),
      html: printOperation(words, bodyOwners(operations), operation).html,
    }
  );
}
