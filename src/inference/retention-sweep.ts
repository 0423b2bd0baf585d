import { Injectable } from '@nestjs/common';
import { KeptContents } from '../kept-replies/kept-contents.js';
import { ExpiringRows } from '../shared/database/expiring-rows.js';
import { StoragePermission } from './storage-permission.js';

/** Removes the contents of replies that were kept before a rule required zero data retention of their key. */
@Injectable()
export class RetentionSweep {
  constructor(
    private readonly contents: KeptContents,
    private readonly permission: StoragePermission,
    rows: ExpiringRows,
  ) {
    rows.addRule((isEnding) => this.sweep(isEnding));
  }

  private async sweep(isEnding: () => boolean): Promise<void> {
    for (const caller of await this.contents.listCallers()) {
      if (isEnding()) return;
      if (!(await this.permission.isAllowed(caller))) await this.contents.dropAllOf(caller.keyHash);
    }
  }
}
