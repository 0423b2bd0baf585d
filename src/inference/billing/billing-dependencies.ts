import { Injectable } from '@nestjs/common';
import { readFeeShare, type FeeShare } from '../../core/money/bill.js';
import { Clock } from '../../core/time.js';
import { LedgerService } from '../../ledger/ledger.service.js';
import { PriceVersions } from '../../ledger/price-versions.js';
import { EndpointBounds } from '../../routing/endpoint-bounds.js';
import { Environment } from '../../shared/environment.js';
import { Metrics } from '../../shared/telemetry/metrics.js';

/** The services that generations are billed with. One of each per process. */
@Injectable()
export class BillingDependencies {
  /** For calls with the caller's own credentials. */
  readonly fee: FeeShare;

  constructor(
    readonly ledger: LedgerService,
    readonly prices: PriceVersions,
    readonly metrics: Metrics,
    readonly bounds: EndpointBounds,
    readonly clock: Clock,
    environment: Environment,
  ) {
    this.fee = readFeeShare(environment.byokFeePercent);
  }
}
