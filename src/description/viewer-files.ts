import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { Injectable, type OnModuleInit } from '@nestjs/common';

/** A file that the page loads. */
export interface ViewerFile {
  readonly contentType: string;
  readonly text: string;
  /** Changes with the text. Browsers may cache addresses that carry it for ever. */
  readonly version: string;
}

const TYPES = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  json: 'application/json; charset=utf-8',
  svg: 'image/svg+xml',
} as const;

/**
 * The viewer as its package ships it built, the gateway's own configuration and style, and the texts of the guide,
 * which the build writes beside them.
 */
const PACKAGE = 'swagger-ui-dist';
const OF_PACKAGE = { 'swagger-ui.js': 'swagger-ui-bundle.js', 'swagger-ui.css': 'swagger-ui.css' } as const;
const OWN = ['reference.js', 'reference.css', 'guide.css', 'guide.json', 'icon.svg'] as const;

export type ViewerFileName = keyof typeof OF_PACKAGE | (typeof OWN)[number];

/**
 * The files of the page by the names under which browsers request them. They are read when the page is first opened,
 * and cached. No other file of the package or the folder can be requested: names are looked up here and never joined to
 * a path.
 */
@Injectable()
export class ViewerFiles implements OnModuleInit {
  private paths: ReadonlyMap<string, string> = new Map();
  private readonly kept = new Map<string, Promise<ViewerFile>>();

  /** @throws Error where the package is not installed, so that this shows at the start and not at the first request */
  onModuleInit(): void {
    const directory = dirname(createRequire(import.meta.url).resolve(`${PACKAGE}/package.json`));
    this.paths = new Map([
      ...Object.entries(OF_PACKAGE).map(([name, file]) => [name, join(directory, file)] as const),
      ...OWN.map((name) => [name, join(import.meta.dirname, 'viewer', name)] as const),
    ]);
  }

  /** Undefined for a name that the page does not have. */
  find(name: string): Promise<ViewerFile> | undefined {
    const path = this.paths.get(name);
    if (path === undefined) return undefined;
    const kept = this.kept.get(name);
    if (kept) return kept;
    const file = read(path);
    this.kept.set(name, file);
    // A failure to read it may be temporary.
    file.catch(() => this.kept.delete(name));
    return file;
  }

  /** The versions of all files by name. */
  async versions(): Promise<Readonly<Record<ViewerFileName, string>>> {
    const names = [...this.paths.keys()];
    const files = await Promise.all(names.map((name) => this.find(name)!));
    return Object.fromEntries(names.map((name, at) => [name, files[at]!.version])) as Record<ViewerFileName, string>;
  }
}

async function read(path: string): Promise<ViewerFile> {
  const text = await readFile(path, 'utf8');
  return {
    contentType: TYPES[path.slice(path.lastIndexOf('.') + 1) as keyof typeof TYPES],
    text,
    version: createHash('sha256').update(text).digest('base64url').slice(0, 16),
  };
}
