// Made-up services over requests: the gateway's tools give way to the names of the caller's, and a choice means the
// tool that its caller means.
import { catalogOf } from '../../../test/support/route-inputs.js';
import { modelRequest } from '../../../test/support/model-request.js';
import type { FunctionTool, RequestedServiceTool, Tool, VendorTool } from '../../core/conversation/tools.js';
import type { CallerRunTool, GatewayRunTool, ServiceTool } from '../../core/tool.js';
import { offerTools, type NativeRuns } from './offered-tools.js';

const shown = (name: string) => ({ name, description: name, inputSchema: { type: 'object' } });
const served = {
  runsAt: 'gateway',
  asFunction: shown('look'),
  price: 0n,
  usesMax: 1,
} as Partial<GatewayRunTool> as GatewayRunTool;
const handed: CallerRunTool = { runsAt: 'caller', asFunction: shown('look') };
const service = (types: readonly string[], offer: GatewayRunTool | CallerRunTool) =>
  ({ types, offer: () => offer }) as Partial<ServiceTool> as ServiceTool;
const SERVICES = new Map([
  ['openrouter:look', service(['openrouter:look'], served)],
  ['look_20250101', service(['look_20250101'], handed)],
]);

const SETUP = {
  catalog: catalogOf(),
  modelOf: () => {
    throw new Error('none');
  },
};

const own: FunctionTool = { type: 'function', name: 'look', inputSchema: {} };
const ours: RequestedServiceTool = { type: 'service', id: 'openrouter:look', parameters: {} };
const vendors: VendorTool = {
  type: 'vendor',
  name: 'look',
  opaque: { vendor: 'anthropic', value: { type: 'look_20250101', name: 'look' } },
};
const offer = (tools: readonly Tool[], choice?: string, native: 'all' | 'none' = 'none') =>
  offerTools(
    modelRequest({ tools, ...(choice !== undefined && { toolChoice: { type: 'tool', name: choice } }) }),
    SERVICES,
    SETUP,
    (all) => all.map(({ type }) => (type === 'vendor' ? native : 'none')),
  ); // oxfmt-ignore
const namesOf = (tools: readonly Tool[]) => tools.map((tool) => (tool.type === 'service' ? tool.id : tool.name));

it.each<[string, Tool[], 'all' | 'none', string[], string[]]>([
  ['alone', [ours], 'none', ['look'], ['look']],
  ['before a function of the caller', [ours, own], 'none', ['look_2', 'look'], ['look_2']],
  ['behind one', [own, ours], 'none', ['look', 'look_2'], ['look_2']],
  ['before a tool that is handed to the caller', [ours, vendors], 'none', ['look_2', 'look'], ['look_2']],
  ['before a tool that the vendor runs', [ours, vendors], 'all', ['look_2', 'look'], ['look_2']],
  ['twice', [ours, ours], 'none', ['look', 'look_2'], ['look', 'look_2']],
])('names a tool of the gateway %s', (_, tools, native, names, offered) => {
  const made = offer(tools, undefined, native);
  expect(namesOf(made.request.tools)).toEqual(names);
  expect([...made.offered.keys()]).toEqual(offered);
  expect(made.request.tools.flatMap((tool) => (tool.type === 'function' && tool.isServed ? [tool.name] : []))).toEqual(
    offered,
  );
});

it('refuses two tools of the caller with one name', () => {
  expect(() => offer([own, vendors])).toThrow('tools.1: another tool is called look');
  expect(() => offer([vendors, vendors])).toThrow('tools.1: another tool is called look');
});

it.each([
  ['its name', [ours], 'look', 'look'],
  ['its type', [own, ours], 'openrouter:look', 'look_2'],
  ['the name that the caller has given another', [own, ours], 'look', 'look'],
  ['a function of the caller', [ours, { ...own, name: 'mine' }], 'mine', 'mine'],
  ['the first of a type', [ours, ours], 'openrouter:look', 'look'],
  ['the first of a name', [ours, ours], 'look', 'look'],
])('reads a choice of %s', (_, tools, choice, expected) => {
  expect(offer(tools as Tool[], choice).request.toolChoice).toEqual({ type: 'tool', name: expected });
});

it('leaves the choice of a vendor’s tool to the fitting of the request', () => {
  expect(offer([ours, vendors], 'look', 'all').request.toolChoice).toEqual({ type: 'tool', name: 'look' });
  expect(offer([vendors, ours], 'look_20250101', 'all').request.toolChoice).toEqual({
    type: 'tool',
    name: 'look_20250101',
  });
});

it('returns the names that models know tools by', () => {
  const namesOfOffers = (tools: readonly Tool[], native: 'all' | 'none') =>
    offer(tools, undefined, native).offers.map(({ toolIndex, name }) => [toolIndex, name]);
  expect(namesOfOffers([own, ours, ours], 'none')).toEqual([
    [1, 'look_2'],
    [2, 'look_3'],
  ]);
  expect(namesOfOffers([ours, vendors], 'none')).toEqual([
    [0, 'look_2'],
    [1, 'look'],
  ]);
  expect(namesOfOffers([vendors], 'all')).toEqual([[0, undefined]]);
});

it('gives a function no name that a vendor’s tool has at another target', () => {
  const natives: NativeRuns[] = ['none', 'some', 'none'];
  const { request } = offerTools(modelRequest({ tools: [ours, ours, ours] }), SERVICES, SETUP, () => natives);
  expect(request.tools).toMatchObject([{ name: 'look_2' }, { ...ours, served: { name: 'look' } }, { name: 'look_3' }]);
});

it('refuses a vendor’s tool with the name of a tool that is handed to the caller', () => {
  const bash: RequestedServiceTool = { ...ours, id: 'openrouter:hand' };
  const services = new Map([...SERVICES, ['openrouter:hand', service(['openrouter:hand'], handed)] as const]);
  const natives: NativeRuns[] = ['none', 'all'];
  expect(() => offerTools(modelRequest({ tools: [bash, vendors] }), services, SETUP, () => natives)).toThrow(
    'tools.1: another tool is called look, as look_20250101 is',
  );
});

it('does not change a request without such tools', () => {
  const { request, offered } = offer([own]);
  expect(request.tools).toEqual([own]);
  expect(offered.size).toBe(0);
});

it('returns what runs each tool except functions, in the order of the request', () => {
  const unknown: VendorTool = { type: 'vendor', opaque: { vendor: 'anthropic', value: { type: 'run_20250101' } } };
  const runnersOf = (tools: readonly Tool[]) =>
    offer(tools).offers.map(({ type, offer: made }) => [type, made?.runsAt]);
  expect(runnersOf([unknown, own])).toEqual([['run_20250101', undefined]]);
  expect(runnersOf([unknown, ours, { ...own, name: 'mine' }, vendors])).toEqual([
    ['run_20250101', undefined],
    ['openrouter:look', 'gateway'],
    ['look_20250101', 'caller'],
  ]);
});
