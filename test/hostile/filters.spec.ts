// Checks that content filters over the largest texts delay no other caller. The attacker's key has a guardrail with
// every built-in filter and patterns of its own; victims run beside it (victim-bench.ts).
import { VictimBench, expectUnharmed, storm } from './victim-bench.js';
import { DiscardingProvider } from './discarding-provider.js';
import { BUILTIN_SLUGS } from '../../src/guardrails/builtin-filters.js';

const MIB = 1024 * 1024;

const message = (text: string): string => JSON.stringify({ role: 'user', content: text });

describe('content filters', () => {
  let bench: VictimBench;
  let discarding: DiscardingProvider;
  let key: string;

  beforeAll(async () => {
    discarding = await DiscardingProvider.open();
    bench = await VictimBench.open({}, [discarding.entry]);
    const created = await bench.manage('/keys', { name: 'attacker' });
    const { key: plain, data } = (await created.json()) as { key: string; data: { hash: string } };
    key = plain;
    const guardrail = await bench.manage('/guardrails', {
      name: 'all',
      content_filter_builtins: BUILTIN_SLUGS.map((slug) => ({ slug, action: 'redact' })),
      content_filters: [{ pattern: '(a+)+b', label: 'pattern', action: 'redact' }],
    });
    const { id } = ((await guardrail.json()) as { data: { id: string } }).data;
    const assigned = await bench.manage(`/guardrails/${id}/assignments/keys`, { key_hashes: [data.hash] });
    expect(assigned.status).toBe(200);
  }, 240_000);
  afterAll(async () => {
    await bench?.close();
    await discarding?.close();
  });

  it.each<[string, string]>([
    ['plain words', message('All work and no play. '.repeat((30 * MIB) / 22))],
    ['what nearly matches everything', message('a@b 4111 1111 1111 111 1.2.3 +1 (555) 555-555 Dr. John '.repeat((30 * MIB) / 55))],
    ['invisible characters', message('m\u200ba\u00adi\u2060l@\uFEFF'.repeat((9 * MIB) / 9))],
    ['small texts', Array<string>(3).fill(`{"role":"user","content":[${Array<string>(20_000).fill('{"type":"text","text":"write to a@b.example"}').join(',')}]}`).join(',')],
  ])('30 MiB of %s', async (_, messages) => {
    const body = `{"model":"test/roomy","messages":[${messages}]}`;
    await expectUnharmed(bench, async (signal) => {
      const answers = await storm(2, signal, async () => {
        const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
        const response = await fetch(`${bench.origin}/api/v1/messages`, { method: 'POST', headers, body });
        return `${response.status} ${(await response.text()).slice(0, 200)}`;
      });
      expect([...answers.keys()].filter((answer) => !answer.startsWith('200'))).toEqual([]);
    });
  }, 240_000); // oxfmt-ignore
});
