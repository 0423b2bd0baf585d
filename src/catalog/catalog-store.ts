import type { LoggerService, OnModuleDestroy, OnModuleInit } from '@nestjs/common';
import type { CatalogSnapshot } from '../core/routing/catalog.js';
import { readContent, type CatalogContent, type CatalogSource } from './catalog-files.js';
import { CatalogRefused } from './fault.js';

/**
 * New content is in force at the second poll that sees it: within 2 s, where
 * docs/catalog.md#the-catalog-file allows 3 s.
 */
const POLL_MS = 1000;

/**
 * Holds the catalog in force and follows its files. They are compared by content, because time and size can stay the
 * same where a mounted file is replaced. A bad file is refused with a log line, once for each content, and the
 * catalog before it stays.
 */
export class CatalogStore implements OnModuleInit, OnModuleDestroy {
  private timer: NodeJS.Timeout | undefined;
  /** Hash of the content that was last judged, good or bad. */
  private judged: string;
  /** Hash of the content that the last poll saw. */
  private seen: string;

  private constructor(
    private readonly source: CatalogSource,
    private readonly logger: LoggerService,
    private snapshot: CatalogSnapshot,
    contentHash: string,
  ) {
    this.judged = contentHash;
    this.seen = contentHash;
  }

  /**
   * Reads the catalog for the first time.
   * @throws CatalogRefused when a file cannot be read or holds a fault; its message lists them
   */
  static async open(source: CatalogSource, logger: LoggerService): Promise<CatalogStore> {
    const content = await readContent(source);
    const reading = content.read();
    if ('faults' in reading) throw new CatalogRefused(reading.faults);
    return new CatalogStore(source, logger, reading.snapshot, content.hash);
  }

  /** The catalog in force. A request takes it once and keeps it: a reload makes another. */
  current(): CatalogSnapshot {
    return this.snapshot;
  }

  onModuleInit(): void {
    const next = (): void => {
      this.timer = setTimeout(() => {
        void this.poll().then(() => this.timer && next());
      }, POLL_MS).unref();
    };
    next();
  }

  onModuleDestroy(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
  }

  /** Takes content that the poll before has seen too: a file that is still being written is left alone. */
  async poll(): Promise<void> {
    const content = await readContent(this.source);
    if (content.hash === this.seen) this.judge(content);
    this.seen = content.hash;
  }

  /** Takes the files as they are now. */
  async reload(): Promise<void> {
    this.judge(await readContent(this.source));
  }

  private judge(content: CatalogContent): void {
    if (content.hash === this.judged) return;
    this.judged = content.hash;
    const reading = content.read();
    if ('faults' in reading) {
      this.logger.error(`${new CatalogRefused(reading.faults).message}\nThe catalog before it stays in force.`);
    } else if (reading.snapshot.hash !== this.snapshot.hash) {
      this.snapshot = reading.snapshot;
      this.logger.log(`The catalog was reloaded: ${reading.snapshot.models.size} models, ${reading.snapshot.hash}.`);
    }
  }
}
