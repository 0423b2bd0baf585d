import type { PicoUsd } from '../core/money/credits.js';
import type { Secret } from '../core/secret.js';

export interface Rate {
  readonly limit: number;
  readonly windowMs: number;
}

/** What holds key-encryption keys: this process, or a service outside with what calling it needs. Addresses end without a slash. */
export type KeyServiceSetting =
  | { readonly kind: 'local' }
  | {
      readonly kind: 'aws-kms';
      /** Id or ARN of the key. */
      readonly keyId: string;
      readonly region: string;
      readonly endpoint: string;
      readonly accessKeyId: Secret;
      readonly secretAccessKey: Secret;
      readonly sessionToken?: Secret;
    }
  | {
      readonly kind: 'vault-transit';
      readonly mount: string;
      readonly key: string;
      readonly address: string;
      readonly token: Secret;
      readonly namespace?: string;
    };

/**
 * Every setting of the process, read once from its variables, checked and frozen (DESIGN 11 lists names, defaults, meanings).
 * The class is the injection token; `readEnvironment` makes the value.
 */
export abstract class Environment {
  abstract readonly port: number;
  abstract readonly host: string;
  /** Absent: the embedded database in `dataDir`. */
  abstract readonly databaseUrl?: Secret;
  abstract readonly databasePool: number;
  /** Absolute path. */
  abstract readonly dataDir: string;
  abstract readonly redisUrl?: Secret;
  abstract readonly workers: number;
  /** Absolute path of the catalog file. */
  abstract readonly catalogPath: string;
  /** First encrypts, all decrypt. Empty when embedded (then one is generated into `dataDir`) or beside a key service. */
  abstract readonly encryptionKeys: readonly { readonly id: string; readonly key: Secret }[];
  /** The first wraps data keys, all unwrap. Empty: local. The encryption keys above unwrap in any case. */
  abstract readonly keyServices: readonly KeyServiceSetting[];
  abstract readonly managementKey?: Secret;
  abstract readonly apiKey?: Secret;
  abstract readonly initialCredits: PicoUsd;
  abstract readonly byokFeePercent: string;
  /** `host:port` or CIDR entries that caller-named URLs may reach besides public addresses. */
  abstract readonly egressAllow: readonly string[];
  abstract readonly timeouts: {
    readonly connectMs: number;
    readonly firstMs: number;
    readonly idleMs: number;
    readonly stallMs: number;
    readonly totalMs: number;
  };
  abstract readonly cooldown: { readonly baseMs: number; readonly maxMs: number };
  abstract readonly flood: { readonly account: Rate; readonly auth: Rate };
  /** CIDRs whose `X-Forwarded-For` is believed. */
  abstract readonly trustProxy: readonly string[];
  abstract readonly bodyBytesMax: number;
  abstract readonly bodiesInFlightBytesMax: number;
  abstract readonly heartbeatMs: number;
  abstract readonly drainMs: number;
  /** Days to keep; `null` = for ever. */
  abstract readonly retentionDays: {
    readonly generations: number | null;
    readonly ledgerEntries: number | null;
    readonly audit: number | null;
  };
  abstract readonly ledgerDurability: 'strict' | 'relaxed';
  abstract readonly otelEndpoint?: string;
  abstract readonly logLevel: string;
}

/** One variable and what is wrong with it. The reason completes a sentence that begins with the name. */
export interface EnvironmentFault {
  readonly variable: string;
  readonly reason: string;
}

/** The process cannot start with these settings. The message names every faulty variable, one a line, and shows no secret. */
export class InvalidEnvironment extends Error {
  override readonly name = 'InvalidEnvironment';

  constructor(readonly faults: readonly EnvironmentFault[]) {
    const lines = faults.map(({ variable, reason }) => `  ${variable} ${reason}`);
    super(`Fairlead cannot start with these settings:\n${lines.join('\n')}`);
  }
}
