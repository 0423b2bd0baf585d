// The time in any zone, with its offset, at fixed moments.
import { extensionContext } from '../../../test/support/extension-context.js';
import { catalogOf } from '../../../test/support/route-inputs.js';
import type { JsonObject } from '../../core/json/json.js';
import type { GatewayRunTool } from '../../core/tool.js';
import { datetime } from './datetime.js';

const SETUP = { catalog: catalogOf(), modelOf: (): never => { throw new Error('needs no model'); } }; // oxfmt-ignore
const offer = (parameters: JsonObject): GatewayRunTool =>
  datetime.offer({ type: 'openrouter:datetime', parameters, path: 'tools.3' }, SETUP) as GatewayRunTool;
const at = (moment: string) => extensionContext({ clock: { now: () => Date.parse(moment), aheadMs: 0 } });

it.each([
  [{}, '2026-07-01T10:05:09Z', { datetime: '2026-07-01T10:05:09+00:00', timezone: 'UTC' }],
  [{ timezone: 'Europe/Paris' }, '2026-07-01T23:05:09Z', { datetime: '2026-07-02T01:05:09+02:00', timezone: 'Europe/Paris' }],
  [{ timezone: 'Europe/Paris' }, '2026-01-01T00:00:00Z', { datetime: '2026-01-01T01:00:00+01:00', timezone: 'Europe/Paris' }],
  [{ timezone: 'Asia/Kathmandu' }, '2026-01-01T00:00:00Z', { datetime: '2026-01-01T05:45:00+05:45', timezone: 'Asia/Kathmandu' }],
])('returns it for %j at %s', async (parameters, moment, content) => {
  const { text, ...result } = await offer(parameters).run({}, { context: at(moment), number: 1 });
  expect(result).toEqual({ content, sources: [], isError: false });
  expect(JSON.parse(text)).toEqual(content);
  expect(datetime.recall(result.content, () => undefined)).toBe(text);
}); // oxfmt-ignore

it.each(['Nowhere/Town', '', '../etc', '+01:00', 'Africa/Too\u212a'])('refuses the zone %j', (timezone) => {
  expect(() => offer({ timezone })).toThrow('tools.3.parameters.timezone: must be an IANA name');
});

it('creates one clock for a zone, in any spelling of its name', () => {
  const made = jest.spyOn(Intl, 'DateTimeFormat');
  const spellings = ['America/Lima', 'america/lima', 'AMERICA/LIMA', 'America/lima'];
  const times = spellings.map((timezone) => offer({ timezone }));
  expect(times).toHaveLength(4);
  expect(made).toHaveBeenCalledTimes(1);
});
