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
import type { Variables } from './catalog-parcel.js';
import { CatalogRefused } from './fault.js';
import { judgeAside } from './judge-aside.js';
import type { ParsedTexts } from './read-catalog.js';

/**
 * New content is judged by a thread from the first poll on that sees it, and in force when the second one has, which
 * comes sooner: within 0.75 s or, if that is longer, 0.5 s and what the thread needs. That is a fifth of a second of
 * computing, since files that have not changed are not parsed again; docs/catalog.md#the-catalog-file allows 3 s.
 */
const POLL_MS = 500;
const SETTLING_POLL_MS = 250;
/** For file systems without inodes or times of their own. */
const READ_ANYWAY_MS = 30_000;

/** Where the catalog comes from. */
export interface CatalogSource extends CatalogFiles {
  /** Of the process: what credentials may stand in. */
  readonly variables: Variables;
}

/** By which it is known whether files have changed. */
interface FileHashes {
  readonly catalog: string;
  readonly credentials: string;
}

/**
 * Holds the catalog in force and follows its files, those of the credentials that it names included: tokens that a
 * platform projects into files are replaced while the process runs. Their content decides, because time and size can
 * stay the same where a mounted file is replaced. That of the catalog is read only when its stamp differs, and now and
 * then: a megabyte that is read twice a second is garbage for an idle process to collect. A bad file is refused with a
 * log line, once for each content, and the catalog before it stays.
 */
export class CatalogStore implements OnModuleInit, OnModuleDestroy {
  /** Whom to tell when another catalog comes into force, or other credentials of it. */
  onReloaded: () => void = () => undefined;
  private inForceSince = Date.now();
  private fileIsRefused = false;
  private timer: NodeJS.Timeout | undefined;
  /** The files that were last judged, good or bad. */
  private judged: FileHashes;
  /** The files that the last poll saw. */
  private seen: FileHashes;
  /** What a poll last read of the catalog's files; `atMs` only rises. */
  private read: { readonly stamp: string | undefined; readonly hash: string; readonly atMs: number } | undefined;

  /** What was begun for content that one poll has seen. */
  private ahead:
    | { readonly of: FileHashes; readonly content: CatalogContent; readonly judgement: Promise<Judgement | undefined> }
    | undefined;
  private isJudgingAhead = false;

  private constructor(
    private readonly source: CatalogSource,
    private readonly logger: LoggerService,
    /** The catalog in force, to be read only. A request takes it once and keeps it: a reload makes another. */
    public current: CatalogSnapshot,
    private credentialPaths: readonly string[],
    /** Of the files that are in force. */
    private hashes: FileHashes,
    /** Of the files that were last judged. */
    private parsed: ParsedTexts,
  ) {
    this.judged = hashes;
    this.seen = hashes;
  }

  /**
   * Reads the catalog for the first time.
   * @throws CatalogRefused when a file cannot be read or holds a fault; its message lists them
   */
  static async open(source: CatalogSource, logger: LoggerService): Promise<CatalogStore> {
    const content = await readContent(source);
    // Nothing is served yet that it could hold up.
    const { reading, parsed, credentials } = judgeContent(content, (name) => source.variables[name]);
    if ('faults' in reading) throw new CatalogRefused(reading.faults);
    const hashes = { catalog: content.hash, credentials: credentials.hash };
    return new CatalogStore(source, logger, reading.snapshot, credentials.paths, hashes, parsed);
  }

  /** Since when the catalog in force is, epoch milliseconds. */
  get loadedAt(): number {
    return this.inForceSince;
  }

  /** The file as it is now has faults, and the one before it stays in force. */
  get isRefused(): boolean {
    return this.fileIsRefused;
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

  /** Takes content that the poll before has seen too: a file that is still being written is left alone. */
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

  /** Takes the files as they are now. */
  async reload(): Promise<void> {
    await this.judge(await readContent(this.source));
  }

  /** Sets what is seen. @returns the content of the catalog's files, where it was read */
  private async look(): Promise<CatalogContent | undefined> {
    // Before the text, so that what changes in between is read again.
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

  /** One file changes, or a file of credentials, and the others are what they were: most of the work is done before. */
  private keepParsed({ own, shipped }: CatalogContent, parsed: ParsedTexts): void {
    const texts = [own, shipped].map((file) => file && 'text' in file && file.text);
    this.parsed = new Map([...this.parsed, ...parsed].filter(([text]) => texts.includes(text)));
  }

  /** Begins before the next poll, which is to see the same. Of a file that changes on and on one state is judged. */
  private judgeAhead(content: CatalogContent): void {
    if (this.isJudgingAhead) return;
    this.isJudgingAhead = true;
    const judgement = this.judgeAside(content).finally(() => (this.isJudgingAhead = false));
    // Where nobody takes it, its failure is nobody's either.
    judgement.catch(() => undefined);
    this.ahead = { of: this.seen, content, judgement };
  }

  private judgeAside(content: CatalogContent): Promise<Judgement | undefined> {
    return judgeAside({ content, variables: { ...this.source.variables }, known: this.parsed });
  }

  private async judge(content: CatalogContent): Promise<void> {
    if (areEqual(this.hashesWith(content.hash), this.judged)) return;
    this.take(content, await this.judgeAside(content));
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
    this.fileIsRefused = 'faults' in reading;
    if ('faults' in reading) {
      this.logger.error(`${new CatalogRefused(reading.faults).message}\nThe catalog before it stays in force.`);
      return;
    }
    const { snapshot } = reading;
    const isNew = snapshot.hash !== this.current.hash;
    if (!isNew && hashes.credentials === this.hashes.credentials) return;
    this.current = snapshot;
    this.hashes = hashes;
    this.onReloaded();
    if (!isNew) {
      this.logger.log('Credentials of the catalog were read anew: their files have changed.');
      return;
    }
    this.inForceSince = Date.now();
    this.logger.log(`The catalog was reloaded: ${snapshot.models.size} models, ${snapshot.hash}.`);
  }
}

const areEqual = (one: FileHashes, other: FileHashes): boolean =>
  one.catalog === other.catalog && one.credentials === other.credentials;
