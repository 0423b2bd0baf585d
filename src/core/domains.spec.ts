// Goal: rules about domains mean what vendors publish, and cannot be written around. Method: a table of rules and
// addresses, each held to both lists.
import { DOMAIN_LENGTH_MAX, domainFilter, isDomainRule } from './domains.js';

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
  'takes %j for no rule: it allows nothing and blocks everything',
  (rule) => {
    expect(isDomainRule(rule)).toBe(false);
    expect([allows(rule, 'https://a/'), blocks(rule, 'https://a/')]).toEqual([false, true]);
  },
);

it('takes no rule that is longer than it may be', () => {
  const rule = `a/${'b'.repeat(DOMAIN_LENGTH_MAX - 2)}`;
  expect([isDomainRule(rule), isDomainRule(`${rule}b`)]).toEqual([true, false]);
});

it('lets nothing but http and https addresses through', () => {
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

it('lets what is blocked win, and nothing through a list of none', () => {
  const both = domainFilter({ allowedDomains: ['example.com'], blockedDomains: ['secret.example.com'] });
  expect(['https://example.com/', 'https://secret.example.com/', 'https://other.test/'].map(both)).toEqual([
    true,
    false,
    false,
  ]);
  expect(domainFilter({ allowedDomains: [] })('https://example.com/')).toBe(false);
});
