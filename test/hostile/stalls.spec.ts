// Checks that the requests of one caller, however frequent, do not affect the answers to others. Two gateways run as
// processes, one of them attacked, with victims at both (victim-bench.ts); each attack is sent again and again
// meanwhile.
import { Agent, request } from 'node:http';
import { VictimBench, expectUnharmed, storm } from './victim-bench.js';
import { DiscardingProvider } from './discarding-provider.js';

const MIB = 1024 * 1024;
const HELLO = '"messages":[{"role":"user","content":"hi"}]';
const many = (entry: string, times: number): string => Array<string>(times).fill(entry).join(',');
/** Requests at a time, one for each of the attacker's sockets. */
const AT_ONCE = 4;

describe('work that one request causes', () => {
  let bench: VictimBench;
  let key: string;
  let discarding: DiscardingProvider;

  beforeAll(async () => {
    discarding = await DiscardingProvider.open();
    bench = await VictimBench.open({}, [discarding.entry]);
    key = await bench.newKey();
  }, 240_000);
  afterAll(async () => {
    await bench?.close();
    await discarding?.close();
  });

  const post = async (path: string, body: string): Promise<string> => {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    const response = await fetch(`${bench.origin}/api/v1${path}`, { method: 'POST', headers, body });
    const text = await response.text();
    return `${response.status} ${/"message":"([^"]*)/.exec(text)?.[1] ?? ''}`;
  };

  it.each<[string, RegExp, string, string]>([
    ['100,000 names of models', /^400/, '/messages', `{${HELLO},"models":[${many('"sandbox/echo"', 100_000)}]}`],
    ['100,000 different names of models', /^400/, '/chat/completions', `{${HELLO},"models":[${Array.from({ length: 100_000 }, (_, index) => `"a/b${index}"`).join(',')}]}`],
    ['a name of 1 MB of colons', /^40[04]/, '/messages', `{${HELLO},"model":"a/${':'.repeat(MIB)}"}`],
    ['100,000 names of providers', /^400/, '/messages', `{${HELLO},"model":"sandbox/echo","provider":{"only":[${many('"sandbox"', 100_000)}],"order":[${many('"p0"', 100_000)}]}}`],
    ['40,000 messages', /^200/, '/messages', `{"model":"test/roomy","messages":[${many('{"role":"user","content":"a"}', 40_000)}]}`],
    ['a million values', /^400 body: has more than/, '/messages', `{"model":"test/roomy","messages":[{"role":"user","content":[${many('{"type":"text","text":"a"}', 500_000)}]}]}`],
    ['100,000 tools', /^400/, '/messages', `{${HELLO},"model":"test/roomy","tools":[${Array.from({ length: 100_000 }, (_, index) => `{"name":"t${index}","input_schema":{"type":"object"}}`).join(',')}]}`],
    ['a schema of 9,000 properties', /^200/, '/messages', `{${HELLO},"model":"test/roomy","tools":[{"name":"t","input_schema":{"type":"object","properties":{${Array.from({ length: 9_000 }, (_, index) => `"p${index}":{}`).join(',')}}}}]}`],
    ['10 MiB of open brackets', /^400/, '/messages', '['.repeat(10 * MIB)],
    ['10 MiB of escapes', /^400/, '/chat/completions', `{"messages":"${String.raw`\u0061`.repeat(1.6 * MIB)}"}`],
    ['30 MiB of one text', /^200/, '/messages', `{"model":"test/roomy","messages":[{"role":"user","content":"${'All work. '.repeat(3 * MIB)}"}]}`],
    ['20,000 texts', /^200/, '/messages', `{"model":"test/roomy","messages":[{"role":"user","content":[${many('{"type":"text","text":"a"}', 20_000)}]}]}`],
  ])('%s', async (_, answer, path, body) => {
    await expectUnharmed(bench, async (signal) => {
      const answers = await storm(AT_ONCE, signal, () => post(path, body));
      expect([...answers.keys()]).toEqual([expect.stringMatching(answer)]);
    });
  }, 240_000); // oxfmt-ignore

  it('2,000 calls at once, on as many connections', async () => {
    const agent = new Agent({ keepAlive: true });
    const body = `{${HELLO},"model":"test/roomy","max_tokens":9}`;
    const headers = {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      'content-length': body.length,
    };
    const call = (): Promise<number> =>
      new Promise((resolve) => {
        request(`${bench.origin}/api/v1/messages`, { method: 'POST', agent, headers }, (response) => {
          response.resume().on('end', () => resolve(response.statusCode!));
        })
          // More connections at once than the backlog holds: the attacker's own loss.
          .on('error', () => resolve(0))
          .end(body);
      });
    try {
      await expectUnharmed(bench, async (signal) => {
        const answers = await storm(2_000, signal, call);
        expect([...answers.keys()].filter((status) => status > 200)).toEqual([]);
        expect(answers.get(200)).toBeGreaterThan(1_000);
      });
    } finally {
      agent.destroy();
    }
  }, 240_000);
});
