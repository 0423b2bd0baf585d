import { isJsonObject } from '../../core/json/json.js';
import { CredentialMembers, readStructure, refused } from './credential-members.js';

const RESOURCE_TYPES = ['openai', 'ai_foundry'] as const;
export type ResourceType = (typeof RESOURCE_TYPES)[number];

/** A resource of the account; its name is part of its address. */
export interface AzureResource {
  readonly type: 'resource';
  readonly apiKey: string;
  readonly name: string;
  readonly resourceType: ResourceType;
}

/** A single model's own address and key. */
export interface AzureDeployment {
  readonly type: 'deployment';
  readonly apiKey: string;
  /** Id of the model in the catalog. */
  readonly model: string;
  readonly endpointUrl: string;
  /** The model's name at the deployment. */
  readonly modelId: string;
}

/** An application of Entra, which obtains tokens. */
export interface AzureApplication {
  readonly type: 'application';
  readonly tenantId: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly name?: string;
  readonly resourceType: ResourceType;
  /** Absent: the address for the tenant in the public cloud. */
  readonly tokenUrl?: string;
}

export type AzureCredential =
  | { readonly type: 'key' }
  | AzureApplication
  | { readonly type: 'list'; readonly entries: readonly (AzureResource | AzureDeployment)[] };

const TENANT = /^[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?$/;

/**
 * Reads a credential of Azure: a plain key, a list of resources and deployments, or an application of Entra.
 * @throws ProviderFault `refused-credential`
 */
export function readAzureCredential(text: string): AzureCredential {
  const value = readStructure(text);
  if (value === undefined) return { type: 'key' };
  if (isJsonObject(value)) return application(new CredentialMembers(value));
  if (!Array.isArray(value) || value.length === 0) throw refused('is an empty list');
  return { type: 'list', entries: (value as unknown[]).map(entry) };
}

function application(members: CredentialMembers): AzureApplication {
  const name = members.optionalPart('resource_name');
  const tokenUrl = members.optional('token_url');
  return {
    type: 'application',
    tenantId: members.part('tenant_id', TENANT),
    clientId: members.text('client_id'),
    clientSecret: members.text('client_secret'),
    resourceType: resourceTypeOf(members),
    ...(name !== undefined && { name }),
    ...(tokenUrl !== undefined && { tokenUrl }),
  };
}

function entry(value: unknown): AzureResource | AzureDeployment {
  if (!isJsonObject(value)) throw refused('has an entry that is no object');
  const members = new CredentialMembers(value);
  const apiKey = members.text('api_key');
  if (members.has('endpoint_url') || members.has('model_slug')) {
    return {
      type: 'deployment',
      apiKey,
      model: members.text('model_slug'),
      endpointUrl: members.text('endpoint_url'),
      modelId: members.text('model_id'),
    };
  }
  return { type: 'resource', apiKey, name: members.part('resource_name'), resourceType: resourceTypeOf(members) };
}

function resourceTypeOf(members: CredentialMembers): ResourceType {
  const name = members.optional('resource_type') ?? 'openai';
  const known = RESOURCE_TYPES.find((type) => type === name);
  if (known === undefined) throw refused('has a member resource_type that is neither openai nor ai_foundry');
  return known;
}
