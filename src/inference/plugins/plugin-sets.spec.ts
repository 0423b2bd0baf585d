// Goal: of what account, workspace, request and the model's name say of a plugin one word is in force, by the written
// order (docs/wire/tools-and-plugins.md#defaults). Method: a table of who says what, over made-up plugins.
import { extensionContext } from '../../../test/support/extension-context.js';
import { modelRequest } from '../../../test/support/model-request.js';
import type { PluginEntry } from '../../core/conversation/request.js';
import type { Plugin } from '../../core/plugin.js';
import { NO_DEFAULTS, type PluginDefaults } from '../../core/plugin-defaults.js';
import type { ChoiceInputs } from '../../core/routing/route-inputs.js';
import { PluginSets } from './plugin-sets.js';

const plugin: Plugin = {
  id: 'p',
  options: { enabled: {} },
  prepare: (request, options) => ({ request: { ...request, user: JSON.stringify(options) } }),
};
const router: Plugin = {
  id: 'r',
  options: { enabled: {} },
  models: ['acme/auto'],
  choose: (_request, options) => ({ models: ['acme/one'], strategy: 'auto', summary: 'one', data: options }),
};
const sets = new PluginSets([router, plugin]);
const context = extensionContext();
const said = (id: string, fields: object = {}): PluginEntry[] => [{ id, ...fields }];
const FIXED = { prevent_overrides: true };
const OFF = { enabled: false };

/** @returns the options that it is on with; absent: it is off */
async function optionsOf(
  account: PluginEntry[],
  workspace: PluginEntry[],
  plugins: PluginEntry[],
): Promise<[set: string | undefined, options: string | undefined, summaries: unknown[]]> {
  const request = modelRequest({ plugins });
  const set = sets.of(request, { account, workspace });
  const { request: prepared, stages } = await set.prepare(request, () => context);
  const summaries = stages.map(({ summary, data }) => `${summary as string} ${JSON.stringify(data)}`);
  return [set.standings[0]?.setBy, prepared.user, summaries];
}

const PREVENTED = (by: string): string[] => [`override prevented {"by":"${by}","milliseconds":0}`];

// oxfmt-ignore
it.each<[string, PluginEntry[], PluginEntry[], PluginEntry[], string | undefined, string | undefined, string[]]>([
  ['nobody', [], [], [], undefined, undefined, []],
  ['the account', said('p', { a: 1 }), [], [], 'account', '{"a":1}', []],
  ['the workspace', [], said('p', { w: 1 }), [], 'workspace', '{"w":1}', []],
  ['the workspace before the account', said('p', { a: 1 }), said('p', { w: 1 }), [], 'workspace', '{"w":1}', []],
  ['the workspace, which turns it off', said('p'), said('p', OFF), [], 'workspace', undefined, []],
  ['the request before both', said('p', { a: 1 }), said('p', { w: 1 }), said('p', { r: 1 }), 'request', '{"r":1}', []],
  ['the request, which turns it off', said('p'), said('p'), said('p', OFF), 'request', undefined, []],
  ['the request, which turns it on', said('p', OFF), [], said('p'), 'request', '{}', []],
  ['the account for good', said('p', { a: 1, ...FIXED }), said('p', { w: 1, ...FIXED }), [], 'account', '{"a":1}', []],
  ['the account for good, before the request', said('p', { a: 1, ...FIXED }), [], said('p', { r: 1 }), 'account', '{"a":1}', PREVENTED('account')],
  ['the account for good, however it is turned off', said('p', FIXED), said('p', OFF), said('p', OFF), 'account', '{}', PREVENTED('account')],
  ['the account for good, that it is off', said('p', { ...FIXED, ...OFF }), said('p'), said('p'), 'account', undefined, PREVENTED('account')],
  ['the workspace for good', said('p', { a: 1 }), said('p', { w: 1, ...FIXED }), said('p', OFF), 'workspace', '{"w":1}', PREVENTED('workspace')],
  ['the request, whose entry fixes nothing', [], [], said('p', { r: 1, ...FIXED }), 'request', '{"r":1}', []],
  ['nobody of what is not known any more', said('gone', FIXED), said('gone'), [], undefined, undefined, []],
])('%s', async (_, account, workspace, plugins, setBy, options, summaries) => {
  expect(await optionsOf(account, workspace, plugins)).toEqual([setBy, options, summaries]);
});

describe('a router', () => {
  const choice = (name: string, account: PluginEntry[], plugins: PluginEntry[] = []) => {
    const request = modelRequest({ plugins, model: name });
    return sets.of(request, { ...NO_DEFAULTS, account }).chooser(request)?.({} as ChoiceInputs)?.data;
  };

  // oxfmt-ignore
  it.each<[string, string, PluginEntry[], PluginEntry[], object | undefined]>([
    ['has the options of its default', 'acme/auto', said('r', { a: 1 }), [], { a: 1 }],
    ['has them where the default is off', 'acme/auto', said('r', { a: 1, ...OFF }), [], { a: 1 }],
    ['is off where that is fixed', 'acme/auto', said('r', { ...OFF, ...FIXED }), [], undefined],
    ['has the options of the request', 'acme/auto', said('r', { a: 1 }), said('r', { r: 1 }), { r: 1 }],
    ['has those that are fixed', 'acme/auto', said('r', { a: 1, ...FIXED }), said('r', { r: 1 }), { a: 1 }],
    ['does not choose for a model by its name', 'acme/any', said('r', { a: 1, ...FIXED }), [], undefined],
  ])('%s', (_, name, account, plugins, data) => {
    expect(choice(name, account, plugins)).toEqual(data);
  });

  it('is bound by its default where the gateway asks it on the way, and nothing else is', () => {
    const account = [...said('p', FIXED), ...said('r', { a: 1, ...FIXED })];
    const request = modelRequest({ model: 'acme/auto' });
    const set = sets.of(request, { ...NO_DEFAULTS, account }, true);
    expect(set.chooser(request)?.({} as ChoiceInputs).data).toEqual({ a: 1 });
    expect(set.standings.map(({ plugin: { id } }) => id)).toEqual(['r']);
    expect(sets.of(modelRequest(), { ...NO_DEFAULTS, account }, true).standings).toEqual([]);
  });
});

it('makes the set of defaults once for as long as they are at hand', () => {
  const defaults = { ...NO_DEFAULTS, account: said('p') };
  const of = (given: PluginDefaults = defaults) => sets.of(modelRequest(), given);
  expect(of()).toBe(of());
  expect(of({ ...defaults })).not.toBe(of());
  expect(of(NO_DEFAULTS)).toBe(of(NO_DEFAULTS));
});

it('takes an entry that is overruled for nobody’s, and leaves the others their places', async () => {
  const plugins = [...said('p', { r: 1 }), ...said('r')];
  const set = sets.of(modelRequest({ plugins }), { ...NO_DEFAULTS, account: said('p', FIXED) });
  const { request } = await set.prepare(modelRequest({ plugins }), () => context);
  expect(request.plugins.map(({ id }) => id)).toEqual(['', 'r']);
});
