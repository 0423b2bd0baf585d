import { Injectable } from '@nestjs/common';
import { DestinationSeals } from '../vault/seal-ring.js';
import type { DestinationConfig } from './destination-config.js';
import type { DestinationEntity } from './destination.entity.js';

type SealedConfiguration = Pick<DestinationEntity, 'dataKey' | 'sealed'>;
type DestinationOwner = Pick<DestinationEntity, 'id' | 'accountId'>;

/** Seals the configurations of destinations, each for its row alone. Safe to share. */
@Injectable()
export class SealedConfigs {
  constructor(private readonly seals: DestinationSeals) {}

  /**
   * Must be awaited before `seal`.
   * @throws GatewayError `service-unavailable` when the key service does not answer
   */
  ready(): Promise<void> {
    return this.seals.ready();
  }

  seal(config: DestinationConfig, owner: DestinationOwner): SealedConfiguration {
    const { keyId, sealed } = this.seals.sealBytes(Buffer.from(JSON.stringify(config)), contextOf(owner));
    return { dataKey: keyId, sealed };
  }

  /**
   * @returns undefined where it does not open with the encryption keys of this process
   * @throws GatewayError `service-unavailable` when the key service does not answer
   */
  async open(row: SealedConfiguration & DestinationOwner): Promise<DestinationConfig | undefined> {
    await this.seals.prepareKeys([row.dataKey]);
    const plain = this.seals.openBytes({ keyId: row.dataKey, sealed: Buffer.from(row.sealed) }, contextOf(row));
    return plain && (JSON.parse(plain.toString()) as DestinationConfig);
  }
}

const contextOf = ({ id, accountId }: DestinationOwner): string => JSON.stringify(['destination', accountId, id]);
