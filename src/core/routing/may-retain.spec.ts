// Goal: whoever wants no data retained is heard, whichever policy says so. Method: a table of policies.
import { mayRetain, type RoutingPolicy } from './route-inputs.js';

it.each<[string, boolean, RoutingPolicy[]]>([
  ['nobody says anything', true, []],
  ['policies speak of something else', true, [{ only: ['acme'] }, { denyDataCollection: true }]],
  ['one says that it may be', true, [{ zeroDataRetention: false }]],
  ['one wants none', false, [{}, { zeroDataRetention: true }]],
  ['one wants none of some authors', false, [{ zeroDataRetention: ['anthropic'] }]],
])('%s: %s', (_, retains, policies) => {
  expect(mayRetain(policies)).toBe(retains);
});
