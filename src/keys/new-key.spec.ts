// A stored key shows nothing that helps to guess it. Rows of generated keys and of keys chosen by people.
import { newApiKey } from '../core/ids.js';
import { keyLabel, newKeyRow, plainKey } from './new-key.js';

describe('keyLabel', () => {
  it('shows the first 12 and last 3 characters of a generated key', () => {
    expect(keyLabel(`sk-fl-v1-abc${'0'.repeat(58)}def`)).toBe('sk-fl-v1-abc...def');
  });

  it.each([
    ['sixteen-letters!', '...rs!'],
    ['sk-fl-v1-short-key', '...key'],
    [`sk-fl-v1-${'G'.repeat(64)}`, '...GGG'],
    [`sk-fl-v1-${'a'.repeat(65)}`, '...aaa'],
  ])('shows only the end of %s', (key, label) => {
    expect(keyLabel(key)).toBe(label);
  });
});

describe('newKeyRow', () => {
  it('holds the hash and the label, never the key', () => {
    const key = newApiKey();
    const home = { accountId: 'account', workspaceId: 'workspace', isWorkspaceBound: true };
    const row = newKeyRow(key, home, plainKey('name', 'management'), new Date(0));
    expect(row).toMatchObject({
      ...home,
      name: 'name',
      kind: 'management',
      disabled: false,
      updatedAt: null,
      deletedAt: null,
    });
    expect(row.hash).toMatch(/^[0-9a-f]{64}$/);
    expect(Object.values(row).map(String).join(' ')).not.toContain(key.slice(12));
  });
});
