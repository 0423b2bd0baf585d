import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Injectable } from '@nestjs/common';

/** A file that the page loads. Its name changes with its contents. */
export interface ConsoleFile {
  readonly contentType: string;
  readonly text: string;
}

/** What the build writes of the console: `scripts/build-console.mjs`. */
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

const FOLDER = join(import.meta.dirname, 'assets');
const TYPES: Readonly<Record<string, string>> = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
  txt: 'text/plain; charset=utf-8',
};

/**
 * The files of the console by the names under which browsers request them. They are read when they are first requested,
 * and cached. Names are looked up in the list of the build, and never joined to a path otherwise.
 */
@Injectable()
export class ConsoleFiles {
  private manifest: Promise<Manifest> | undefined;
  private readonly kept = new Map<string, Promise<ConsoleFile>>();

  /** Undefined for a name that the build did not write. */
  async find(name: string): Promise<ConsoleFile | undefined> {
    if (!(await this.parts()).files.includes(name)) return undefined;
    const kept = this.kept.get(name);
    if (kept) return kept;
    const file = read(name);
    this.kept.set(name, file);
    // A failure to read it may be temporary.
    file.catch(() => this.kept.delete(name));
    return file;
  }

  /** The names of the parts of the page. */
  parts(): Promise<Manifest> {
    if (this.manifest) return this.manifest;
    const manifest = readFile(join(FOLDER, 'manifest.json'), 'utf8').then((text) => JSON.parse(text) as Manifest);
    this.manifest = manifest;
    manifest.catch(() => (this.manifest = undefined));
    return manifest;
  }
}

const read = async (name: string): Promise<ConsoleFile> => ({
  contentType: TYPES[name.slice(name.lastIndexOf('.') + 1)]!,
  text: await readFile(join(FOLDER, name), 'utf8'),
});
