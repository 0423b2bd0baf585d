/**
 * Checks that programs of others, unmodified, work through POST /responses: `@openai/agents` with tools, a handoff and
 * a streamed run, `@openai/codex` in a folder where it reads, changes and tests a file, and the AI SDK. The real
 * application runs over scripted upstreams of three formats; each also meets a 429, a cut in mid-stream and a 402.
 * The packages are those of test/programs; without a registry to install them from, nothing runs.
 */
import { execFile, execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { API_KEY, MANAGEMENT_KEY, startGateway, type TestGateway } from '../support/app.js';
import type { JsonBody } from '../support/recorded-request.js';
import { CUT, frame, json, sse, type Script } from '../support/upstream-answers.js';
import { DEFAULT_MODEL, MODELS, ProgramUpstreams, README_MODEL } from './program-upstreams.js';
import { describeWithPrograms, importProgram, programFile, programVersion } from './programs.js';

const BUSY: Script = () => json({ error: { message: 'slow down', type: 'rate_limit_error' } }, 429, { 'retry-after': '0' }); // oxfmt-ignore
/** A stream of the responses format that breaks off. */
const BROKEN: Script = () => sse([
  frame('response.created', { type: 'response.created', response: { id: 'r', output: [], status: 'in_progress' } }),
  frame('response.output_item.added', { type: 'response.output_item.added', output_index: 0, item: { id: 'm', type: 'message', role: 'assistant', content: [] } }),
  frame('response.output_text.delta', { type: 'response.output_text.delta', item_id: 'm', output_index: 0, content_index: 0, delta: 'Hal' }),
  CUT,
]); // oxfmt-ignore

const ended = (
  program: string,
  words: readonly string[],
  cwd: string,
  env: NodeJS.ProcessEnv,
): Promise<{ code: number; output: string }> =>
  new Promise((resolve) => {
    execFile(program, words, { cwd, env, timeout: 60_000 }, (error, stdout, stderr) =>
      // A program that was killed has no code.
      resolve({ code: error ? Number(error.code ?? 1) : 0, output: `${stdout}\n${stderr}` }),
    ).stdin!.end();
  });

describeWithPrograms('programs over responses', (database) => {
  let gateway: TestGateway;
  let upstreams: ProgramUpstreams;
  let poorKey: string;

  beforeAll(async () => {
    upstreams = await ProgramUpstreams.start();
    gateway = await startGateway(database, { catalog: upstreams.catalog, coolsDown: false });
    const body = JSON.stringify({ name: 'poor', limit: 0 });
    const headers = { 'content-type': 'application/json' };
    const key: JsonBody = await (await gateway.request('/keys', { method: 'POST', key: MANAGEMENT_KEY, headers, body })).json(); // oxfmt-ignore
    poorKey = key.key;
  }, 240_000);
  afterAll(async () => {
    await gateway?.close();
    await upstreams?.close();
  });

  const messageOf = (promise: Promise<unknown>): Promise<string> =>
    promise.then(
      () => 'no failure',
      (error: Error & { status?: number }) => `${error.status ?? ''} ${error.message}`,
    );

  describe('@openai/agents', () => {
    let agents: JsonBody;
    beforeAll(async () => {
      agents = await importProgram('@openai/agents');
      agents.setTracingDisabled(true);
    });

    const clientOf = async (key: string): Promise<JsonBody> => {
      const { default: OpenAI } = await importProgram<JsonBody>('openai');
      return new OpenAI({ apiKey: key, baseURL: `${gateway.origin}/api/v1` });
    };
    beforeAll(async () => agents.setDefaultOpenAIClient(await clientOf(API_KEY)));
    const ran: unknown[] = [];
    /** An agent that hands over to another, which has a tool. Without a model it takes the package's own choice. */
    const deskOf = (model: string): JsonBody => {
      const named = model === DEFAULT_MODEL ? {} : { model };
      const weather = agents.tool({
        name: 'get_weather',
        description: 'The weather in a city.',
        parameters: z.object({ city: z.string() }),
        execute: (input: unknown) => {
          ran.push(input);
          return 'rain';
        },
      });
      const expert = new agents.Agent({ name: 'Expert', instructions: 'You know.', tools: [weather], ...named });
      return new agents.Agent({ name: 'Desk', instructions: 'You hand over.', handoffs: [expert], ...named });
    };
    const TURNS = [
      { name: 'transfer_to_Expert', input: {} },
      { name: 'get_weather', input: { city: '京都' } },
      'It rains.',
    ] as const;

    it.each(MODELS.flatMap((model) => [false, true].map((stream) => ({ model, stream }))))(
      'hands over, runs a tool and ends: $model, stream $stream',
      async ({ model, stream }) => {
        ran.length = 0;
        const taken = upstreams.play(model, ...TURNS);
        const result = await agents.run(deskOf(model), 'Weather?', { stream });
        let streamed = '';
        if (stream) for await (const piece of result.toTextStream()) streamed += piece;
        await result.completed;
        expect([result.finalOutput, result.lastAgent.name, ran]).toEqual(['It rains.', 'Expert', [{ city: '京都' }]]);
        if (stream) expect(streamed).toBe('It rains.');
        expect(taken()).toBe(3);
        expect(upstreams.bodies(model).at(-1)).toContain('rain');
      },
    );

    it('sends a request again after a 429', async () => {
      const taken = upstreams.play(DEFAULT_MODEL, BUSY, 'Hi.');
      const result = await agents.run(new agents.Agent({ name: 'A' }), 'Hello');
      expect([result.finalOutput, taken()]).toEqual(['Hi.', 2]);
    });

    it('reports a cut in mid-stream, and a 402', async () => {
      upstreams.play(DEFAULT_MODEL, BROKEN);
      const result = await agents.run(new agents.Agent({ name: 'A' }), 'Hello', { stream: true });
      const drained = (async () => {
        for await (const piece of result.toTextStream()) void piece;
        await result.completed;
      })();
      expect(await messageOf(drained)).toContain('response.failed');
      upstreams.play(DEFAULT_MODEL, 'Hi.');
      const modelProvider = new agents.OpenAIProvider({ openAIClient: await clientOf(poorKey) });
      const poor = new agents.Runner({ modelProvider }).run(new agents.Agent({ name: 'A' }), 'Hello');
      expect(await messageOf(poor)).toMatch(/^402 /);
    });
  });

  describe('@openai/codex', () => {
    let folder: string;
    beforeEach(() => {
      folder = mkdtempSync(join(tmpdir(), 'codex-'));
      mkdirSync(join(folder, 'work'));
      mkdirSync(join(folder, 'home'));
      writeFileSync(join(folder, 'work', 'greeting.txt'), 'Hello\n');
    });
    afterEach(() => rmSync(folder, { recursive: true, force: true }));

    /** Runs Codex. `output` is its last message, or its error. */
    const codex = (model: string, prompt: string, key = API_KEY): Promise<{ code: number; output: string }> => {
      const provider = `model_providers.fairlead={ name="Fairlead", base_url="${gateway.origin}/api/v1", env_key="FAIRLEAD_API_KEY", wire_api="responses" }`; // oxfmt-ignore
      const words = ['exec', '-m', model, '-c', 'model_provider=fairlead', '-c', provider];
      const free = ['--skip-git-repo-check', '--dangerously-bypass-approvals-and-sandbox'];
      const program = [programFile('@openai/codex', 'bin/codex.js'), ...words, ...free, prompt];
      const env = { PATH: process.env['PATH'], HOME: folder, CODEX_HOME: join(folder, 'home'), FAIRLEAD_API_KEY: key };
      return ended(process.execPath, program, join(folder, 'work'), env);
    };

    /** A shell command, as the model calls it: models that it knows write a program around its tools. */
    const shell = (model: string, cmd: string) =>
      model === DEFAULT_MODEL
        ? { name: 'functions__exec', input: { input: `text(await tools.exec_command(${JSON.stringify({ cmd })}))` } }
        : { name: 'exec_command', input: { cmd } };

    it('runs the lines of the README as they are, but for the port', async () => {
      const readme = readFileSync(join(__dirname, '..', '..', 'README.md'), 'utf8');
      const [, version, lines] = /^Codex \((.*?)\) needs three lines:\n\n```bash\n(.*?)```/ms.exec(readme)!;
      expect(version).toBe(programVersion('@openai/codex'));
      const bin = join(folder, 'bin');
      mkdirSync(bin);
      const program = `#!/bin/sh\nexec "${process.execPath}" "${programFile('@openai/codex', 'bin/codex.js')}" "$@"\n`;
      writeFileSync(join(bin, 'codex'), program, { mode: 0o755 });
      // It runs in repositories alone.
      execFileSync('git', ['init', '--quiet'], { cwd: join(folder, 'work') });
      const taken = upstreams.play(README_MODEL, 'Ahoi from the README.');
      const words = lines!.replaceAll('http://127.0.0.1:8787', gateway.origin);
      expect(words).toContain(`-m ${README_MODEL} `);
      const path = `${bin}:${process.env['PATH']}`;
      const env = { PATH: path, HOME: folder, CODEX_HOME: join(folder, 'home'), FAIRLEAD_API_KEY: API_KEY };
      const { code, output } = await ended('bash', ['-c', words], join(folder, 'work'), env);
      expect([code, output]).toEqual([0, expect.stringContaining('Ahoi from the README.')]);
      expect(taken()).toBe(1);
      expect(upstreams.lastBody(README_MODEL)).toContain('Say hello');
    }, 90_000);

    it.each(MODELS)(
      'reads a file, changes it and runs a command: %s',
      async (model) => {
        const taken = upstreams.play(
          model,
          shell(model, 'cat greeting.txt'),
          shell(model, "printf 'Hello, boats\\n' > greeting.txt"),
          shell(model, 'grep -c boats greeting.txt && echo "tested $((40 + 2))"'),
          'The greeting is for boats.',
        );
        const { code, output } = await codex(model, 'Greet the boats.');
        expect([code, taken()]).toEqual([0, 4]);
        expect(output).toContain('The greeting is for boats.');
        expect(readFileSync(join(folder, 'work', 'greeting.txt'), 'utf8')).toBe('Hello, boats\n');
        expect(upstreams.bodies(model).at(-1)).toContain('tested 42');
      },
      90_000,
    );

    it.each([
      ['a 429', BUSY],
      ['a cut in mid-stream', BROKEN],
    ])(
      'sends a request again after %s',
      async (_what, failure) => {
        const taken = upstreams.play(DEFAULT_MODEL, failure, 'Hi.');
        const { code, output } = await codex(DEFAULT_MODEL, 'Say hello');
        expect([code, taken()]).toEqual([0, 2]);
        expect(output).toContain('Hi.');
      },
      90_000,
    );

    it('reports a 402', async () => {
      upstreams.play(DEFAULT_MODEL, 'Hi.');
      const { code, output } = await codex(DEFAULT_MODEL, 'Say hello', poorKey);
      expect(code).not.toBe(0);
      expect(output).toMatch(/402|limit/);
    }, 240_000);
  });

  describe('the AI SDK', () => {
    let ai: JsonBody;
    let openai: JsonBody;
    beforeAll(async () => {
      ai = await importProgram('ai');
      openai = await importProgram('@ai-sdk/openai');
    });

    /** Nothing is stored, so the whole conversation is sent. */
    const providerOptions = { openai: { store: false } };
    const modelOf = (model: string, key = API_KEY): JsonBody =>
      openai.createOpenAI({ apiKey: key, baseURL: `${gateway.origin}/api/v1` }).responses(model);

    it.each(MODELS.flatMap((model) => [false, true].map((stream) => ({ model, stream }))))(
      'runs a loop of tools to its end: $model, stream $stream',
      async ({ model, stream }) => {
        const taken = upstreams.play(model, { name: 'get_weather', input: { city: '京都' } }, 'It rains.');
        const ran: unknown[] = [];
        const execute = (input: unknown): string => {
          ran.push(input);
          return 'rain';
        };
        const get_weather = ai.tool({ description: 'd', inputSchema: z.object({ city: z.string() }), execute });
        const call = {
          model: modelOf(model),
          prompt: 'Weather?',
          tools: { get_weather },
          stopWhen: ai.stepCountIs(5),
          providerOptions,
        };
        const { text } = stream ? ai.streamText(call) : await ai.generateText(call);
        expect([await text, ran, taken()]).toEqual(['It rains.', [{ city: '京都' }], 2]);
        expect(upstreams.bodies(model).at(-1)).toContain('rain');
      },
    );

    it('sends a request again after a 429', async () => {
      const taken = upstreams.play(DEFAULT_MODEL, BUSY, 'Hi.');
      const { text } = await ai.generateText({ model: modelOf(DEFAULT_MODEL), prompt: 'Hello', providerOptions });
      expect([text, taken()]).toEqual(['Hi.', 2]);
    });

    it('reports a cut in mid-stream, and a 402', async () => {
      upstreams.play(DEFAULT_MODEL, BROKEN);
      const parts: JsonBody[] = [];
      const call = { prompt: 'Hello', providerOptions, onError: () => {} };
      for await (const part of ai.streamText({ ...call, model: modelOf(DEFAULT_MODEL) }).fullStream) parts.push(part);
      expect(parts.filter(({ type }) => type === 'error' || type === 'finish')).toMatchObject([
        { type: 'error', error: { message: expect.stringMatching(/^provider returned error|connection error/) } },
        { type: 'finish', finishReason: 'error' },
      ]);
      upstreams.play(DEFAULT_MODEL, 'Hi.');
      const failure = await ai.generateText({ ...call, model: modelOf(DEFAULT_MODEL, poorKey) }).catch((error: unknown) => error); // oxfmt-ignore
      expect(failure).toMatchObject({ statusCode: 402 });
    });
  });
});
