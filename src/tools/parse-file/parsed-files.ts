import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import type { Caller } from '../../core/caller.js';
import type { ParsedFileStore } from '../../core/extension.js';
import { lengthOfFile, type ParsedFile } from '../../core/conversation/parsed-file.js';
import { Clock } from '../../core/time.js';

/** Maximum number of characters of all cached files. Chosen. */
const LENGTH_MAX = 32 * 1024 * 1024;
/** Maximum number of characters of one file, so that no file evicts all others. */
const FILE_LENGTH_MAX = 8 * 1024 * 1024;
/** Time since the last read or use of a file: as long as session pins last. */
const IDLE_MS = 10 * 60_000;

interface CachedFile {
  readonly file: ParsedFile;
  atMs: number;
}

/** Parsed files by account, cached only in the memory of this process. */
@Injectable()
export class ParsedFiles {
  private readonly kept = new LRUCache<string, CachedFile>({
    maxSize: LENGTH_MAX,
    maxEntrySize: FILE_LENGTH_MAX,
    sizeCalculation: ({ file }) => lengthOfFile(file) + 1,
  });

  constructor(private readonly clock: Clock) {}

  /** @param mayRetain false where a policy forbids data retention: nothing new is cached */
  of({ accountId }: Pick<Caller, 'accountId'>, mayRetain: boolean): ParsedFileStore {
    const keyOf = (hash: string, engine: string): string => JSON.stringify([accountId, engine, hash]);
    return {
      find: (hash, engine) => this.find(keyOf(hash, engine)),
      keep: (file, engine) => {
        if (mayRetain) this.kept.set(keyOf(file.hash, engine), { file, atMs: this.clock.now() });
      },
    };
  }

  private find(key: string): ParsedFile | undefined {
    const now = this.clock.now();
    // Entries are visited from the least recently used.
    for (const old of this.kept.rkeys()) {
      if (now - this.kept.peek(old)!.atMs < IDLE_MS) break;
      this.kept.delete(old);
    }
    const kept = this.kept.get(key);
    if (!kept) return undefined;
    kept.atMs = now;
    return kept.file;
  }
}
