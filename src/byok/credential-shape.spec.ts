// A credential that its provider could not accept is refused by member, and no label discloses one. Tables of forms for
// each provider; every message is searched for the values it was made from.
import { Secret } from '../core/secret.js';
import { labelOf } from './credential-shape.js';

const label = (provider: string, key: string): string => labelOf(provider, new Secret(key));

describe('labels of plain keys', () => {
  it.each([
    ['sk-0123456789012345AbCd', 'sk-...AbCd'],
    ['x'.repeat(14) + '1234567', 'xxx...4567'],
    ['x'.repeat(13) + '1234567', '...4567'],
    ['12345678abcd', '...abcd'],
    ['1234567abcd', '...'],
    ['k', '...'],
    [`sk-${'ключ'.repeat(10)}`, '...'],
    [`sk-${'0'.repeat(30)}\n`, '...'],
    [`${'0'.repeat(30)}😀`, '...'],
    [`{"api_key":"${'0'.repeat(30)}"}`, '...'],
    [` ["${'0'.repeat(30)}"]`, '...'],
  ])('%j: %s', (key, expected) => {
    expect(label('openai', key)).toBe(expected);
  });

  it('shows no more than a third of any', () => {
    for (let length = 1; length < 60; length++) {
      const shown = label('openai', 'a'.repeat(length)).replaceAll('.', '').length;
      expect(shown * 3).toBeLessThanOrEqual(length);
    }
  });

  it('is not misled by names of object members', () => {
    expect(label('constructor', 'sk-0123456789012345AbCd')).toBe('sk-...AbCd');
  });
});

const RESOURCE = { api_key: 'canary-azure-key', resource_name: 'my-resource', resource_type: 'openai' };
const DEPLOYMENT = {
  model_slug: 'openai/gpt-5',
  endpoint_url: 'https://my-host.example/openai?canary-query',
  api_key: 'canary-azure-key',
  model_id: 'gpt-5',
};
const BEDROCK = { accessKeyId: 'AKIACANARYID12345678', secretAccessKey: 'canary-secret', region: 'eu-west-1' };
const ACCOUNT = {
  type: 'service_account',
  project_id: 'my-project-1',
  client_email: 'me@my-project-1.iam.gserviceaccount.com',
  private_key: '-----BEGIN PRIVATE KEY-----\ncanary-private\n-----END PRIVATE KEY-----\n',
};

const ENTRA = {
  tenant_id: 'contoso.example',
  client_id: 'app-1',
  client_secret: 'canary-secret',
  resource_name: 'res',
};
const WORKLOAD = {
  type: 'external_account',
  audience: '//iam.googleapis.com/canary',
  subject_token_type: 'urn:ietf:params:oauth:token-type:jwt',
  credential_source: { url: 'https://tokens.example/canary' },
  project_id: 'my-project-1',
};

describe('structured credentials', () => {
  it.each([
    ['azure', ENTRA, 'app-1'],
    ['google-vertex', WORKLOAD, 'my-project-1'],
    ['azure', [RESOURCE], 'my-resource'],
    ['azure', [{ ...RESOURCE, resource_type: 'ai_foundry', more: 1 }, DEPLOYMENT], 'my-resource +1'],
    ['azure', [DEPLOYMENT], 'my-host.example'],
    ['azure', Array.from({ length: 100 }, () => RESOURCE), 'my-resource +99'],
    ['amazon-bedrock', BEDROCK, '...5678'],
    ['google-vertex', ACCOUNT, ACCOUNT.client_email],
    ['google-vertex', { ...ACCOUNT, region: 'europe-west4', auth_uri: 'https://x' }, ACCOUNT.client_email],
  ])('%s takes %j', (provider, value, expected) => {
    expect(label(provider, JSON.stringify(value))).toBe(expected);
    expect(label(provider, JSON.stringify(value, null, 2))).toBe(expected);
  });

  it.each(['amazon-bedrock', 'azure', 'google-vertex'])('accepts an API key of %s as it is', (provider) => {
    expect(label(provider, 'bedrock-api-key-0123456789AbCd')).toBe('bed...AbCd');
  });

  it.each([
    ['azure', 'canary plain', 'key: must be an API key, a JSON array of resources or deployments, or the JSON object'],
    ['azure', { ...ENTRA, client_secret: undefined }, 'key.client_secret: is required'],
    ['azure', { ...ENTRA, tenant_id: 'canary/../x' }, 'key.tenant_id: must be the id of a tenant'],
    ['azure', { ...ENTRA, resource_name: undefined }, 'key.resource_name: is required'],
    ['azure', [], 'key: must have at least 1 entry'],
    ['azure', RESOURCE, 'key.tenant_id: is required'],
    ['azure', '"canary"', 'key: must be an array'],
    ['azure', ['canary'], 'key.0: must be an object'],
    ['azure', Array.from({ length: 101 }, () => RESOURCE), 'key: must have at most 100 entries'],
    ['azure', [{ ...RESOURCE, api_key: undefined }], 'key.0.api_key: is required'],
    ['azure', [{ ...RESOURCE, api_key: '' }], 'key.0.api_key: must be at least 1 character'],
    ['azure', [RESOURCE, { ...RESOURCE, api_key: null }], 'key.1.api_key: must be a string'],
    ['azure', [{ ...RESOURCE, resource_type: 'canary' }], 'key.0.resource_type: must be one of ai_foundry, openai'],
    ['azure', [{ ...RESOURCE, resource_name: 'canary.example/x' }], 'key.0.resource_name: must be letters'],
    ['azure', [{ ...DEPLOYMENT, model_id: undefined }], 'key.0.model_id: is required'],
    ['azure', [{ ...DEPLOYMENT, model_slug: undefined }], 'key.0.model_slug: is required'],
    ['azure', [{ ...DEPLOYMENT, endpoint_url: undefined }], 'key.0.endpoint_url: is required'],
    ['azure', [{ ...DEPLOYMENT, endpoint_url: 'http://canary' }], 'key.0.endpoint_url: must be an https:// address'],
    ['azure', [{ ...DEPLOYMENT, endpoint_url: 'https://canary:x@y/z' }], 'key.0.endpoint_url: must be an https://'],
    ['amazon-bedrock', '{canary', 'key: must be an API key, or a JSON object'],
    ['amazon-bedrock', { ...BEDROCK, secretAccessKey: undefined }, 'key.secretAccessKey: is required'],
    ['amazon-bedrock', { ...BEDROCK, accessKeyId: undefined }, 'key.accessKeyId: is required'],
    ['amazon-bedrock', { ...BEDROCK, region: 'canary.example' }, 'key.region: must be letters, digits and hyphens'],
    [
      'google-vertex',
      'canary plain',
      "key: must be an API key, or the JSON of a service account's key or of an external",
    ],
    [
      'google-vertex',
      { ...WORKLOAD, credential_source: { file: '/canary' } },
      'key.credential_source.url: is required',
    ],
    [
      'google-vertex',
      { ...WORKLOAD, credential_source: { environment_id: 'aws1', url: 'http://canary' } },
      'key.credential_source.environment_id: tokens of workloads at AWS are not supported',
    ],
    ['google-vertex', { ...WORKLOAD, project_id: undefined }, 'key.project_id: is required'],
    ['google-vertex', '"canary"', 'key: must be an object'],
    ['google-vertex', { ...ACCOUNT, type: 'canary' }, 'key.type: must be one of service_account'],
    ['google-vertex', { ...ACCOUNT, private_key: undefined }, 'key.private_key: is required'],
    ['google-vertex', { ...ACCOUNT, project_id: '../canary' }, "key.project_id: must be a project's id"],
    ['google-vertex', { ...ACCOUNT, client_email: 'canary' }, 'key.client_email: must be an e-mail address'],
    ['google-vertex', { ...ACCOUNT, region: 1 }, 'key.region: must be a string'],
  ])('%s refuses %j', (provider, value, message) => {
    const refused = (): unknown => label(provider, typeof value === 'string' ? value : JSON.stringify(value));
    expect(refused).toThrow(message);
    expect(refused).toThrow(expect.not.objectContaining({ message: expect.stringContaining('canary') }));
  });
});
