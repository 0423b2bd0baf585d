// Bodies and queries of /keys are accepted exactly or refused with the field's name: for each field its limits, null,
// absence, wrong types, through the pipe that the routes use.
import { GatewayError } from '../core/errors.js';
import { readBody, readQuery } from '../shared/http/dto.pipe.js';
import { CreateKeyDto, readKeyDescription } from './create-key.dto.js';
import { ListKeysDto } from './list-keys.dto.js';
import { readKeyChanges, UpdateKeyDto } from './update-key.dto.js';

const USD = 1_000_000_000_000n;
const WORKSPACE = '0198c0de-0000-7000-8000-000000000001';

function complaintOf(read: () => unknown): string {
  try {
    read();
  } catch (error) {
    if (error instanceof GatewayError && error.kind === 'invalid-request') return error.message;
    throw error;
  }
  return 'accepted';
}

/** The maximum number of ids of models, each of maximum length. */
const MODELS = Array<string>(100).fill('m'.repeat(255));

/** The maximum number of domains, each of maximum length. */
const FULL = Array<string>(200).fill('a'.repeat(255));

describe('CreateKeyDto', () => {
  const description = (body: object): object => readKeyDescription(readBody({ name: 'n', ...body }, CreateKeyDto));

  it('fills in defaults', () => {
    expect(description({})).toEqual({
      name: 'n',
      kind: 'inference',
      limitUsd: null,
      limitReset: null,
      includeByokInLimit: false,
      rateLimits: null,
      allowedModels: null,
      egress: null,
      tags: null,
      creatorUserId: null,
      externalUser: null,
      expiresAt: null,
    });
  });

  it.each([
    [{ name: 'x'.repeat(255) }, { name: 'x'.repeat(255) }],
    [{ name: '🔑'.repeat(255) }, { name: '🔑'.repeat(255) }],
    [{ kind: 'management' }, { kind: 'management' }],
    [{ limit: 0 }, { limitUsd: 0n }],
    [{ limit: 0.1 }, { limitUsd: USD / 10n }],
    [{ limit: 1e-12 }, { limitUsd: 1n }],
    [{ limit: 999_999_999_999_999 }, { limitUsd: 999_999_999_999_999n * USD }],
    [{ limit: null }, { limitUsd: null }],
    [{ limit_reset: 'daily' }, { limitReset: 'daily' }],
    [{ limit_reset: 'weekly' }, { limitReset: 'weekly' }],
    [{ limit_reset: 'monthly' }, { limitReset: 'monthly' }],
    [{ limit_reset: null }, { limitReset: null }],
    [{ include_byok_in_limit: true }, { includeByokInLimit: true }],
    [{ expires_at: '2030-01-01T00:00:00Z' }, { expiresAt: new Date('2030-01-01T00:00:00Z') }],
    [{ expires_at: null }, { expiresAt: null }],
    [{ creator_user_id: 'user' }, { creatorUserId: 'user' }],
    [{ creator_user_id: null }, { creatorUserId: null }],
    [{ external: { user: 'theirs', api_key: 'k' } }, { externalUser: 'theirs' }],
    [{ workspace_id: WORKSPACE }, {}],
    [
      { rate_limits: null, allowed_models: null, egress: null },
      { rateLimits: null, allowedModels: null, egress: null },
    ],
    [{ rate_limits: {} }, { rateLimits: null }],
    [{ rate_limits: { requests_per_minute: null, tokens_per_minute: null } }, { rateLimits: null }],
    [{ rate_limits: { requests_per_minute: 1 } }, { rateLimits: { requests_per_minute: 1, tokens_per_minute: null } }],
    [
      { rate_limits: { requests_per_minute: null, tokens_per_minute: 1_000_000_000 } },
      { rateLimits: { requests_per_minute: null, tokens_per_minute: 1_000_000_000 } },
    ],
    [{ allowed_models: ['a/*'] }, { allowedModels: ['a/*'] }],
    [{ allowed_models: MODELS }, { allowedModels: MODELS }],
    [{ egress: {} }, { egress: null }],
    [{ egress: { allowed_domains: null, blocked_domains: null } }, { egress: null }],
    [{ egress: { allowed_domains: [] } }, { egress: { allowed_domains: [], blocked_domains: null } }],
    [
      { egress: { allowed_domains: ['a.example/x'], blocked_domains: ['*.b.example'] } },
      { egress: { allowed_domains: ['a.example/x'], blocked_domains: ['*.b.example'] } },
    ],
    [{ egress: { blocked_domains: FULL } }, { egress: { blocked_domains: FULL } }],
  ])('reads %j', (body, expected) => {
    expect(description(body)).toMatchObject(expected);
  });

  it.each([
    [{ name: undefined }, 'name: is required'],
    [{ name: null }, 'name: must be a string'],
    [{ name: 1 }, 'name: must be a string'],
    [{ name: '' }, 'name: must be at least 1 character'],
    [{ name: 'x'.repeat(256) }, 'name: must be at most 255 characters'],
    [{ name: 'a\0b' }, 'name: must not contain NUL characters or lone surrogates'],
    [{ name: 'a\ud800b' }, 'name: must not contain NUL characters or lone surrogates'],
    [{ kind: null }, 'kind: must be one of inference, management'],
    [{ kind: 'admin' }, 'kind: must be one of inference, management'],
    [{ limit: -1e-12 }, 'limit: must be a number of USD'],
    [{ limit: 1e-13 }, 'limit: must be a number of USD'],
    [{ limit: 1e15 }, 'limit: must be a number of USD'],
    [{ limit: 1e300 }, 'limit: must be a number of USD'],
    [{ limit: Infinity }, 'limit: must be a number of USD'],
    [{ limit: NaN }, 'limit: must be a number of USD'],
    [{ limit: '5' }, 'limit: must be a number of USD'],
    [{ limit: [5] }, 'limit: must be a number of USD'],
    [{ limit_reset: 'yearly' }, 'limit_reset: must be one of daily, weekly, monthly'],
    [{ limit_reset: 'lifetime' }, 'limit_reset: must be one of daily, weekly, monthly'],
    [{ include_byok_in_limit: null }, 'include_byok_in_limit: must be a boolean'],
    [{ include_byok_in_limit: 'true' }, 'include_byok_in_limit: must be a boolean'],
    [{ expires_at: '2030-01-01T00:00:00+02:00' }, 'expires_at: must be an ISO 8601 time in UTC'],
    [{ expires_at: 1_900_000_000 }, 'expires_at: must be an ISO 8601 time in UTC'],
    [{ creator_user_id: '' }, 'creator_user_id: must be at least 1 character'],
    [{ creator_user_id: 'x'.repeat(256) }, 'creator_user_id: must be at most 255 characters'],
    [{ creator_user_id: 7 }, 'creator_user_id: must be a string'],
    [{ workspace_id: null }, 'workspace_id: must be a string'],
    [{ workspace_id: '' }, 'workspace_id: must be at least 1 character'],
    [{ limt: 5 }, 'limt: is not a known field; did you mean limit?'],
    [{ limitReset: 'daily' }, 'limitReset: is not a known field; did you mean limit_reset?'],
    [
      { stranger: {} },
      'stranger: is not a known field; the known ones are name, kind, limit, limit_reset, include_byok_in_limit, metadata, expires_at, creator_user_id, workspace_id, external, rate_limits, allowed_models, egress',
    ],
    [{ external: { user: 'u', apikey: 'k' } }, 'external.apikey: is not a known field; did you mean api_key?'],
    [{ rate_limits: [] }, 'rate_limits: must be an object'],
    [{ rate_limits: { requests_per_minute: 0 } }, 'rate_limits.requests_per_minute: must be'],
    [{ rate_limits: { requests_per_minute: 1.5 } }, 'rate_limits.requests_per_minute: must be'],
    [{ rate_limits: { requests_per_minute: '1' } }, 'rate_limits.requests_per_minute: must be'],
    [{ rate_limits: { tokens_per_minute: 1_000_000_001 } }, 'rate_limits.tokens_per_minute: must be'],
    [{ rate_limits: { tokens_per_minut: 1 } }, 'rate_limits.tokens_per_minut: is not a known field; did you mean'],
    [{ allowed_models: [] }, 'allowed_models: must have at least 1 entry'],
    [{ allowed_models: 'a/b' }, 'allowed_models: must be an array'],
    [{ allowed_models: ['a/b', 1] }, 'allowed_models.1: must be a string'],
    [{ allowed_models: [''] }, 'allowed_models.0: must be at least 1 character'],
    [{ allowed_models: ['a\0b'] }, 'allowed_models.0: must not contain NUL characters'],
    [{ allowed_models: ['m'.repeat(256)] }, 'allowed_models.0: must be at most 255 characters'],
    [{ allowed_models: [...MODELS, 'a'] }, 'allowed_models: must have at most 100 entries'],
    [{ egress: [] }, 'egress: must be an object'],
    [{ egress: { allowed_domains: 'a.example' } }, 'egress.allowed_domains: must be an array or null'],
    [{ egress: { allowed_domains: ['a.example', 1] } }, 'egress.allowed_domains.1: must be a string'],
    [{ egress: { allowed_domains: ['a.example', 'a b'] } }, 'egress.allowed_domains.1: must be a domain such as'],
    [{ egress: { blocked_domains: ['*'] } }, 'egress.blocked_domains.0: must be a domain such as'],
    [{ egress: { blocked_domains: ['user@a.example'] } }, 'egress.blocked_domains.0: must be a domain such as'],
    [{ egress: { blocked_domains: ['a.example/\0'] } }, 'egress.blocked_domains.0: must not contain NUL characters'],
    [{ egress: { blocked_domains: ['a'.repeat(256)] } }, 'egress.blocked_domains.0: must be at most 255 characters'],
    [{ egress: { allowed_domains: Array(201).fill('a') } }, 'egress.allowed_domains: must have at most 200 entries'],
    [{ egress: { allowed_domain: [] } }, 'egress.allowed_domain: is not a known field; did you mean allowed_domains?'],
    [{ external: null }, 'external: must be an object'],
    [{ external: {} }, 'external.user: is required'],
    [{ external: { user: 'u\0' } }, 'external.user: must not contain NUL characters or lone surrogates'],
  ])('refuses %j', (body, complaint) => {
    expect(complaintOf(() => description(body))).toContain(complaint);
  });
});

describe('UpdateKeyDto', () => {
  const changes = (body: unknown): object => readKeyChanges(readBody(body, UpdateKeyDto));

  it.each([
    [{}, {}],
    [{ name: 'new' }, { name: 'new' }],
    [{ disabled: false }, { disabled: false }],
    [
      { limit: null, limit_reset: null },
      { limitUsd: null, limitReset: null },
    ],
    [{ limit: 2.5 }, { limitUsd: (5n * USD) / 2n }],
    [{ include_byok_in_limit: false }, { includeByokInLimit: false }],
    [{ egress: null }, { egress: null }],
    [{ rate_limits: null }, { rateLimits: null }],
    [{ rate_limits: { tokens_per_minute: 9 } }, { rateLimits: { requests_per_minute: null, tokens_per_minute: 9 } }],
    [{ allowed_models: null }, { allowedModels: null }],
    [{ allowed_models: ['a/b'] }, { allowedModels: ['a/b'] }],
    [{ egress: { blocked_domains: [] } }, { egress: { allowed_domains: null, blocked_domains: [] } }],
  ])('changes only what %j specifies', (body, expected) => {
    expect(changes(body)).toEqual(expected);
  });

  it.each([
    [[], 'body: must be an object'],
    [null, 'body: must be an object'],
    [{ name: null }, 'name: must be a string'],
    [{ name: '' }, 'name: must be at least 1 character'],
    [{ disabled: null }, 'disabled: must be a boolean'],
    [{ disabled: 1 }, 'disabled: must be a boolean'],
    [{ limit: -1 }, 'limit: must be a number of USD'],
    [{ limit_reset: '' }, 'limit_reset: must be one of'],
    [{ kind: 'management' }, 'kind: cannot be changed; create another key instead'],
    [{ is_workspace_bound: false }, 'is_workspace_bound: cannot be changed'],
    [{ workspace_id: WORKSPACE }, 'workspace_id: cannot be changed'],
    [{ expires_at: null }, 'expires_at: cannot be changed'],
    [
      { hash: 'x' },
      'hash: is not a known field; the known ones are name, disabled, limit, limit_reset, include_byok_in_limit, metadata, rate_limits, allowed_models, egress',
    ],
    // A field that is always refused is not suggested.
    [{ knd: 'management' }, 'knd: is not a known field; the known ones are name, '],
    [{ rate_limit: { tokens_per_minute: 1 } }, 'rate_limit: is not a known field; did you mean rate_limits?'],
    [{ disable: true }, 'disable: is not a known field; did you mean disabled?'],
  ])('refuses %j', (body, complaint) => {
    expect(complaintOf(() => changes(body))).toContain(complaint);
  });
});

describe('ListKeysDto', () => {
  const listing = (query: unknown): object => ({ ...readQuery(query, ListKeysDto) });

  it.each([
    [{}, { offset: 0, limit: 100, include_disabled: false }],
    [
      { offset: '0', limit: '1' },
      { offset: 0, limit: 1, include_disabled: false },
    ],
    [
      { offset: '999999999', limit: '100' },
      { offset: 999_999_999, limit: 100, include_disabled: false },
    ],
    [
      { include_disabled: 'true', beta: 'true' },
      { offset: 0, limit: 100, include_disabled: true },
    ],
    [{ workspace_id: WORKSPACE }, { offset: 0, limit: 100, include_disabled: false, workspace_id: WORKSPACE }],
  ])('reads %j', (query, expected) => {
    expect(listing(query)).toEqual(expected);
  });

  it.each([
    [{ offset: '-1' }, 'offset: must be an integer'],
    [{ offset: '1.5' }, 'offset: must be an integer'],
    [{ offset: '' }, 'offset: must be an integer'],
    [{ offset: '1000000000' }, 'offset: must be an integer'],
    [{ offset: ['0', '1'] }, 'offset: must be a string'],
    [{ limit: '0' }, 'limit: must be an integer from 1 to 100'],
    [{ limit: '101' }, 'limit: must be an integer from 1 to 100'],
    [{ include_disabled: '1' }, 'include_disabled: must be one of true, false'],
    [{ limit: '1e1' }, 'limit: must be an integer from 1 to 100'],
    [{ limit: '' }, 'limit: must be an integer from 1 to 100'],
    [{ workspace_id: ['a', 'b'] }, 'workspace_id: must be a string'],
  ])('refuses %j', (query, complaint) => {
    expect(complaintOf(() => listing(query))).toContain(complaint);
  });
});
