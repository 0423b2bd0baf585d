import { createHash } from 'node:crypto';
import { ProviderFault } from '../../core/errors.js';
import { isJsonObject, parseJson, type JsonObject } from '../../core/json/json.js';
import type { CallContext } from '../../core/platform.js';
import type { Secret } from '../../core/secret.js';

/** A value that becomes part of an address: nothing in it can change the host. */
const HOST_PART = /^[A-Za-z0-9](?:[A-Za-z0-9-]{0,62}[A-Za-z0-9])?$/;

/**
 * Reads the members of a structured credential. Its faults name members, never their values.
 * @throws ProviderFault `refused-credential`, from each method
 */
export class CredentialMembers {
  constructor(private readonly value: JsonObject) {}

  has(name: string): boolean {
    return this.value[name] !== undefined && this.value[name] !== null;
  }

  optional(name: string): string | undefined {
    const value = this.value[name];
    return typeof value === 'string' && value !== '' ? value : undefined;
  }

  text(name: string): string {
    return this.optional(name) ?? lacks(name);
  }

  /** @param pattern what is valid as a part of an address */
  part(name: string, pattern = HOST_PART): string {
    const value = this.text(name);
    if (!pattern.test(value)) throw refused(`has a member ${name} that cannot be a part of an address`);
    return value;
  }

  /** @param pattern what the member may contain */
  matching(name: string, pattern: RegExp): string {
    const value = this.text(name);
    if (!pattern.test(value)) throw refused(`has invalid characters in ${name}`);
    return value;
  }

  optionalPart(name: string): string | undefined {
    return this.has(name) ? this.part(name) : undefined;
  }

  /** The members that are texts. */
  texts(): readonly (readonly [string, string])[] {
    return Object.entries(this.value).flatMap(([name, value]) =>
      typeof value === 'string' ? [[name, value] as const] : [],
    );
  }

  inside(name: string): CredentialMembers {
    const value = this.value[name];
    return isJsonObject(value) ? new CredentialMembers(value) : lacks(name);
  }
}

export const refused = (complaint: string): ProviderFault =>
  new ProviderFault('refused-credential', `The credential ${complaint}.`);

function lacks(name: string): never {
  throw refused(`lacks the member ${name}`);
}

/**
 * The JSON of a structured credential; undefined for a plain text.
 * @throws ProviderFault
 */
export function readStructure(text: string): unknown {
  if (!/^\s*[[{]/.test(text)) return undefined;
  try {
    return parseJson(text);
  } catch {
    // The parser's own error quotes the text.
    throw refused('is not valid JSON');
  }
}

/** Whether the call uses a caller's own credential, not the one that the catalog holds. */
export const isCallers = ({ target, credential }: CallContext): boolean =>
  credential !== target.endpoint.provider.credential;

interface CachedReading<Credential> {
  readonly reading: Credential;
  readonly digest: string;
}

/** Parsed credentials, each parsed once and kept as long as the credential itself. */
export class CredentialReader<Credential> {
  private readonly readings = new WeakMap<Secret, CachedReading<Credential>>();

  /** @param readText throws a `ProviderFault` `refused-credential`, which every reading method then throws */
  constructor(private readonly readText: (text: string) => Credential) {}

  /** The parsed credential. */
  read(context: CallContext): Credential {
    return this.known(context).reading;
  }

  /**
   * The key under which its tokens are kept: a hash of it. A caller who sends the operator's own text gets no token
   * that was fetched by the operator's rules.
   */
  keyOf(context: CallContext): string {
    const { digest } = this.known(context);
    return isCallers(context) ? `caller ${digest}` : digest;
  }

  private known({ credential }: CallContext): CachedReading<Credential> {
    if (!credential) throw new ProviderFault('refused-credential', 'There is no credential for the provider.');
    let known = this.readings.get(credential);
    if (!known) {
      const text = credential.reveal();
      known = { reading: this.readText(text), digest: createHash('sha256').update(text).digest('base64') };
      this.readings.set(credential, known);
    }
    return known;
  }
}
