import type { LoggerService, OnModuleDestroy, OnModuleInit } from '@nestjs/common';
import type { CatalogSnapshot } from '../core/routing/catalog.js';
import {
  CredentialFiles,
  judgeContent,
  readContent,
  stampOf,
  type CatalogContent,
  type CatalogFiles,
  type Judgement,
} from './catalog-files.js';
import type { Variables } from './judgement-transfer.js';
import { CatalogRefused, type CatalogFault } from './fault.js';
import { judgeInThread } from './judge-in-thread.js';
import type { ParsedTexts } from './read-catalog.js';

/**
 * A thread judges new content from the first poll on that sees it; it comes into force at the next poll, which comes
 * sooner: within 0.75 s or, if that is longer, 0.5 s and the time of the thread. That is a fifth of a second of
 * computing, since unchanged files are not parsed again; docs/operate/catalog.md#the-catalog-file allows 3 s.
 */
const POLL_MS = 500;
const SETTLING_POLL_MS = 250;
/** Time after which the file is read although it seems unchanged: some file systems have unreliable inodes or times. */
const READ_ANYWAY_MS = 30_000;

/** The location of the catalog. */
export interface CatalogSource extends CatalogFiles {
  /** Variables of the process, which may hold credentials. */
  readonly variables: Variables;
}

/** The hashes that show whether files have changed. */
interface FileHashes {
  readonly catalog: string;
  readonly credentials: string;
}

/**
 * Holds the current catalog and follows changes of its files and of the files of credentials that it names: platforms
 * replace tokens that they mount as files while the process runs. The contents of these are compared, because time and
 * size can stay the same where a mounted file is replaced. The catalog is read only when its stamp differs, and at long
 * intervals: reading a megabyte twice a second would produce garbage in an idle process. A bad file is refused with one
 * log line for each content, and the previous catalog stays.
 */
export class CatalogStore implements OnModuleInit, OnModuleDestroy {
  /** Called when another catalog, or other credentials of it, become active. */
  onReloaded: () => void = () => undefined;
  private inForceSince = Date.now();
  private refusedFor: readonly CatalogFault[] = [];
  private timer: NodeJS.Timeout | undefined;
  /** The files that were judged last, valid or not. */
  private judged: FileHashes;
  /** The files that the last poll saw. */
  private seen: FileHashes;
  /** The catalog's files as last read by a poll; `atMs` only rises. */
  private read: { readonly stamp: string | undefined; readonly hash: string; readonly atMs: number } | undefined;

  /** The judgement that was started for content seen by one poll. */
  private ahead:
    | { readonly of: FileHashes; readonly content: CatalogContent; readonly judgement: Promise<Judgement | undefined> }
    | undefined;
  private isJudgingAhead = false;

  private constructor(
    private readonly source: CatalogSource,
    private readonly logger: LoggerService,
    /** The catalog in force, read-only. A request reads it once and keeps it: a reload creates another. */
    public current: CatalogSnapshot,
    private credentialPaths: readonly string[],
    /** Hashes of the active files. */
    private hashes: FileHashes,
    /** Texts of the files that were checked last. */
    private parsed: ParsedTexts,
  ) {
    this.judged = hashes;
    this.seen = hashes;
  }

  /**
   * Reads the catalog for the first time.
   * @throws CatalogRefused when a file cannot be read or contains a fault; its message lists them
   */
  static async open(source: CatalogSource, logger: LoggerService): Promise<CatalogStore> {
    const content = await readContent(source);
    // Synchronous: no request is served yet.
    const { reading, parsed, credentials } = judgeContent(content, (name) => source.variables[name]);
    if ('faults' in reading) throw new CatalogRefused(reading.faults);
    const hashes = { catalog: content.hash, credentials: credentials.hash };
    return new CatalogStore(source, logger, reading.snapshot, credentials.paths, hashes, parsed);
  }

  /** Start of the catalog in force, in epoch milliseconds. */
  get loadedAt(): number {
    return this.inForceSince;
  }

  /** Faults of the current file, for which it is refused and the previous catalog stays active. */
  get faults(): readonly CatalogFault[] {
    return this.refusedFor;
  }

  onModuleInit(): void {
    const next = (): void => {
      const isSettling = !areEqual(this.seen, this.judged);
      this.timer = setTimeout(
        () => {
          void this.poll().then(() => this.timer && next());
        },
        isSettling ? SETTLING_POLL_MS : POLL_MS,
      ).unref();
    };
    next();
  }

  onModuleDestroy(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
  }

  /** Applies content that the previous poll has seen too: a file that is still being written is left alone. */
  async poll(): Promise<void> {
    const before = this.seen;
    const read = await this.look();
    if (areEqual(this.seen, this.judged)) return;
    if (!areEqual(this.seen, before)) {
      if (read) this.judgeAhead(read);
      return;
    }
    const { ahead } = this;
    if (ahead && areEqual(ahead.of, this.seen)) return this.take(ahead.content, await ahead.judgement);
    const content = read ?? (await readContent(this.source));
    if (content.hash === this.seen.catalog) await this.judge(content);
  }

  /** Applies the files as they are now. */
  async reload(): Promise<void> {
    await this.judge(await readContent(this.source));
  }

  /** Updates `seen`. @returns the content of the catalog's files, where it was read */
  private async look(): Promise<CatalogContent | undefined> {
    // Taken before the text, so that a change in between is read again.
    const stamp = await stampOf(this.source);
    const atMs = performance.now();
    const isKnown = stamp !== undefined && stamp === this.read?.stamp && atMs - this.read.atMs < READ_ANYWAY_MS;
    const content = isKnown ? undefined : await readContent(this.source);
    if (content) this.read = { stamp, hash: content.hash, atMs };
    this.seen = this.hashesWith(this.read!.hash);
    return content;
  }

  private hashesWith(catalog: string): FileHashes {
    return { catalog, credentials: CredentialFiles.at(this.credentialPaths).hash };
  }

  /** Keeps parsed texts that are still in use: mostly one file changes, and the work on the others is reused. */
  private keepParsed({ own, shipped }: CatalogContent, parsed: ParsedTexts): void {
    const texts = [own, shipped].map((file) => file && 'text' in file && file.text);
    this.parsed = new Map([...this.parsed, ...parsed].filter(([text]) => texts.includes(text)));
  }

  /**
   * Starts before the next poll, which should see the same content. If a file changes continuously, only one state is
   * judged at a time.
   */
  private judgeAhead(content: CatalogContent): void {
    if (this.isJudgingAhead) return;
    this.isJudgingAhead = true;
    const judgement = this.judgeInThread(content).finally(() => (this.isJudgingAhead = false));
    // If the result is not used, its failure must not be unhandled.
    judgement.catch(() => undefined);
    this.ahead = { of: this.seen, content, judgement };
  }

  private judgeInThread(content: CatalogContent): Promise<Judgement | undefined> {
    return judgeInThread({ content, variables: { ...this.source.variables }, known: this.parsed });
  }

  private async judge(content: CatalogContent): Promise<void> {
    if (areEqual(this.hashesWith(content.hash), this.judged)) return;
    this.take(content, await this.judgeInThread(content));
  }

  private take(content: CatalogContent, judgement: Judgement | undefined): void {
    this.ahead = undefined;
    if (!judgement) {
      this.logger.warn('The changed catalog could not be read in time, and is tried again.');
      return;
    }
    const { reading, credentials } = judgement;
    this.keepParsed(content, judgement.parsed);
    const hashes = { catalog: content.hash, credentials: credentials.hash };
    this.credentialPaths = credentials.paths;
    this.judged = hashes;
    this.seen = hashes;
    this.refusedFor = 'faults' in reading ? reading.faults : [];
    if ('faults' in reading) {
      this.logger.error(`${new CatalogRefused(reading.faults).message}\nThe previous catalog stays active.`);
      return;
    }
    const { snapshot } = reading;
    const isNew = snapshot.hash !== this.current.hash;
    if (!isNew && hashes.credentials === this.hashes.credentials) return;
    this.current = snapshot;
    this.hashes = hashes;
    this.onReloaded();
    if (!isNew) {
      this.logger.log('Credentials of the catalog were read again: their files have changed.');
      return;
    }
    this.inForceSince = Date.now();
    this.logger.log(`The catalog was reloaded: ${snapshot.models.size} models, ${snapshot.hash}.`);
  }
}

const areEqual = (one: FileHashes, other: FileHashes): boolean =>
  one.catalog === other.catalog && one.credentials === other.credentials;
