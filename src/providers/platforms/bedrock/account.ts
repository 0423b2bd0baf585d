import type { CallContext } from '../../../core/platform.js';
import { isJsonObject } from '../../../core/json/json.js';
import { CredentialMembers, CredentialReader, readStructure, refused } from '../credential-members.js';
import { headerSafe } from '../direct.js';
import type { SigningAccount } from '../../../shared/http/client/signature-v4.js';

/** An API key, which is sent unchanged; or access keys to sign with, whose region defaults to that of the address. */
type BedrockCredential =
  | { readonly type: 'api-key'; readonly key: string; readonly region?: undefined }
  | ({ readonly type: 'signing'; readonly region: string | undefined } & Omit<SigningAccount, 'region'>);

/** A region becomes part of a host's name, so that nothing else may match. */
const REGION = /^[a-z]{2,4}(-[a-z]+)+-\d$/;
/**
 * The vendor's own hosts, with `eusc` as a separate cloud; hosts of private links begin with a name of the customer's.
 */
const REGION_IN_HOST =
  /^https?:\/\/(?:[a-z0-9-]+\.)?bedrock(?:-[a-z]+)*\.([a-z0-9-]+)\.(?:(?:vpce\.)?amazonaws\.(?:com|eu)|api\.aws)(?=[:/]|$)/;
const REGION_PLACE = '{region}';
/**
 * The European Sovereign Cloud has its own host names (partition `aws-eusc` in the endpoint data of AWS's SDKs; read
 * 2026-11-24): none of its regions is below the other hosts' domain.
 */
const SOVEREIGN_REGION = /^eusc-/;
const PLACED_HOST = /\.\{region\}\.amazonaws\.com(?=[:/]|$)/;
/** Characters that are valid in a header and in the scope of a signature. */
const KEY_ID = /^[\w-]+$/;
const TOKEN = /^[\x21-\x7e]+$/;

/** Reads credentials for Bedrock, each once. */
export class BedrockCredentials {
  private readonly credentials = new CredentialReader(readBedrockCredential);

  /**
   * The base URL with its region.
   * @throws ProviderFault `refused-credential` where the credential must name the region and does not
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
   * Keys to sign with, or the key to send in a header.
   * @throws ProviderFault `refused-credential`
   */
  accessOf(context: CallContext): SigningAccount | string {
    const reading = this.credentials.read(context);
    if (reading.type === 'api-key') return headerSafe(reading.key);
    // A host accepts only signatures for its own region, whatever region the credential names.
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
