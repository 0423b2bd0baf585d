/**
 * Goal: an address in a caller's credential is called without guards only at the vendor's own hosts. Method: a table of
 * addresses, look-alikes among them.
 */
import { namedAddress, VENDOR_HOSTS } from './vendor-hosts.js';

const named = (text: string, isCallers = true): unknown =>
  namedAddress(text, isCallers, VENDOR_HOSTS.azure, 'endpoint_url');

it.each([
  'https://me.openai.azure.com/openai/v1?api-version=1',
  'https://me.services.ai.azure.com/',
  'https://ME.OpenAI.Azure.com/',
  'https://login.microsoftonline.com/t/oauth2/v2.0/token',
])('calls %s as it is', (text) => {
  expect(named(text)).toBe(new URL(text).href);
});

it.each([
  'http://me.openai.azure.com/',
  'https://me.openai.azure.com:8443/',
  'https://openai.azure.com/',
  'https://me.openai.azure.com.evil.test/',
  'https://evil.test/me.openai.azure.com',
  'https://evil.test#.openai.azure.com',
  'https://meopenai.azure.com/',
  'https://x.login.microsoftonline.com/',
  'https://169.254.169.254/latest',
  'http://127.0.0.1:1/',
])('guards %s, and calls it as it is for the operator', (text) => {
  const url = new URL(text);
  url.hash = '';
  expect(named(text)).toEqual({ url: url.href, isGuarded: true });
  expect(named(text, false)).toBe(url.href);
});

it.each(['', 'me.openai.azure.com', 'file:///etc/passwd', 'https://u:canary@me.openai.azure.com/', 'ftp://x/'])(
  'refuses %j as an address, from callers and the operator',
  (text) => {
    for (const isCallers of [true, false]) {
      expect(() => named(text, isCallers)).toThrow(expect.objectContaining({ kind: 'refused-credential' }));
      expect(() => named(text, isCallers)).not.toThrow('canary');
    }
  },
);
