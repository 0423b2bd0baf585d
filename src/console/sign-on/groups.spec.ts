// The rights of groups: the account before workspaces, of several workspaces the first of the settings; claims of odd
// kinds. Tables.
import { readGroups, rightsOf } from './groups.js';

const SETTINGS = {
  oidcAdminGroups: ['admins', 'owners'],
  oidcWorkspaceGroups: [
    { group: 'a', workspace: 'one' },
    { group: 'b', workspace: 'two' },
  ],
};

it.each<[readonly string[], unknown]>([
  [[], undefined],
  [['Admins', 'A', 'admins ', 'constructor'], undefined],
  [['b', 'owners', 'a'], { group: 'owners' }],
  [['owners', 'admins'], { group: 'admins' }],
  [['b', 'a'], { group: 'a', workspace: 'one' }],
  [['b'], { group: 'b', workspace: 'two' }],
])('%j', (groups, rights) => {
  expect(rightsOf(SETTINGS, groups)).toEqual(rights);
});

it.each<[unknown, unknown]>([
  [undefined, undefined],
  [null, undefined],
  [{ admins: true }, undefined],
  [5, undefined],
  ['admins', ['admins']],
  [[], []],
  [
    ['a', 5, null, ['admins'], 'b'],
    ['a', 'b'],
  ],
])('of a claim %j', (claim, groups) => {
  expect(readGroups(claim)).toEqual(groups);
});
