// Tables of rules and addresses: an address must pass the rules of the account and those of the key, and be
// unambiguous.
import { Egress, type EgressRules } from './egress.js';

const rules = (allowed: readonly string[] | null, blocked: readonly string[] | null = null): EgressRules => ({
  allowed_domains: allowed,
  blocked_domains: blocked,
});

it.each([[], [null, null], [rules(null), null], [null, rules(null, [])]])(
  'is undefined without any rule: %j',
  (...sets) => {
    expect(Egress.of(...sets)).toBeUndefined();
  },
);

it.each<[string, boolean, EgressRules | null, EgressRules | null]>([
  ['https://a.test/', true, rules(['a.test']), null],
  ['https://a.test/', true, null, rules(['a.test'])],
  ['https://b.test/', false, rules(['a.test']), null],
  ['https://b.test/', false, rules(['a.test']), rules(['b.test'])],
  ['https://x.a.test/', true, rules(['a.test']), rules(['x.a.test'])],
  ['https://a.test/', false, rules(['a.test']), rules(['x.a.test'])],
  ['https://a.test/', false, rules(['a.test']), rules(null, ['a.test'])],
  ['https://a.test/', false, rules([]), null],
  ['https://a.test/', false, rules([]), rules(['a.test'])],
])('%s passes: %s', (url, passes, account, key) => {
  expect(Egress.of(account, key)!.allows(url)).toBe(passes);
});

it.each([
  ['https://a.test', true],
  ['https://A.test/x', true],
  ['https://a.test?x', true],
  ['https://a.test#x', true],
  ['https://a.test:8443/x', true],
  ['https://a.test\\@evil.test/', false],
  ['https:\\\\a.test/', false],
  ['https:a.test', false],
  ['https:///a.test/', false],
  ['https://a\t.test/', false],
  [' https://a.test/', false],
  ['https://a.test/\n', true],
  ['https://evil.test@a.test/', false],
  ['https://evil.test:x@a.test/', false],
  ['https://ａ.test/', false],
  ['https://%61.test/', false],
  ['ftp://a.test/', false],
  ['data:image/png;base64,AAAA', false],
  ['a.test', false],
  ['', false],
])('allows only unambiguous addresses: %j', (url, passes) => {
  expect(Egress.of(rules(['a.test']))!.allows(url)).toBe(passes);
});

it('joins its rules with requested ones', () => {
  const egress = Egress.of(rules(['a.test']), rules(null, ['x.a.test']))!;
  expect(egress.joinedWith({ allowedDomains: ['b.a.test', 'c.test'] })).toEqual({
    allowedDomains: ['b.a.test'],
    blockedDomains: [],
    isExact: true,
  });
});
