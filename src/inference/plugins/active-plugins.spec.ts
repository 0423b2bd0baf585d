// Made-up plugins: they run in the order of their list, each stage is reported, and a failure fails the request unless
// its plugin may be skipped.
import { extensionContext } from '../../../test/support/extension-context.js';
import { modelRequest } from '../../../test/support/model-request.js';
import { endpoint, model, plan } from '../../../test/support/route-inputs.js';
import { Cancellation } from '../../core/cancellation.js';
import type { ModelEvent } from '../../core/conversation/event.js';
import type { PluginEntry } from '../../core/conversation/request.js';
import { CallerGone, GatewayError } from '../../core/errors.js';
import { ExtensionFault } from '../../core/extension.js';
import type { ModelRun } from '../../core/generation/model-run.js';
import type { JsonObject } from '../../core/json/json.js';
import type { Plugin } from '../../core/plugin.js';
import { NO_DEFAULTS } from '../../core/plugin-defaults.js';
import type { ChoiceInputs } from '../../core/routing/route-inputs.js';
import { PluginSelector } from './plugin-selector.js';

/** Appends its id and options to the user's name. */
const writes = (id: string, fields: Partial<Plugin> = {}): Plugin => ({
  id,
  options: { enabled: {} },
  prepare: (request, options) => ({
    request: { ...request, user: `${request.user ?? ''}${id}${JSON.stringify(options)}` },
    note: { summary: 'written', data: { by: id } },
  }),
  ...fields,
});
const fails = (error: Error, fields: Partial<Plugin> = {}): Plugin => ({
  id: 'fails',
  options: { enabled: {} },
  prepare: () => Promise.reject(error),
  ...fields,
});
const MILLISECONDS = expect.any(Number) as number;
/** Entry of a stage without a paid call. */
const STAGE = { type: 'plugin', data: { milliseconds: MILLISECONDS }, cost_usd: 0 };
const abort = new Cancellation();
const context = extensionContext({ signal: abort.signal });

const setOf = (all: readonly Plugin[], plugins: readonly PluginEntry[], name = 'acme/any') =>
  new PluginSelector(all).of(modelRequest({ plugins, model: name }), NO_DEFAULTS);
const prepare = async (all: readonly Plugin[], ...plugins: PluginEntry[]) => {
  const { request, stages } = await setOf(all, plugins).prepare(modelRequest(), () => context);
  return { user: request.user, stages: stages.map(({ name, summary }) => `${name as string}: ${summary as string}`) };
};

it('prepares in the order of the list, each by its own options', async () => {
  const all = [writes('a'), writes('b'), writes('c')];
  expect(await prepare(all, { id: 'c', x: 1 }, { id: 'a', enabled: true })).toEqual({
    user: 'a{}c{"x":1}',
    stages: ['a: written', 'c: written'],
  });
});

it('reports the time and cost of a stage, and its own note', async () => {
  const { stages } = await setOf([writes('a')], [{ id: 'a' }]).prepare(modelRequest(), () => context);
  const data = { by: 'a', milliseconds: MILLISECONDS };
  expect(stages).toEqual([{ type: 'plugin', name: 'a', summary: 'written', data, cost_usd: 0 }]);
});

it.each<[string, PluginEntry[], string | undefined]>([
  ['is not named', [], 'b{"most":8}'],
  ['is turned off', [{ id: 'b', enabled: false }], undefined],
  ['is requested', [{ id: 'b' }], 'b{}'],
])('runs a plugin that is on by default where it %s', async (_, plugins, user) => {
  const all = [writes('b', { whenNotRequested: { most: 8 } }), writes('c')];
  expect((await prepare(all, ...plugins)).user).toBe(user);
});

it('refuses two entries of one plugin, by the path of the second', () => {
  const plugins = [{ id: 'a' }, { id: 'b' }, { id: 'a', enabled: false }];
  expect(() => setOf([writes('a'), writes('b')], plugins)).toThrow('plugins.2.id: a has an entry already; send one');
});

it.each<[string, Plugin, string]>([
  ['its own error for the caller', fails(new GatewayError('forbidden', 'Not this.')), 'Not this.'],
  [
    'an external service that did not serve',
    fails(new ExtensionFault('timed-out', 'no answer')),
    'The plugin fails failed: no answer.',
  ],
  ['an internal error', fails(new TypeError('x'), { isSkippable: true }), 'x'],
])('fails with %s', async (_, plugin, message) => {
  await expect(prepare([plugin], { id: 'fails' })).rejects.toThrow(message);
});

it('skips a skippable plugin, with a stage', async () => {
  const plugin = fails(new ExtensionFault('busy', 'too busy'), { isSkippable: true });
  expect(await prepare([plugin, writes('z')], { id: 'fails' }, { id: 'z' })).toEqual({
    user: 'z{}',
    stages: ['fails: skipped', 'z: written'],
  });
});

it('ends with its request, even if it is skippable', async () => {
  const gone = new Cancellation();
  gone.abort(new CallerGone());
  const plugin = fails(new ExtensionFault('busy', 'too busy'), { isSkippable: true });
  const set = setOf([plugin], [{ id: 'fails' }]);
  const preparing = set.prepare(modelRequest(), () => extensionContext({ signal: gone.signal }));
  await expect(preparing).rejects.toThrow(CallerGone);
});

describe('models that enable a plugin', () => {
  const CHOSEN = { models: ['acme/one'], strategy: 'auto', summary: 'acme/one of 1 model' } as const;
  const router: Plugin = {
    id: 'router',
    options: { enabled: {} },
    models: ['acme/auto'],
    choose: ({ model: name }, options) => ({ ...CHOSEN, data: { name, ...options } }),
  };
  const choice = (name: string, ...plugins: PluginEntry[]) =>
    setOf([router], plugins, name).chooser(modelRequest({ model: name }))?.({} as ChoiceInputs);

  it.each<[string, PluginEntry[], JsonObject | undefined]>([
    ['acme/auto', [], { name: 'acme/auto' }],
    ['acme/auto:nitro', [], { name: 'acme/auto:nitro' }],
    ['acme/auto', [{ id: 'router', x: 1 }], { name: 'acme/auto', x: 1 }],
    ['acme/auto', [{ id: 'router', enabled: false }], undefined],
    ['acme/any', [{ id: 'router' }], undefined],
    ['acme/any', [], undefined],
  ])('%s %j', (name, plugins, data) => {
    expect(choice(name, ...plugins)).toEqual(data && { by: 'router', ...CHOSEN, data, milliseconds: MILLISECONDS });
  });
});

describe('fits a request to a leg by each of them', () => {
  const shorter = (id: string, isLate = false): Plugin => ({
    id,
    options: { enabled: {} },
    fit: (request, { endpoint: { contextLength } }) => {
      const user = `${request.user ?? ''}${id}${contextLength}`;
      const fitted = { request: { ...request, user }, note: { summary: 'shortened' } };
      return isLate ? Promise.resolve(fitted) : fitted;
    },
  });
  const [leg] = plan([model('acme/any', [{ ...endpoint('p1'), contextLength: 4 }])], {}).legs;
  const stageBy = (name: string) => ({ ...STAGE, name, summary: 'shortened' });
  const fit = (plugins: readonly Plugin[]) =>
    setOf(
      plugins,
      plugins.map(({ id }) => ({ id })),
    ).fit!(modelRequest(), leg!);

  it('synchronously where all of them do', () => {
    const fitted = fit([shorter('a'), shorter('b')]);
    expect(fitted).toMatchObject({ request: { user: 'a4b4' }, stages: [stageBy('a'), stageBy('b')] });
  });

  it('later where one of them does', async () => {
    const fitting = fit([shorter('a'), shorter('b', true), shorter('c')]);
    expect(fitting).toBeInstanceOf(Promise);
    const { request, stages } = await fitting;
    expect([request.user, stages]).toEqual(['a4b4c4', [stageBy('a'), stageBy('b'), stageBy('c')]]);
  });

  it('unless none of them fits any', () => {
    expect(setOf([shorter('a')], []).fit).toBeUndefined();
  });
});

describe('a watch', () => {
  const REPLY: readonly ModelEvent[] = [{ type: 'ping' }];
  const RUN = {} as ModelRun;
  const watching = (fields: Partial<Plugin>, addStage: (stage: JsonObject) => void = () => undefined) =>
    setOf([{ id: 'w', options: {}, ...fields }], [{ id: 'w' }]).watches(modelRequest(), {
      contextFor: (_id, consulted) => ({ ...context, infer: () => Promise.resolve(consulted(RUN)) as never }),
      spentOn: (runs) => 2_000_000n * BigInt(runs.length),
      addStage,
    });

  it('does not exist where nothing is watched', () => {
    expect(watching({})).toEqual([]);
    expect(watching({ watch: () => undefined })).toEqual([]);
  });

  it('reports its time so far, and the cost of the models that it called', async () => {
    const stages: JsonObject[] = [];
    const [watch] = watching(
      {
        watch: (request, _options, calling, note) => ({
          overdueMs: 7,
          pass: async (batch) => {
            await calling.infer(request, 'moderation');
            note({ summary: 'judged' });
            return batch;
          },
        }),
      },
      (stage) => stages.push(stage),
    );
    expect(watch!.overdueMs).toBe(7);
    expect(await watch!.pass(REPLY)).toBe(REPLY);
    expect(await watch!.release!()).toEqual([]);
    expect(stages).toEqual([{ ...STAGE, name: 'w', summary: 'judged', cost_usd: 0.000002 }]);
  });

  it.each<[string, Error, string]>([
    ['its own error for the caller', new GatewayError('forbidden', 'Not this.'), 'Not this.'],
    [
      'an external service that did not serve',
      new ExtensionFault('timed-out', 'no answer'),
      'The plugin w failed: no answer.',
    ],
    ['an internal error', new TypeError('x'), 'x'],
  ])('fails with %s, synchronously or later, even if it is skippable', async (_, error, message) => {
    const throws = (): never => {
      throw error;
    };
    const [atOnce] = watching({ isSkippable: true, watch: () => ({ pass: throws, release: throws }) });
    expect(() => atOnce!.pass(REPLY)).toThrow(message);
    expect(() => atOnce!.release!()).toThrow(message);
    const [later] = watching({ isSkippable: true, watch: () => ({ pass: () => Promise.reject(error) }) });
    await expect(later!.pass(REPLY)).rejects.toThrow(message);
  });
});
