// Whatever a header contains, only its hash comes out; the right header wins; non-ASCII keys match their stored form.
// Tables of headers as Node passes them, including hostile ones
// (docs/contribute/threat-model.md#strangers).
import { hashKey } from '../core/ids.js';
import { stopwatch } from '../../test/support/cpu-time.js';
import { readPresentedKey } from './authentication.guard.js';

const KEY = 'sk-fl-v1-0123456789';
const asNodeReads = (text: string): string => Buffer.from(text, 'utf8').toString('latin1');

describe('readPresentedKey', () => {
  it.each([
    ['Bearer', { authorization: `Bearer ${KEY}` }],
    ['bearer in lower case', { authorization: `bearer ${KEY}` }],
    ['BEARER with more spaces', { authorization: `BEARER   ${KEY} ` }],
    ['x-api-key', { 'x-api-key': KEY }],
    ['x-api-key over a Bearer', { 'x-api-key': KEY, authorization: 'Bearer another' }],
    ['a Bearer beside an empty x-api-key', { 'x-api-key': '', authorization: `Bearer ${KEY}` }],
  ])('reads %s', (_, headers) => {
    expect(readPresentedKey(headers)).toBe(hashKey(KEY));
  });

  it.each([
    ['no header', {}],
    ['an empty Authorization', { authorization: '' }],
    ['a scheme alone', { authorization: 'Bearer' }],
    ['a scheme and spaces', { authorization: 'Bearer    ' }],
    ['another scheme', { authorization: `Basic ${KEY}` }],
    ['the key alone', { authorization: KEY }],
    ['an empty x-api-key', { 'x-api-key': '' }],
  ])('finds no key in %s', (_, headers) => {
    expect(readPresentedKey(headers)).toBeUndefined();
  });

  it('gives a non-ASCII key the hash it is stored by', () => {
    const key = 'ключ-от-всех-дверей-🔑';
    expect(readPresentedKey({ authorization: `Bearer ${asNodeReads(key)}` })).toBe(hashKey(key));
  });

  it.each([
    ["' OR '1'='1"],
    ["'; select pg_sleep(5)--"],
    ['nul \0 nul'],
    [asNodeReads('😀'.repeat(100))],
    ['\xff\xfe\xc0\x80'],
    ['Bearer Bearer Bearer'],
    ['../../etc/passwd'],
    ['x'.repeat(1_048_576)],
    [' '.repeat(1_048_576) + 'x'],
  ])('makes nothing but a hash of hostile text %#', (text) => {
    const computedMs = stopwatch();
    expect(readPresentedKey({ authorization: `Bearer ${text}` })).toMatch(/^[0-9a-f]{64}$/);
    expect(readPresentedKey({ 'x-api-key': text })).toMatch(/^[0-9a-f]{64}$/);
    expect(computedMs()).toBeLessThan(500);
  });
});
