// Goal: what the catalog reader permits has an address and readable frames, and what it refuses has not. Method: every
// platform with every dialect, addressed without a credential, and the kind of stream that it answers.
import { AheadClock } from '../../../test/support/ahead-clock.js';
import { endpoint, model, provider } from '../../../test/support/route-inputs.js';
import { DIALECT_IDS, PLATFORM_IDS, SERVED_DIALECTS, type DialectId } from '../../core/routing/catalog.js';
import { SseReader } from '../../core/stream/sse.js';
import type { Transport } from '../transport/transport.js';
import { PLATFORMS } from './index.js';

const dependencies = { transport: {} as Transport, clock: new AheadClock() };
const PAIRS = PLATFORM_IDS.flatMap((platform) => DIALECT_IDS.map((dialect) => [platform, dialect] as const));
/** The content type of streams; absent: server-sent events. */
const STREAMS: Readonly<Partial<Record<DialectId, string>>> = {
  'bedrock-converse': 'application/vnd.amazon.eventstream',
};

it.each(PAIRS)('%s has an address for %s where the catalog permits it, and else none', (platform, dialect) => {
  const one = { ...endpoint('own'), dialect, provider: { ...provider('own'), platform, baseUrl: 'https://own.test' } };
  const definition = { slug: 'own', credential: 'none', quirks: {} } as const;
  const target = { model: model('a/b', [one]), endpoint: one, tier: 'standard', definition } as const;
  const call = { path: '/v1/models/m:generateContent', headers: {}, body: {}, stream: false };
  const address = (): unknown => PLATFORMS[platform](dependencies).address({ target, credential: undefined }, call);
  if (SERVED_DIALECTS[platform].includes(dialect)) expect(address()).toMatch(/^https:\/\/own\.test\/./);
  // The platform `direct` can append any dialect's path, even where it cannot read its streams.
  else if (platform !== 'direct') expect(address).toThrow(expect.objectContaining({ kind: 'rejected-request' }));
});

it.each(PAIRS)(
  '%s reads the streams of %s as what they are, or the catalog may not state the pair',
  (platform, dialect) => {
    const type = STREAMS[dialect];
    const frames = PLATFORMS[platform](dependencies).frames({ 'content-type': type ?? 'text/event-stream' });
    const isRead = frames instanceof SseReader === (type === undefined);
    expect(isRead || !SERVED_DIALECTS[platform].includes(dialect)).toBe(true);
  },
);
