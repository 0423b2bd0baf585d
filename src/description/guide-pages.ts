import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Injectable } from '@nestjs/common';

/** A page of docs/use, as the build rendered it. */
export interface GuidePage {
  /** Path of the page below docs/use, without the extension. */
  readonly name: string;
  readonly title: string;
  readonly titleHtml: string;
  readonly html: string;
  /** The task of its readers, by the map of the documents. */
  readonly task: string;
  readonly sections: readonly { readonly anchor: string; readonly heading: string; readonly text: string }[];
}

export type Guide = ReadonlyMap<string, GuidePage>;

/**
 * The pages of the guide by their names, in their order. They are read when one is first opened, and kept. A name is
 * looked up and never joined to a path.
 */
@Injectable()
export class GuidePages {
  private kept: Promise<Guide> | undefined;

  all(): Promise<Guide> {
    if (this.kept) return this.kept;
    const pages = readPages();
    this.kept = pages;
    // A failure to read them may be temporary.
    pages.catch(() => (this.kept = undefined));
    return pages;
  }
}

async function readPages(): Promise<Guide> {
  const text = await readFile(join(import.meta.dirname, 'guide', 'pages.json'), 'utf8');
  const pages = JSON.parse(text) as readonly GuidePage[];
  return new Map(pages.map((page) => [page.name, page]));
}
