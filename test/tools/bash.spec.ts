// Commands run as in bash, without access to the host. Whatever they try ends with a clear result in time, while the
// process and other keys keep working. Uses the real threads, with containers in memory.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Cancellation } from '../../src/core/cancellation.js';
import { CallerGone } from '../../src/core/errors.js';
import type { ContainerStore, ExtensionContext } from '../../src/core/extension.js';
import type { JsonObject } from '../../src/core/json/json.js';
import type { GatewayRunTool, ToolResult } from '../../src/core/tool.js';
import { bash } from '../../src/tools/bash/bash.js';
import { ToolWorkers } from '../../src/tools/workers/tool-workers.js';
import { extensionContext, runCharged } from '../support/extension-context.js';
import { catalogOf } from '../support/route-inputs.js';

const MiB = 1024 * 1024;
/** Far above what is needed here: threads have the lowest priority of the machine. */
const TIME_MS = 20_000;
/** From the end of a command's time until its thread has been ended. */
const END_MS = 6_000;

const BUNDLE = join(__dirname, '../../node_modules/just-bash/dist/bundle/browser.js');

const workers = new ToolWorkers();
afterAll(() => workers.onApplicationShutdown());

const kept = new Map<string, Uint8Array>();
const containers: ContainerStore = {
  load: (id) => Promise.resolve(kept.get(id)),
  save: (id, state) => {
    kept.set(id, new Uint8Array(state));
    return Promise.resolve();
  },
};
const contextOf = (keyHash = 'k', parts: Partial<ExtensionContext> = {}): ExtensionContext =>
  extensionContext({ workers: workers.of(keyHash), containers, ...parts });

function offered(parameters: JsonObject = {}, timeMs = TIME_MS, memoryBytes = 64 * MiB): GatewayRunTool {
  const catalog = { ...catalogOf(), tools: { bash: { price: 7n, memoryBytes, timeMs } } };
  const requested = { type: 'openrouter:bash', parameters: { engine: 'openrouter', ...parameters }, path: 'tools.0' };
  const modelOf = (): never => {
    throw new Error('needs no model');
  };
  return bash.offer(requested, { catalog, modelOf }) as GatewayRunTool;
}

/** A separate session; returns the `content` of each command. */
function session(tool = offered(), context = contextOf()): (command: string) => Promise<JsonObject> {
  return async (command) => (await tool.run({ command }, { context, number: 1 })).content as JsonObject;
}
const once = (command: string, timeMs?: number): Promise<JsonObject> => session(offered({}, timeMs))(command);

describe('bash', () => {
  it.each<[string, string]>([
    ['echo $((6 * 7)); for i in 1 2 3; do printf "%s," $i; done', '42\n1,2,3,'],
    ['printf "b 2\\na 1\\n" | sort | awk \'{ s += $2 } END { print s, NR }\'', '3 2\n'],
    ['echo \'{"a":[1,2]}\' | jq -c .a', '[1,2]\n'],
    ['mkdir -p a/b && echo text > a/b/c && find a -type f -exec cat {} +', 'text\n'],
    ['seq 1 100000 | tail -1; f() { echo "in $1"; }; f here', '100000\nin here\n'],
    ['x=abc; echo ${x^^} ${x:1:1}; [[ abc =~ b(.) ]] && echo ${BASH_REMATCH[1]}', 'ABC b\nc\n'],
    ['diff <(echo a) <(echo b) | tail -1; cat <<EOF\n  kept $((1+1))\nEOF', '+b\n  kept 2\n'],
    ['whoami; hostname; pwd; echo $$', 'user\nlocalhost\n/home/user\n1\n'],
    [
      'head -c 5 /dev/zero | wc -c; printf "ü🌊" | wc -m; printf "a\\0b"',
      expect.stringMatching(/2\na\ufffdb$/) as never,
    ],
  ])('runs %j', async (command, stdout) => {
    expect(await once(command)).toMatchObject({ type: 'bash_code_execution_result', stdout, return_code: 0 });
  });

  it('returns outputs, exit code, price and container', async () => {
    const { content, text, isError, cost, sources } = await runCharged(
      offered(),
      { command: 'echo out; echo err >&2; exit 3' },
      contextOf(),
    );
    const container_id = expect.stringMatching(/^[\w-]{20}$/) as string;
    const type = 'bash_code_execution_result';
    expect(content).toEqual({ type, stdout: 'out\n', stderr: 'err\n', return_code: 3, content: [], container_id });
    expect(text).toBe('<stdout>\nout\n</stdout>\n<stderr>\nerr\n</stderr>\nexit code 3');
    expect({ isError, cost, sources }).toEqual({ isError: false, cost: 7n, sources: [] });
    expect(bash.recall(content, () => undefined)).toBe(text);
  });

  it('keeps files, links, modes, times, variables and the directory, also through a container', async () => {
    const tool = offered();
    const run = session(tool);
    await run(
      'mkdir -p /tmp/d; cd /tmp/d; printf "\\1\\2" > f; chmod 640 f; touch -d 2020-01-02 f; ln -s f l; x=kept; rmdir /home/user',
    );
    const shown = 'pwd; echo $x; stat -c "%a %s" f; ls -l f | cut -c30-; readlink l; od -c l | head -1; ls /home';
    const expected = expect.objectContaining({
      stdout: expect.stringMatching(/^\/tmp\/d\nkept\n640 2\n.*Jan +2 +2020 f\nf\n0000000 {2}001 002\n$/) as string,
      stderr: '',
    });
    const first = await run(shown);
    expect(first).toEqual(expected);
    const environment = { type: 'container_reference', container_id: first['container_id']! };
    expect(await session(offered({ environment }))(shown)).toEqual(expected);
    // One generation has nothing of another.
    expect(await once('echo "[$x]"; ls /tmp')).toMatchObject({ stdout: '[]\n' });
  });

  it('keeps the state unchanged after a command that only reads', async () => {
    const run = session();
    const { container_id } = await run('mkdir d; echo text > d/f; ln -s d/f l; X=1');
    const states = [kept.get(container_id as string)];
    for (const command of ['ls -la', 'cat l | sort > /dev/null', 'false', 'pwd; echo $X $RANDOM'])
      states.push((await run(command), kept.get(container_id as string)));
    for (const state of states) expect(Buffer.compare(state!, states[0]!)).toBe(0);
  });

  it('starts in its home folder, and has a temporary one', async () => {
    expect(await once('echo hi > f; cat ~/f; cd /tmp; pwd; echo $HOME')).toMatchObject({
      stdout: 'hi\n/tmp\n/home/user\n',
      stderr: '',
    });
  });

  it.each(['exit 3', 'false', 'while true; do :; done'])(
    'continues after `%s`, in the same folder and state',
    async (end) => {
      const run = session(offered({}, 300));
      await run('mkdir d; cd d; export B=2');
      const { return_code } = (await run(`echo text > f; ${end}`)) as { return_code: number };
      expect(return_code).toBeGreaterThan(0);
      expect(await run('pwd; echo $B; cat f')).toMatchObject({ stdout: '/home/user/d\n2\ntext\n', stderr: '' });
    },
  );

  it('continues where a file has the name of the temporary folder', async () => {
    const run = session(offered());
    await run('rm -rf /tmp; echo x > /tmp');
    expect(await run('cat /tmp; rm /tmp; mkdir /tmp; echo y > /tmp/f; cat /tmp/f')).toMatchObject({ stdout: 'x\ny\n' });
  });

  it('starts in its home folder where the directory was removed', async () => {
    const run = session(offered());
    await run('mkdir d; cd d; rmdir /home/user/d');
    expect(await run('pwd')).toMatchObject({ stdout: '/home/user\n' });
  });

  it('reveals nothing of the interpreter', async () => {
    const { stderr } = (await once('for i in {1..200000}; do :; done; tar --help')) as { stderr: string };
    expect(stderr).toMatch(/too many|tar/);
    expect(stderr).not.toMatch(/executionLimits|browser|bundle/);
  });

  it('starts anew when it is restarted, in the same container', async () => {
    const tool = offered();
    const run = session(tool);
    const before = await run('echo text > f; ls');
    const { content } = await tool.run({ restart: true }, { context: contextOf(), number: 2 });
    expect(content).toMatchObject({ stdout: '', return_code: 0, container_id: before['container_id'] });
    expect(await run('ls')).toMatchObject({ stdout: '' });
  });

  it('runs the commands of one generation one after another, in the order of their requests', async () => {
    const run = session();
    const results = await Promise.all(
      ['for i in $(seq 1 5000); do :; done; echo a >> f', 'echo b >> f', 'cat f'].map(run),
    );
    expect(results[2]).toMatchObject({ stdout: 'a\nb\n' });
  });

  it('continues after a failed or ended command, with the files before it', async () => {
    const run = session(offered({}, 300));
    await run('echo text > f');
    expect(await run('echo new > f; while true; do :; done')).toMatchObject({
      return_code: 124,
      stderr: expect.stringContaining('deadline'),
    });
    expect(await run('if')).toMatchObject({ return_code: 2, stderr: expect.stringContaining('syntax error') });
    expect(await run('cat f')).toMatchObject({ stdout: 'new\n' });
  });

  it('reports that its container is not kept, and continues without it', async () => {
    const { ExtensionFault } = await import('../../src/core/extension.js');
    const save = (): Promise<never> => Promise.reject(new ExtensionFault('too-large', 'there are sixteen.'));
    const run = session(offered(), contextOf('k', { containers: { ...containers, save } }));
    const result = await run('echo text > f; echo done');
    expect(result).toMatchObject({
      stdout: 'done\n',
      stderr: expect.stringContaining('not kept for later requests: there are sixteen.'),
    });
    expect(result).not.toHaveProperty('container_id');
    expect(await run('cat f')).toMatchObject({ stdout: 'text\n' });
  });

  it('fails for a missing container', async () => {
    const environment = { type: 'container_reference', container_id: 'unknown' };
    const result = await runCharged(offered({ environment }), { command: 'echo a' }, contextOf());
    expect(result).toMatchObject({
      isError: true,
      cost: 0n,
      content: { type: 'bash_code_execution_tool_result_error', error_code: 'container_not_found' },
    });
  });
});

describe('its output', () => {
  const printed = (count: number): string => `printf "%0${count}d" 1`;

  it('is returned whole up to the bound, and cut beyond it', async () => {
    expect((await once(printed(32_768)))['stdout']).toHaveLength(32_768);
    const cut = (await once(`${printed(40_000)}; ${printed(50_000)} >&2`)) as { stdout: string; stderr: string };
    expect(cut.stdout).toMatch(/^0+\n\[7,232 characters left out here\]\n0+1$/);
    expect(cut.stderr).toContain('[17,232 characters left out here]');
  });

  it('is never cut within a character', async () => {
    const { stdout } = (await once('for i in $(seq 1 20000); do printf "🌊"; done')) as { stdout: string };
    expect(stdout.isWellFormed()).toBe(true);
  });
});

describe('a hostile command', () => {
  const CASE_MS = 2_000;
  /**
   * By the count of its commands or rounds, by its time, or with its thread: this depends on the speed of the machine.
   */
  const ENDED = /^\[(12[46]|"execution_time_exceeded")/;
  /** Or with its thread's memory, whichever limit is reached first. */
  const GROWN = new RegExp(`${ENDED.source}|^\\["unavailable"`);
  /** Each must end with a result: this one, or by its time on a slow machine. */
  const CASES: readonly [name: string, command: string, expected: RegExp][] = [
    ['fork bomb', ':(){ :|:& };:', /126.*recursion depth/],
    ['endless loop', 'while true; do :; done', ENDED],
    ['endless loop that prints', 'while true; do echo yes; done', ENDED],
    ['yes', 'yes', /127.*not found/],
    ['endless recursion', 'f() { f; }; f', /126.*recursion depth/],
    ['endless eval', 'e() { eval e; }; e', /126.*depth/],
    ['a script that runs itself', 'echo "bash x" > x; bash x', /126.*depth/],
    ['deep nesting', '('.repeat(50_000), /2.*syntax error|1.*call stack/],
    ['deep substitution', `echo ${'$('.repeat(5_000)}`, /2.*syntax error/],
    ['doubling text', 'x=aaaaaaaa; while true; do x=$x$x; done', /126.*limit/],
    ['doubling file', 'echo a > f; while true; do cat f f > g; mv g f; done', /12[46]|ENOSPC|limit|exceeded/],
    ['wide brace expansion', 'echo {1..1000}{1..1000}{1..1000}', /126.*limit/],
    ['hundreds of megabytes', 'printf "%0200000000d" 1', /126.*limit/],
    [
      'forty large variables',
      'x=$(printf "%016000000d" 1); for i in $(seq 1 40); do eval "y$i=\\${x}$i"; done',
      /unavailable/,
    ],
    ['a growing array', 'a=(); while true; do a+=(0123456789012345678901234567890123456789); done', GROWN],
    ['a growing awk array', `awk 'BEGIN { while (1) a[i++] = "0123456789012345678901234567890123456789" i }'`, GROWN],
    ['megabytes of output', 'for i in $(seq 1 200); do printf "%01000000d" 1; done', /126.*output size/],
    ['100,000 files', 'for i in $(seq 1 100000); do echo > f$i; done; ls | wc -l', /\b0\b|12[46]|exceeded/],
    ['endless awk', 'awk "BEGIN { while (1) {} }"', ENDED],
    ['growing awk', `awk 'BEGIN { x = "a"; while (1) x = x x }'`, /126.*limit/],
    ['endless jq', 'jq -n "[range(1e9)] | length"', /126.*limit/],
    ['deep jq', 'jq -n "def f: f; f"', /126.*limit/],
    ['endless sed', 'echo a | sed ":a; s/a/a/; ta"', ENDED],
    ['grep that backtracks', `echo ${'a'.repeat(5_000)} | grep -E "(a*)*(a*)*(a*)*b"`, /1/],
    ['sed that backtracks', `echo ${'a'.repeat(5_000)} | sed -E "s/(a|aa)+(a|aa)+c/x/"`, /0/],
    ['test that backtracks', `[[ ${'a'.repeat(5_000)} =~ (a|a?)+b ]]`, /1/],
    ['glob that backtracks', `case ${'a'.repeat(2_000)} in ${'*a'.repeat(50)}b) ;; esac; echo end`, /0/],
    ['endless sleep', 'while true; do sleep 1000000; done', ENDED],
    ['a thousand sleeps', 'for i in $(seq 1 1000); do sleep 1000 & done; wait; echo end', /0.*end/],
    ['a sleep with a time-out', 'timeout 1000 sleep 1000; echo end', /0.*end/],
    ['quadratic diff', 'seq 1 60000 > a; seq 60000 -1 1 > b; diff a b | wc -l', /0|12[46]|exceeded/],
    [
      'packed zeros',
      'printf "%07000000d" 1 > z; gzip z; for i in 1 2 3 4 5 6 7; do cat z.gz z.gz > y.gz; mv y.gz z.gz; done; zcat z.gz | wc -c',
      /0|126/,
    ],
    ['endless links', 'ln -s a b; ln -s b a; cat a; ln -s . c; find . | wc -l', /0/],
    ['deep folders', 'for i in $(seq 1 3000); do mkdir d; cd d; done; pwd | wc -c', /0|12[46]|exceeded/],
    ['nested HTML', 'x=$(printf "<div>%.0s" $(seq 1 20000)); echo "$x" | html-to-markdown | wc -c', /0|1|exceeded/],
    [
      'names of objects',
      'export __proto__=a constructor=b; declare -A m; m[__proto__]=1; echo $__proto__ ${!m[@]}; touch __proto__ constructor; ls',
      /0/,
    ],
  ];
  const summary = ({ return_code, stdout, stderr, error_code }: JsonObject): string =>
    JSON.stringify([error_code ?? return_code, stderr, stdout]).slice(0, 2_000);

  it.each(CASES)(
    'ends: %s',
    async (_name, command, expected) => {
      const startedAt = performance.now();
      const result = summary(await once(command, CASE_MS));
      expect(result).toMatch(new RegExp(`${expected.source}|${ENDED.source}`));
      expect(performance.now() - startedAt).toBeLessThan(CASE_MS + 2 * END_MS);
    },
    30_000,
  );

  it.each([
    'cat /etc/passwd /etc/shadow',
    'cat ../../../../etc/hostname',
    'cat /proc/1/environ /proc/self/environ /proc/self/maps',
    'ls /root /etc /var /work /sys',
    'cat < /dev/tcp/127.0.0.1/5432',
    'curl -s http://127.0.0.1:5432',
    'wget http://169.254.169.254/',
    'nc 127.0.0.1 6379',
    'python3 -c "print(1)"',
    'node -e 1',
    'perl -e 1',
    'sqlite3 :memory: "select 1"',
    'js-exec -c 1',
    'sudo id',
    'ssh localhost',
  ])('reaches nothing of the host: %s', async (command) => {
    const { stdout, return_code } = await once(command);
    expect(stdout).toBe('');
    expect(return_code).not.toBe(0);
  });

  const UNREACHABLE = 'bash: connect: Network is unreachable\nbash: /dev/tcp/127.0.0.1/5432: Network is unreachable\n';
  const UNRESOLVED =
    'bash: db.test: Temporary failure in name resolution\nbash: /dev/tcp/db.test/5432: Invalid argument\n';
  it.each([
    ['cat < /dev/tcp/127.0.0.1/5432', '', UNREACHABLE, 1],
    ['echo x > /dev/tcp/127.0.0.1/5432', '', UNREACHABLE, 1],
    ['echo x >> /dev/tcp/127.0.0.1/5432', '', UNREACHABLE, 1],
    ['exec 3<>/dev/tcp/127.0.0.1/5432', '', UNREACHABLE, 1],
    ['at=/dev/tcp/db.test/5432; echo x > $at', '', UNRESOLVED, 1],
    ['(echo > /dev/tcp/127.0.0.1/5432) 2>/dev/null && echo open || echo closed', 'closed\n', '', 0],
    ['(exec 3<>/dev/udp/db.test/53) 2>/dev/null && echo open || echo closed', 'closed\n', '', 0],
    ['timeout 1 bash -c "echo > /dev/tcp/127.0.0.1/5432"', '', UNREACHABLE, 1],
    ['cat /dev/tcp/127.0.0.1/5432', '', 'cat: /dev/tcp/127.0.0.1/5432: No such file or directory\n', 1],
    ['echo x > /tmp/tcp; cat /tmp/tcp; echo y > /dev/null', 'x\n', '', 0],
  ])('opens no connection, and fails as bash does without a network: %s', async (command, stdout, stderr, code) => {
    const result = await once(command);
    expect([result['stdout'], result['stderr'], result['return_code']]).toEqual([stdout, stderr, code]);
  });

  it('is run by code that imports nothing of Node’s but decompression', () => {
    const bundle = readFileSync(BUNDLE, 'utf8');
    const imported = [...bundle.matchAll(/(?:from|import|require)\s*\(?\s*["'](node:[\w/]+)["']/g)].map(
      ([, name]) => name,
    );
    expect(new Set(imported)).toEqual(new Set(['node:zlib']));
  });

  it('has no variable of the process, nor its time zone or name', async () => {
    process.env['FAIRLEAD_CANARY'] = 'canary';
    const { stdout } = (await once('env; set; printenv; hostname; cat /proc/version')) as { stdout: string };
    delete process.env['FAIRLEAD_CANARY'];
    expect(stdout).not.toMatch(/canary|FAIRLEAD|NODE_|\/work|npm_/);
  });

  it('delays neither the process nor another key', async () => {
    const hostile = [
      'while true; do :; done',
      'echo {1..300}{1..300}',
      'printf "%08000000d" 1 | sort | uniq -c | wc -c',
    ];
    const [endless, ...bounded] = hostile.map((command) => session(offered({}, 20_000), contextOf('hostile'))(command));
    const serving = session(offered(), contextOf('victim'))('echo served');
    // The others may have met their limits of size before that.
    expect(await Promise.race([serving, endless])).toMatchObject({ stdout: 'served\n' });
    await Promise.all([endless, ...bounded]);
  }, 60_000);

  it('is kept within its limit of files: the session is unchanged', async () => {
    const run = session(offered({}, 30_000));
    await run('echo text > f');
    const full = await run('for i in $(seq 1 20); do printf "%01000000d" 1 > f$i || break; done; ls | wc -l');
    expect(full).toMatchObject({ stderr: expect.stringContaining('ENOSPC') });
    expect(await run('rm f?*; cat f')).toMatchObject({ stdout: 'text\n' });
    const many = await run('x=$(printf "%04300000d" 1); y=$x; rm f; echo made');
    expect(many).toMatchObject({
      stdout: 'made\n',
      stderr: expect.stringContaining('more than a session may have (8 MiB)'),
    });
    expect(await run('ls; echo ${#x}')).toMatchObject({ stdout: 'f\n0\n' });
    const large = await run('printf "%09000000d" 1 > g');
    expect(large).toMatchObject({
      return_code: 1,
      stderr: expect.stringMatching(/ENOSPC.*\n.*as before this command/),
    });
    expect(await run('ls')).toMatchObject({ stdout: 'f\n' });
  }, 60_000);

  it('ends with its generation: while it runs, and while it waits', async () => {
    const gone = new Cancellation();
    const run = session(offered({}, 60_000), contextOf('k', { signal: gone.signal }));
    const under = [run('seq 1 60000 > a; seq 60000 -1 1 > b; diff a b'), run('echo never')];
    setTimeout(() => gone.abort(new CallerGone()), 500);
    const ends = await Promise.allSettled(under);
    expect(ends.map((end) => end.status === 'rejected' && (end.reason as Error).name)).toEqual([
      'CallerGone',
      'CallerGone',
    ]);
  });
});

it('refuses an invalid command before a thread is used', async () => {
  const run = (input: JsonObject): Promise<ToolResult> =>
    offered().run(input, {
      context: contextOf('k', { workers: { run: () => Promise.reject(new Error('asked')) } }),
      number: 1,
    });
  expect((await run({})).content).toMatchObject({ error_code: 'invalid_tool_input' });
  expect((await run({ restart: false })).content).toMatchObject({ error_code: 'invalid_tool_input' });
  expect((await run({ command: 'a'.repeat(100_001) })).content).toMatchObject({ error_code: 'request_too_large' });
});
