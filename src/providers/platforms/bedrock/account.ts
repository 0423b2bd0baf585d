import type { CallContext } from '../../../core/platform.js';
import { isJsonObject } from '../../../core/json/json.js';
import { CredentialMembers, CredentialReader, readStructure, refused } from '../credential-members.js';
import { headerSafe } from '../direct.js';

/** Keys that calls are signed with; they hold for one region. */
export interface SigningAccount {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  /** Of keys that somebody was lent. */
  readonly sessionToken?: string;
  readonly region: string;
}

/** One key, sent as it is; or keys to sign with, for the region of the address where they name none. */
type BedrockCredential =
  | { readonly type: 'api-key'; readonly key: string; readonly region?: undefined }
  | ({ readonly type: 'signing'; readonly region: string | undefined } & Omit<SigningAccount, 'region'>);

/** Becomes part of a host's name, so that nothing but a region may be one. */
const REGION = /^[a-z]{2,4}(-[a-z]+)+-\d$/;
/** The vendor's own hosts, `eusc` being a cloud apart; those of private links have a name of the customer's before. */
const REGION_IN_HOST =
  /^https?:\/\/(?:[a-z0-9-]+\.)?bedrock(?:-[a-z]+)*\.([a-z0-9-]+)\.(?:(?:vpce\.)?amazonaws\.(?:com|eu)|api\.aws)(?=[:/]|$)/;
const REGION_PLACE = '{region}';
/**
 * The European Sovereign Cloud has names of its own (partition `aws-eusc` in the endpoint data of AWS's SDKs; read
 * 2026-11-24): no region of it is below the others' name.
 */
const SOVEREIGN_REGION = /^eusc-/;
const PLACED_HOST = /\.\{region\}\.amazonaws\.com(?=[:/]|$)/;
/** What may stand in a header, or in the scope of a signature. */
const KEY_ID = /^[\w-]+$/;
const TOKEN = /^[\x21-\x7e]+$/;

/** What credentials for Bedrock say, each read once. */
export class BedrockCredentials {
  private readonly credentials = new CredentialReader(readBedrockCredential);

  /**
   * The base URL with its region.
   * @throws ProviderFault `refused-credential` where the URL leaves it to a credential that names none
   */
  baseUrlOf(context: CallContext): string {
    const { baseUrl } = context.target.endpoint.provider;
    if (!baseUrl.includes(REGION_PLACE)) return baseUrl;
    const { region } = context.credential ? this.credentials.read(context) : {};
    if (region === undefined) throw namesNoRegion();
    const placed = SOVEREIGN_REGION.test(region)
      ? baseUrl.replace(PLACED_HOST, `.${REGION_PLACE}.amazonaws.eu`)
      : baseUrl;
    return placed.replaceAll(REGION_PLACE, region);
  }

  /**
   * Keys to sign with, or the key of a credential that is one, as a header carries it.
   * @throws ProviderFault `refused-credential`
   */
  accessOf(context: CallContext): SigningAccount | string {
    const reading = this.credentials.read(context);
    if (reading.type === 'api-key') return headerSafe(reading.key);
    // A host answers to signatures of its own region alone, whatever the keys were made for.
    const region = REGION_IN_HOST.exec(context.target.endpoint.provider.baseUrl)?.[1] ?? reading.region;
    if (region === undefined) throw namesNoRegion();
    return { ...reading, region };
  }
}

/** @throws ProviderFault `refused-credential` */
function readBedrockCredential(text: string): BedrockCredential {
  const value = readStructure(text);
  if (value === undefined) return { type: 'api-key', key: text };
  if (!isJsonObject(value)) throw refused('is a list, and must be an object');
  const members = new CredentialMembers(value);
  const sessionToken = members.has('sessionToken') ? members.matching('sessionToken', TOKEN) : undefined;
  return {
    type: 'signing',
    accessKeyId: members.matching('accessKeyId', KEY_ID),
    secretAccessKey: members.matching('secretAccessKey', TOKEN),
    region: members.has('region') ? members.part('region', REGION) : undefined,
    ...(sessionToken !== undefined && { sessionToken }),
  };
}

const namesNoRegion = () => refused('names no region, such as us-east-1, and the base URL does not either');
