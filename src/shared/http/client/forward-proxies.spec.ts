// A call uses the proxy of its scheme, unless its host is this machine or listed in NO_PROXY. The variables as in a
// process, and one address after another.
import { readEnvironment } from '../../read-environment.js';
import { ForwardProxies } from './forward-proxies.js';

const PROXIES = { HTTP_PROXY: 'http://plain.proxy:3128', HTTPS_PROXY: 'https://us%40er:p%3Aw@[2001:db8::1]' };
const reading = (variables: NodeJS.ProcessEnv) =>
  new ForwardProxies(readEnvironment({ ...PROXIES, ...variables }, process.cwd()).environment);

it('uses the proxy of the scheme', () => {
  const proxies = reading({});
  expect(proxies.of(new URL('http://a.test'))).toEqual({ isSecure: false, host: 'plain.proxy', port: 3128 });
  expect(proxies.of(new URL('https://a.test'))).toEqual({
    isSecure: true,
    host: '2001:db8::1',
    port: 443,
    authorization: `Basic ${Buffer.from('us@er:p:w').toString('base64')}`,
  });
  expect(reading({ HTTPS_PROXY: '' }).of(new URL('https://a.test'))).toBeUndefined();
});

it.each(['http://localhost:1', 'https://a.localhost', 'http://127.8.9.1', 'http://[::1]:80', 'https://[::ffff:127.0.0.1]'])(
  'calls this machine directly: %s',
  (url) => expect(reading({}).of(new URL(url))).toBeUndefined(),
); // oxfmt-ignore

it.each([
  ['a.test', 'https://a.test', true],
  ['A.Test', 'https://a.test', true],
  ['a.test', 'https://b.a.test', true],
  ['.a.test', 'https://b.a.test', true],
  ['*.a.test', 'https://b.a.test', true],
  ['a.test', 'https://ba.test', false],
  ['a.test:8443', 'https://a.test:8443', true],
  ['a.test:443', 'https://a.test', true],
  ['a.test:8443', 'https://a.test', false],
  ['x.test, a.test', 'https://a.test', true],
  ['*', 'https://a.test', true],
  ['10.0.0.0/8', 'https://10.1.2.3', true],
  ['10.0.0.0/8', 'https://11.1.2.3', false],
  ['10.0.0.0/8', 'https://[2001:db8::2]', false],
  ['2001:db8::/32', 'https://[2001:db8::2]', true],
  ['[2001:db8::2]:443', 'https://[2001:db8::2]', true],
  ['10.1.2.3', 'https://10.1.2.3', true],
  ['1.2.3', 'https://10.1.2.3', false],
  ['<local>, 10.0.0.0/99, .', 'https://a.test', false],
  ['a.test.', 'https://a.test', true],
  ['a.test', 'https://a.test.', true],
  ['a.test', 'https://b.a.test.', true],
  ['FD00:0:0::5', 'https://[fd00::5]', true],
  ['::ffff:10.1.2.3', 'https://10.1.2.3', true],
  ['a_b.test', 'https://a_b.test', true],
  ['münchen.test', 'https://münchen.test', true],
  ['fe80::1%br-lan', 'https://[fe80::1]', true],
  ['::ffff:10.0.0.0/104', 'https://10.1.2.3', true],
])('reads NO_PROXY %s at %s', (noProxy, url, isDirect) => {
  expect(reading({ NO_PROXY: noProxy }).of(new URL(url)) === undefined).toBe(isDirect);
});

it.each(['socks5://a.test:1080', 'a.test:3128', 'http://a.test/path', 'http://'])('refuses %s and does not repeat it', (given) => {
  expect(() => reading({ HTTPS_PROXY: given })).toThrow(
    /^(?!.*a\.test).*HTTPS_PROXY must be the address of an HTTP proxy/s,
  );
}); // oxfmt-ignore
