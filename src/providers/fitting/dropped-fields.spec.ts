/**
 * Goal: nothing of a request is lost without a name, neither in a dialect nor at a platform. Method: a request with one
 * field, for every field and every dialect on every platform that serves it, and targets that differ in all conditions
 * of the rules. The call with the field is compared with the call without it, with the reported names, and with the
 * answer that planning gets.
 */
import { AheadClock } from '../../../test/support/ahead-clock.js';
import { FIELD_SAMPLES, sampleWith, targetOf, TARGETS, type TargetParts } from '../../../test/support/field-samples.js';
import type { ModelRequest } from '../../core/conversation/request.js';
import { namesOfPresent } from '../../core/conversation/present-fields.js';
import type { Target } from '../../core/provider.js';
import { SERVED_DIALECTS, type DialectId, type PlatformId } from '../../core/routing/catalog.js';
import { doAtOnce } from '../../core/steps.js';
import type { RequestField } from '../../core/translation.js';
import type { Environment } from '../../shared/environment.js';
import { ProviderClient } from '../provider-client.js';
import { ProviderRegistry } from '../registry.js';
import type { Transport } from '../transport/transport.js';

const registry = new ProviderRegistry({} as Transport, new AheadClock());
const client = new ProviderClient(registry, { timeouts: {} } as Environment);

/** The target at a provider of a catalog with these definitions. */
function targetAt(platform: PlatformId, dialect: DialectId, { endpoint, model, tier, definition }: Target): Target {
  const { quirks } = definition;
  const provider = { ...endpoint.provider, dialect, platform, quirks, needsNoCredential: true as const };
  const one = { ...endpoint, dialect, provider };
  return { model, endpoint: one, tier, definition: registry.accessTo(one).definition };
}

/** The call as sent: the body, and the headers that carry information. */
function sent(request: ModelRequest, target: Target): string {
  const { dialect, platform } = registry.accessTo(target.endpoint);
  const call = doAtOnce(dialect.encode(request, target, new Map()));
  const adapted = platform.adapt?.(call, target) ?? call;
  const printed = { url: 'https://p.test', headers: adapted.headers, body: '' };
  const added = platform.authorise({ target, credential: undefined }, printed, undefined as never);
  return JSON.stringify([adapted, added]);
}

const PAIRS = (Object.entries(SERVED_DIALECTS) as [PlatformId, readonly DialectId[]][]).flatMap(
  ([platform, dialects]) => dialects.map((dialect) => [dialect, platform] as const),
);
const FIELDS = Object.entries(FIELD_SAMPLES) as [RequestField, (parts: TargetParts) => ReturnType<typeof sampleWith>][];
/** The address carries these fields, or is another one. */
const IN_ADDRESS: ReadonlySet<RequestField> = new Set<RequestField>(['model', 'stream']);

describe.each(PAIRS)('%s on %s names what it drops', (dialect, platform) => {
  it.each(FIELDS.filter(([field]) => !IN_ADDRESS.has(field)))('%s', (field, sampleFor) => {
    // Collected: an `expect` for each of thousands takes longer than the code under test.
    const seen: unknown[] = [];
    const expected: unknown[] = [];
    for (const [name, parts] of Object.entries(TARGETS)) {
      const { request, without, target = targetOf(parts), plainTarget = targetOf(parts) } = sampleFor(parts);
      const placed = targetAt(platform, dialect, target);
      const plain = targetAt(platform, dialect, plainTarget);
      const isSent = sent(request, placed) !== sent(without, plain);
      const before = client.droppedBy(plain, without);
      const dropped = client.droppedBy(placed, request).filter((one) => !before.includes(one));
      const names = namesOfPresent(request, (one) => one === field);
      // Betas are judged one by one, and cannot be required.
      const isCarried = field === 'betas' ? isSent : registry.carries(placed, field);
      seen.push([name, dropped, isCarried]);
      expected.push([name, isSent ? [] : names, isSent]);
    }
    expect(seen).toEqual(expected);
  });
});

it.each<[PlatformId, string, boolean]>([
  ['direct', 'files-api-2025-04-14', true],
  ['vertex', 'files-api-2025-04-14', false],
  ['vertex', 'interleaved-thinking-2025-05-14', true],
  ['bedrock', 'files-api-2025-04-14', false],
  ['bedrock', 'interleaved-thinking-2025-05-14', true],
])('on %s the beta %s is sent: %s', (platform, beta, isSent) => {
  const target = targetAt(platform, 'anthropic-messages', targetOf({}));
  const { request } = sampleWith({ betas: [beta, 'some-beta-2026-01-01'] });
  expect(sent(request, target).includes(beta)).toBe(isSent);
  expect(client.droppedBy(target, request).includes(beta)).toBe(!isSent);
});

it('names a field that two rules drop once', () => {
  const target = targetAt('vertex', 'anthropic-messages', targetOf({}));
  const { request } = sampleWith({ serviceTier: 'priority', inferenceGeo: 'us' });
  expect(client.droppedBy(target, request)).toEqual(['service_tier', 'inference_geo']);
});

it('names every field of a request for its user and its speed', () => {
  const target = targetAt('direct', 'cohere-chat', targetOf({}));
  const { request } = sampleWith({
    user: 'ann',
    metadata: { vendor: 'anthropic', value: { user_id: 'ann', team: 'x' } },
    serviceTier: 'auto',
    speed: 'fast',
  });
  const names = ['speed', 'user', 'metadata.user_id', 'metadata', 'service_tier'];
  expect(client.droppedBy(target, request)).toEqual(names);
});
