// Table tests of which plugin entry is in force, from account, workspace, request and model name, in the documented
// order (docs/use/tools-and-plugins.md#defaults).
import { extensionContext } from '../../../test/support/extension-context.js';
import { modelRequest } from '../../../test/support/model-request.js';
import type { PluginEntry } from '../../core/conversation/request.js';
import type { Plugin } from '../../core/plugin.js';
import { NO_DEFAULTS, type PluginDefaults } from '../../core/plugin-defaults.js';
import type { ChoiceInputs } from '../../core/routing/route-inputs.js';
import { PluginSelector } from './plugin-selector.js';

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
const sets = new PluginSelector([router, plugin]);
const context = extensionContext();
const entryOf = (id: string, fields: object = {}): PluginEntry[] => [{ id, ...fields }];
const FIXED = { prevent_overrides: true };
const OFF = { enabled: false };

/** @returns the source, the options that it is on with, absent where it is off, and the stages */
async function optionsOf(
  account: PluginEntry[],
  workspace: PluginEntry[],
  plugins: PluginEntry[],
): Promise<[set: string | undefined, options: string | undefined, summaries: unknown[]]> {
  const request = modelRequest({ plugins });
  const set = sets.of(request, { account, workspace });
  const { request: prepared, stages } = await set.prepare(request, () => context);
  const summaries = stages.map(({ summary, data }) => `${summary as string} ${JSON.stringify(data)}`);
  return [set.states[0]?.setBy, prepared.user, summaries];
}

const PREVENTED = (by: string): string[] => [`override prevented {"by":"${by}","milliseconds":0}`];

// oxfmt-ignore
it.each<[string, PluginEntry[], PluginEntry[], PluginEntry[], string | undefined, string | undefined, string[]]>([
  ['no entry', [], [], [], undefined, undefined, []],
  ['the account', entryOf('p', { a: 1 }), [], [], 'account', '{"a":1}', []],
  ['the workspace', [], entryOf('p', { w: 1 }), [], 'workspace', '{"w":1}', []],
  ['the workspace before the account', entryOf('p', { a: 1 }), entryOf('p', { w: 1 }), [], 'workspace', '{"w":1}', []],
  ['the workspace, which disables it', entryOf('p'), entryOf('p', OFF), [], 'workspace', undefined, []],
  ['the request before both', entryOf('p', { a: 1 }), entryOf('p', { w: 1 }), entryOf('p', { r: 1 }), 'request', '{"r":1}', []],
  ['the request, which disables it', entryOf('p'), entryOf('p'), entryOf('p', OFF), 'request', undefined, []],
  ['the request, which enables it', entryOf('p', OFF), [], entryOf('p'), 'request', '{}', []],
  ['the fixed account entry', entryOf('p', { a: 1, ...FIXED }), entryOf('p', { w: 1, ...FIXED }), [], 'account', '{"a":1}', []],
  ['the fixed account entry, before the request', entryOf('p', { a: 1, ...FIXED }), [], entryOf('p', { r: 1 }), 'account', '{"a":1}', PREVENTED('account')],
  ['the fixed account entry, even if others disable it', entryOf('p', FIXED), entryOf('p', OFF), entryOf('p', OFF), 'account', '{}', PREVENTED('account')],
  ['the fixed account entry that disables it', entryOf('p', { ...FIXED, ...OFF }), entryOf('p'), entryOf('p'), 'account', undefined, PREVENTED('account')],
  ['the fixed workspace entry', entryOf('p', { a: 1 }), entryOf('p', { w: 1, ...FIXED }), entryOf('p', OFF), 'workspace', '{"w":1}', PREVENTED('workspace')],
  ['the request, whose entry cannot be fixed', [], [], entryOf('p', { r: 1, ...FIXED }), 'request', '{"r":1}', []],
  ['no entry of an unknown plugin', entryOf('gone', FIXED), entryOf('gone'), [], undefined, undefined, []],
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
    ['has the options of its default', 'acme/auto', entryOf('r', { a: 1 }), [], { a: 1 }],
    ['has them where the default is off', 'acme/auto', entryOf('r', { a: 1, ...OFF }), [], { a: 1 }],
    ['is off where that is fixed', 'acme/auto', entryOf('r', { ...OFF, ...FIXED }), [], undefined],
    ['has the options of the request', 'acme/auto', entryOf('r', { a: 1 }), entryOf('r', { r: 1 }), { r: 1 }],
    ['has those that are fixed', 'acme/auto', entryOf('r', { a: 1, ...FIXED }), entryOf('r', { r: 1 }), { a: 1 }],
    ['does not choose for a model by its name', 'acme/any', entryOf('r', { a: 1, ...FIXED }), [], undefined],
  ])('%s', (_, name, account, plugins, data) => {
    expect(choice(name, account, plugins)).toEqual(data);
  });

  it('is configured by its default in a request of the gateway’s own, and no other plugin is', () => {
    const account = [...entryOf('p', FIXED), ...entryOf('r', { a: 1, ...FIXED })];
    const request = modelRequest({ model: 'acme/auto' });
    const set = sets.of(request, { ...NO_DEFAULTS, account }, true);
    expect(set.chooser(request)?.({} as ChoiceInputs).data).toEqual({ a: 1 });
    expect(set.states.map(({ plugin: { id } }) => id)).toEqual(['r']);
    expect(sets.of(modelRequest(), { ...NO_DEFAULTS, account }, true).states).toEqual([]);
  });
});

it('makes the set of defaults once for each defaults object', () => {
  const defaults = { ...NO_DEFAULTS, account: entryOf('p') };
  const of = (given: PluginDefaults = defaults) => sets.of(modelRequest(), given);
  expect(of()).toBe(of());
  expect(of({ ...defaults })).not.toBe(of());
  expect(of(NO_DEFAULTS)).toBe(of(NO_DEFAULTS));
});

it('removes the id of an overruled entry, and keeps the positions of the others', async () => {
  const plugins = [...entryOf('p', { r: 1 }), ...entryOf('r')];
  const set = sets.of(modelRequest({ plugins }), { ...NO_DEFAULTS, account: entryOf('p', FIXED) });
  const { request } = await set.prepare(modelRequest({ plugins }), () => context);
  expect(request.plugins.map(({ id }) => id)).toEqual(['', 'r']);
});
