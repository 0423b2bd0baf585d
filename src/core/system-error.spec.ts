// Chains of causes: the code of the system is found at any depth, and nothing else is accepted as one.
import { systemErrorOf } from './system-error.js';

const coded = (code: string, more: object = {}): Error => Object.assign(new Error('it failed'), { code, ...more });
const behind = (cause: unknown): Error => new Error('outer', { cause });

describe('systemErrorOf', () => {
  it.each(['ECONNREFUSED', 'UND_ERR_SOCKET', 'CERT_HAS_EXPIRED', 'EAI_AGAIN'])('finds %s', (code) => {
    expect(systemErrorOf(behind(coded(code)))?.code).toBe(code);
    expect(systemErrorOf(behind(behind(behind(coded(code)))))?.code).toBe(code);
  });

  it('reports the requested host and address', () => {
    const cause = coded('ENOTFOUND', { hostname: 'api.example', address: '192.0.2.1', port: 443 });
    expect(systemErrorOf(behind(cause))).toEqual({
      code: 'ENOTFOUND',
      hostname: 'api.example',
      address: '192.0.2.1:443',
    });
  });

  it.each(['', 'words of anybody', '"},"forged":{"', 'lower', 'A'.repeat(65)])('rejects %j', (code) => {
    expect(systemErrorOf(behind(coded(code)))).toBeUndefined();
  });

  it('terminates with circular causes, and without any', () => {
    const circle = new Error('round');
    circle.cause = circle;
    expect(systemErrorOf(circle)).toBeUndefined();
    expect(systemErrorOf(new Error('alone'))).toBeUndefined();
    expect(systemErrorOf(behind('a text'))).toBeUndefined();
  });
});
