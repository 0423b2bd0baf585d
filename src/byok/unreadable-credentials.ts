import { Injectable, Logger, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { CredentialOpener, nameInLog } from './credential-opener.js';
import { CredentialsRepository } from './credentials.repository.js';

/** Credentials in one statement, and in one line of the log: that many names fit into it. */
const PAGE = 25;
const BEFORE_ALL = '00000000-0000-0000-0000-000000000000';

/** Logs at the start which stored credentials this process cannot read. The start does not wait for it. */
@Injectable()
export class UnreadableCredentials implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly logger = new Logger('byok');
  /** Resolves when everything is logged. */
  settled: Promise<void> = Promise.resolve();
  private isStopping = false;

  constructor(
    private readonly credentials: CredentialsRepository,
    private readonly opener: CredentialOpener,
  ) {}

  onApplicationBootstrap(): void {
    this.settled = this.logUnreadable().catch((error: unknown) =>
      this.logger.warn('Provider credentials could not be checked at the start.', error),
    );
  }

  /** The store is closed only after this. */
  async onModuleDestroy(): Promise<void> {
    this.isStopping = true;
    await this.settled;
  }

  private async logUnreadable(): Promise<void> {
    let page = await this.credentials.listAfter(BEFORE_ALL, PAGE);
    while (page.length > 0 && !this.isStopping) {
      const openings = await Promise.all(page.map((row) => this.opener.open(row)));
      const names = page.filter((_, index) => openings[index]!.status === 'undecryptable').map(nameInLog);
      if (names.length > 0)
        this.logger.error(`Provider credentials that cannot be decrypted, and are not used: ${names.join(', ')}.`);
      // A dead key service would be waited for at each page.
      if (openings.every(({ status }) => status === 'key_service_unavailable')) {
        this.logger.error('The key service does not answer: provider credentials cannot be used until it does.');
        return;
      }
      page = page.length < PAGE ? [] : await this.credentials.listAfter(page.at(-1)!.id, PAGE);
    }
  }
}
