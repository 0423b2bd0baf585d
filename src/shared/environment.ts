import type { Secret } from '../core/secret.js';
import type { Settings } from './variables/variables.js';

/**
 * Holder of the key-encryption keys: this process, or an external service with the settings to call it. Addresses end
 * without a slash.
 */
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

/** Settings that combine several variables, or a variable and the working directory. */
interface CombinedSettings {
  /** Absolute path. */
  readonly dataDir: string;
  /** Absolute path of the catalog file. */
  readonly catalogPath: string;
  /** The first wraps data keys, all unwrap. Empty: local. `encryptionKeys` always unwrap. */
  readonly keyServices: readonly KeyServiceSetting[];
}

/**
 * Every setting of the process, read once from its variables, checked and frozen. `VARIABLES` defines names, grammars,
 * defaults and meanings, and this type is inferred from it; `readEnvironment` creates the value.
 */
// oxlint-disable-next-line typescript/no-unsafe-declaration-merging -- the class is a token only, never constructed
export interface Environment extends Settings, CombinedSettings {}

/** The injection token. */
export abstract class Environment {}

/** One faulty variable. The reason completes a sentence that begins with its name. */
export interface EnvironmentFault {
  readonly variable: string;
  readonly reason: string;
}

/**
 * The process cannot start with these settings. The message names every faulty variable, one per line, and shows no
 * secret.
 * @param warnings of other variables: a name similar to a known one may be the cause of a fault
 */
export class InvalidEnvironment extends Error {
  override readonly name = 'InvalidEnvironment';

  constructor(
    readonly faults: readonly EnvironmentFault[],
    warnings: readonly string[] = [],
  ) {
    const lines = faults.map(({ variable, reason }) => `  ${variable} ${reason}`);
    const others = warnings.map((warning) => `  ${warning}`);
    super(`Fairlead cannot start with these settings:\n${[...lines, ...others].join('\n')}`);
  }
}
