// Any policy can forbid that data are retained. A table of policies.
import { mayRetain, type RoutingPolicy } from './route-inputs.js';

it.each<[string, boolean, RoutingPolicy[]]>([
  ['no policy has a rule', true, []],
  ['policies speak of something else', true, [{ only: ['acme'] }, { denyDataCollection: true }]],
  ['one allows it', true, [{ zeroDataRetention: false }]],
  ['one wants none', false, [{}, { zeroDataRetention: true }]],
  ['one wants none of some authors', false, [{ zeroDataRetention: ['anthropic'] }]],
])('%s: %s', (_, retains, policies) => {
  expect(mayRetain(policies)).toBe(retains);
});
