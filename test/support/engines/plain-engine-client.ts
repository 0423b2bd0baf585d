import { request } from 'undici';
import { toAbortSignal } from '../../../src/core/cancellation.js';
import { ExtensionFault, type EngineClient } from '../../../src/core/extension.js';
import { parseJson, type Json } from '../../../src/core/json/json.js';

const KINDS: Readonly<Record<number, ExtensionFault['kind']>> = { 401: 'refused', 404: 'not-found', 429: 'busy' };

/** Calls engines with only the contents of the call. */
export const plainEngineClient: EngineClient = {
  call: async ({ engine, method, path, headers, body }, signal) => {
    const { statusCode, body: answer } = await request(`${engine.baseUrl}${path}`, {
      method,
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify(body),
      signal: toAbortSignal(signal),
    });
    const text = await answer.text();
    if (statusCode !== 200) throw new ExtensionFault(KINDS[statusCode] ?? 'unavailable', 'did not answer');
    try {
      return parseJson(text) as Json;
    } catch (error) {
      throw new ExtensionFault('unavailable', 'answered no JSON', { cause: error });
    }
  },
};
