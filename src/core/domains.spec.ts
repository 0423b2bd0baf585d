// A table of rules and addresses, each tested in both lists, and a property of joined rules: rules mean what vendors
// document, cannot be bypassed, and several rules as one set allow what each of them allows.
import fc from 'fast-check';
import { computedMs, fastest } from '../../test/support/cpu-time.js';
import { DOMAIN_LENGTH_MAX, domainFilter, isDomainRule, joinDomainRules, type DomainRules } from './domains.js';

const allows = (rule: string, url: string): boolean => domainFilter({ allowedDomains: [rule] })(url);
const blocks = (rule: string, url: string): boolean => !domainFilter({ blockedDomains: [rule] })(url);

it.each([
  ['example.com', 'https://example.com/'],
  ['example.com', 'http://example.com:8080/a'],
  ['example.com', 'https://docs.example.com/'],
  ['example.com', 'https://EXAMPLE.com./'],
  ['Example.COM.', 'https://example.com/'],
  ['https://example.com', 'http://example.com/'],
  ['example.com/', 'https://example.com/a'],
  ['docs.example.com', 'https://v2.docs.example.com/'],
  ['*.example.com', 'https://docs.example.com/'],
  ['*.example.com', 'https://a.b.example.com/'],
  ['example.com:8080', 'http://example.com:8080/'],
  ['example.com:443', 'https://example.com/'],
  ['example.com:080', 'http://example.com/'],
  ['example.com/blog', 'https://example.com/blog'],
  ['example.com/blog', 'https://example.com/blog/post-1'],
  ['example.com/blog/', 'https://example.com/blog?page=2'],
  ['example.com/blog', 'https://example.com//%62log/x'],
  ['example.com/blog', 'https://example.com/a/../blog'],
  ['example.com/blog', 'https://example.com/a/%2e%2e%2fblog'],
  ['example.com/blog', 'https://example.com/a/..%2fblog/x'],
  ['example.com/blog', 'https://example.com/a/..;/blog'],
  ['example.com/blog', 'https://example.com/blog;a=1'],
  ['example.com/blog', 'https://example.com/blog%00'],
  ['example.com/blog', 'https://example.com/%62log/a%ff'],
  ['example.com/blog', 'https://example.com/.%5cblog'],
  ['example.com/*', 'https://example.com/anything'],
  ['example.com/*', 'https://example.com'],
  ['example.com/*/articles', 'https://example.com/en/articles'],
  ['example.com/*/articles', 'https://example.com/en/articles/1'],
  ['bücher.example', 'https://xn--bcher-kva.example/'],
  ['xn--bcher-kva.example', 'https://BÜCHER.example/'],
  ['127.0.0.1', 'http://127.1/'],
  ['[::1]:8080', 'http://[0:0::1]:8080/'],
])('%s stands for %s', (rule, url) => {
  expect([allows(rule, url), blocks(rule, url)]).toEqual([true, true]);
});

it.each([
  ['example.com', 'https://notexample.com/'],
  ['example.com', 'https://example.com.evil.test/'],
  ['example.com', 'https://evil.test/example.com'],
  ['example.com', 'https://example.com@evil.test/'],
  ['docs.example.com', 'https://example.com/'],
  ['*.example.com', 'https://example.com/'],
  ['example.com:8080', 'http://example.com/'],
  ['example.com:80', 'https://example.com/'],
  ['example.com/blog', 'https://example.com/blogger'],
  ['example.com/blog', 'https://example.com/Blog'],
  ['example.com/*/articles', 'https://example.com/en/articles-2'],
  ['[::1]', 'http://[::2]/'],
])('%s does not stand for %s', (rule, url) => {
  expect([allows(rule, url), blocks(rule, url)]).toEqual([false, false]);
});

it.each(['', ' ', '*', '*.', 'ex*.com', '*.*.com', 'a/*/b/*', 'a b', 'u@h', 'a?b', 'a#b', 'a\\b', 'http://', ':80'])(
  'rejects the rule %j: it allows nothing and blocks everything',
  (rule) => {
    expect(isDomainRule(rule)).toBe(false);
    expect([allows(rule, 'https://a/'), blocks(rule, 'https://a/')]).toEqual([false, true]);
  },
);

it('rejects rules that are too long', () => {
  const rule = `a/${'b'.repeat(DOMAIN_LENGTH_MAX - 2)}`;
  expect([isDomainRule(rule), isDomainRule(`${rule}b`)]).toEqual([true, false]);
});

it('allows only http and https addresses', () => {
  const all = domainFilter({});
  expect(['https://a/', 'http://a/', 'ftp://a/', 'file:///a', 'a', ''].map(all)).toEqual([
    true,
    true,
    false,
    false,
    false,
    false,
  ]);
});

it('lets blocked rules override allowed ones, and allows nothing by an empty list', () => {
  const both = domainFilter({ allowedDomains: ['example.com'], blockedDomains: ['secret.example.com'] });
  expect(['https://example.com/', 'https://secret.example.com/', 'https://other.test/'].map(both)).toEqual([
    true,
    false,
    false,
  ]);
  expect(domainFilter({ allowedDomains: [] })('https://example.com/')).toBe(false);
});

describe('rules joined to one set', () => {
  const set = (allowed: readonly string[] | undefined, blocked: readonly string[] = []): DomainRules => ({
    ...(allowed && { allowedDomains: allowed }),
    blockedDomains: blocked,
  });

  // oxfmt-ignore
  it.each<[string, readonly DomainRules[], DomainRules, boolean]>([
    ['nothing', [], {}, true],
    ['the narrower of two', [set(['example.com']), set(['docs.example.com', 'other.test'])], set(['docs.example.com']), true],
    ['a path', [set(['example.com/blog']), set(['example.com'])], set(['example.com/blog']), true],
    ['subdomains alone', [set(['*.example.com']), set(['example.com', 'a.example.com'])], set(['*.example.com', 'a.example.com']), true],
    ['a port', [set(['example.com:8080']), set(['example.com'])], set(['example.com:8080']), true],
    ['nothing in common', [set(['example.com']), set(['other.test'])], set([]), true],
    ['disjoint paths', [set(['example.com/a']), set(['example.com/b', 'example.com/ab'])], set([]), true],
    ['without blocked domains', [set(['a.test', 'b.test'], ['b.test'])], set(['a.test']), true],
    ['blocked within allowed domains', [set(['a.test']), set(undefined, ['x.a.test', 'c.test'])], set(['a.test'], ['x.a.test']), true],
    ['blocked by several', [set(undefined, ['a.test']), set(undefined, ['b.test', 'a.test'])], set(undefined, ['a.test', 'b.test']), true],
    ['as it was written', [set(['https://Example.com/'])], set(['Example.com']), true],
    ['an intersection that no rule expresses', [set(['docs.example.com']), set(['example.com/blog'])], set(['docs.example.com']), false],
    ['rules without an invalid one', [set(['a.test', 'a b'])], set(['a.test']), false],
  ])('are %s', (_, all, joined, isExact) => {
    const { isExact: exact, ...rules } = joinDomainRules(all);
    expect([rules, exact]).toEqual([set(joined.allowedDomains, joined.blockedDomains), isExact]);
  });

  it('allow everything that each of them does, and nothing else where they are exact', () => {
    const host = fc.constantFrom('a.test', 'b.a.test', 'c.b.a.test', '*.a.test', '*.b.a.test', 'z.test');
    const port = fc.constantFrom('', '', '', ':80', ':8080');
    const path = fc.constantFrom('', '', '', '/', '/x', '/x/y', '/xy', '/*', '/x*', '/*/y', '/x/*/y');
    const rule = fc.tuple(host, port, path).map((parts) => parts.join(''));
    const rules = fc.record(
      { allowedDomains: fc.array(rule, { maxLength: 4 }), blockedDomains: fc.array(rule, { maxLength: 2 }) },
      { requiredKeys: [] },
    );
    const paths = fc.constantFrom('', '/', '/x', '/x/', '/x/y', '/xy', '/x/y/z', '/q/y', '/x/q/y/z');
    const address = fc
      .tuple(
        host.filter((name) => !name.includes('*')),
        port,
        paths,
      )
      .map((parts) => `http://${parts.join('')}`);
    let exact = 0;
    fc.assert(
      fc.property(
        fc.array(rules, { maxLength: 3 }),
        fc.array(address, { minLength: 5, maxLength: 20 }),
        (all, urls) => {
          const joined = joinDomainRules(all);
          if (joined.isExact) exact++;
          const filters = all.map(domainFilter);
          const filterOfJoined = domainFilter(joined);
          // Collected: an `expect` for each of twenty thousand takes longer than the tested code.
          const wrong = urls.filter((url) => {
            const passes = filters.every((filter) => filter(url));
            return filterOfJoined(url) !== passes && (joined.isExact || passes);
          });
          expect(wrong).toEqual([]);
        },
      ),
      { numRuns: 2_000 },
    );
    expect(exact).toBeGreaterThan(500);
  });
});

describe('an invalid host', () => {
  const HOST = `${'a.'.repeat(120)}example.test`;
  const LONGER = `${'a.'.repeat(122)}example.test`;

  it('is never allowed, and is not a rule', () => {
    expect([HOST.length, LONGER.length]).toEqual([252, 256]);
    const filters = [domainFilter({}), domainFilter({ allowedDomains: ['example.test'] })];
    expect(filters.map((allows) => [allows(`https://${HOST}/`), allows(`https://${LONGER}/`)])).toEqual([
      [true, false],
      [true, false],
    ]);
    expect([isDomainRule(HOST), isDomainRule(LONGER)]).toEqual([true, false]);
  });

  it('takes no longer than another one', async () => {
    const allows = domainFilter({ blockedDomains: ['one.example'] });
    const urls = Array.from({ length: 300 }, (_, index) => `https://${'a.'.repeat(4_000)}b${index}.example/x.png`);
    // 41 ms each if all parent domains of such a host were looked up.
    expect(await fastest(() => computedMs(() => urls.forEach(allows)), 300)).toBeLessThan(300);
  });
});
