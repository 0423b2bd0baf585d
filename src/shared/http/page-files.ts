import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** A file that a page loads. Its name changes with its contents. */
export interface PageFile {
  readonly contentType: string;
  readonly text: string;
}

/** The record of the pages that `scripts/build-console.mjs` writes. */
interface Manifest {
  /** The program, the style sheet and the icon of the page. */
  readonly script: string;
  readonly style: string;
  readonly icon: string;
  /** Programs that the first one loads at once. */
  readonly loaded: readonly string[];
  /** All files. */
  readonly files: readonly string[];
}

const TYPES: Readonly<Record<string, string>> = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
  txt: 'text/plain; charset=utf-8',
};

/** A name with a version always has the same content. */
const FOR_GOOD = 'public, max-age=31536000, immutable';

/**
 * Files of pages by the names under which browsers request them. They are read when they are first requested, and
 * cached. Names are looked up in the list of the build, and never joined to a path otherwise.
 */
export class PageFiles {
  private manifest: Promise<Manifest> | undefined;
  private readonly kept = new Map<string, Promise<PageFile>>();

  /** @param folder what the build wrote the files and their list into */
  constructor(private readonly folder: string) {}

  /** Undefined for a name that the build did not write. */
  async find(name: string): Promise<PageFile | undefined> {
    if (!(await this.parts()).files.includes(name)) return undefined;
    const kept = this.kept.get(name);
    if (kept) return kept;
    const file = this.read(name);
    this.kept.set(name, file);
    // A failure to read it may be temporary.
    file.catch(() => this.kept.delete(name));
    return file;
  }

  /** The names of the parts of the page. */
  parts(): Promise<Manifest> {
    if (this.manifest) return this.manifest;
    const path = join(this.folder, 'manifest.json');
    const manifest = readFile(path, 'utf8').then((text) => JSON.parse(text) as Manifest);
    this.manifest = manifest;
    manifest.catch(() => (this.manifest = undefined));
    return manifest;
  }

  private async read(name: string): Promise<PageFile> {
    return {
      contentType: TYPES[name.slice(name.lastIndexOf('.') + 1)]!,
      text: await readFile(join(this.folder, name), 'utf8'),
    };
  }
}

export const fileHeaders = (name: string, { contentType }: PageFile): Readonly<Record<string, string>> => ({
  'Content-Type': contentType,
  'Cache-Control': FOR_GOOD,
  ETag: `"${name}"`,
});

/**
 * Policy of pages. They contain neither script nor style themselves, so that only files of this gateway are allowed;
 * and their programs write no markup, which the policy refuses too.
 */
const CONTENT_SECURITY_POLICY = [
  `default-src 'none'`,
  `script-src 'self'`,
  `style-src 'self'`,
  `connect-src 'self'`,
  `img-src 'self'`,
  `font-src 'self'`,
  `base-uri 'none'`,
  `form-action 'none'`,
  `frame-ancestors 'none'`,
  `require-trusted-types-for 'script'`,
  `trusted-types 'none'`,
].join('; ');

export const PAGE_HEADERS: Readonly<Record<string, string>> = {
  'Content-Type': 'text/html; charset=utf-8',
  'Cache-Control': 'no-cache',
  'Content-Security-Policy': CONTENT_SECURITY_POLICY,
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Opener-Policy': 'same-origin',
};

/** The elements in the head of a page. @param address of a file by its name */
export function printHead(
  { script, style, icon, loaded }: Omit<Manifest, 'files'>,
  titleHtml: string,
  address: (name: string) => string,
): string {
  return `<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${titleHtml}</title>
<link rel="icon" type="image/svg+xml" href="${address(icon)}">
<link rel="stylesheet" href="${address(style)}">
${loaded.map((name) => `<link rel="modulepreload" href="${address(name)}">`).join('\n')}
<script type="module" src="${address(script)}"></script>`;
}
