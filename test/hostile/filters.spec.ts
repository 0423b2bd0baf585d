// Checks that content filters over the largest texts delay no other caller. The attacker's key has a guardrail with
// every built-in filter and patterns of its own; victims run beside it (arena.ts).
import { Arena, expectUnharmed, storm } from './arena.js';
import { Sink } from './sink.js';
import { BUILTIN_SLUGS } from '../../src/guardrails/builtin-filters.js';

const MIB = 1024 * 1024;

const message = (text: string): string => JSON.stringify({ role: 'user', content: text });

describe('content filters', () => {
  let arena: Arena;
  let sink: Sink;
  let key: string;

  beforeAll(async () => {
    sink = await Sink.open();
    arena = await Arena.open({}, [sink.entry]);
    const created = await arena.manage('/keys', { name: 'attacker' });
    const { key: plain, data } = (await created.json()) as { key: string; data: { hash: string } };
    key = plain;
    const guardrail = await arena.manage('/guardrails', {
      name: 'all',
      content_filter_builtins: BUILTIN_SLUGS.map((slug) => ({ slug, action: 'redact' })),
      content_filters: [{ pattern: '(a+)+b', label: 'pattern', action: 'redact' }],
    });
    const { id } = ((await guardrail.json()) as { data: { id: string } }).data;
    const assigned = await arena.manage(`/guardrails/${id}/assignments/keys`, { key_hashes: [data.hash] });
    expect(assigned.status).toBe(200);
  }, 120_000);
  afterAll(async () => {
    await arena?.close();
    await sink?.close();
  });

  it.each<[string, string]>([
    ['plain words', message('All work and no play. '.repeat((30 * MIB) / 22))],
    ['what nearly matches everything', message('a@b 4111 1111 1111 111 1.2.3 +1 (555) 555-555 Dr. John '.repeat((30 * MIB) / 55))],
    ['invisible characters', message('m\u200ba\u00adi\u2060l@\uFEFF'.repeat((9 * MIB) / 9))],
    ['small texts', Array<string>(3).fill(`{"role":"user","content":[${Array<string>(20_000).fill('{"type":"text","text":"write to a@b.example"}').join(',')}]}`).join(',')],
  ])('30 MiB of %s', async (_, messages) => {
    const body = `{"model":"test/roomy","messages":[${messages}]}`;
    await expectUnharmed(arena, async (signal) => {
      const answers = await storm(2, signal, async () => {
        const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
        const response = await fetch(`${arena.origin}/api/v1/messages`, { method: 'POST', headers, body });
        return `${response.status} ${(await response.text()).slice(0, 200)}`;
      });
      expect([...answers.keys()].filter((answer) => !answer.startsWith('200'))).toEqual([]);
    });
  }, 60_000); // oxfmt-ignore
});
