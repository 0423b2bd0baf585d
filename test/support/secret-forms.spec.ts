// The search for secrets finds them, so that an empty result is meaningful. Any secret within any text, in each form.
import fc from 'fast-check';
import { findSecrets } from './secret-forms.js';

it('finds a secret in every form, in any surroundings, and no other', () => {
  const secret = fc.uint8Array({ minLength: 12, maxLength: 40 }).map((bytes) => Buffer.from(bytes));
  fc.assert(
    fc.property(secret, fc.uint8Array(), fc.uint8Array(), (bytes, before, after) => {
      const all = Buffer.concat([before, bytes, after]);
      for (const form of ['base64', 'base64url', 'hex'] as const) {
        expect(findSecrets({ it: bytes }, { text: `"${all.toString(form)}"` })).toEqual(['it in text']);
      }
      expect(findSecrets({ it: bytes }, { text: all.toString('hex').toUpperCase(), none: '' })).toEqual(['it in text']);
      expect(findSecrets({ it: bytes.toString('hex') }, { text: `x${bytes.toString('hex')}` })).toHaveLength(1);
      expect(findSecrets({ it: Buffer.alloc(12, 'other') }, { text: 'another' })).toEqual([]);
    }),
  );
});
