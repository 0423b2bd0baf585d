// Names that no preset can have are not looked up, and so not kept: a caller may send any number of long ones. Presets
// in memory are limited by their size.
import type { Caller } from '../core/caller.js';
import { SystemClock } from '../core/time.js';
import { StandingClock } from '../../test/support/ahead-clock.js';
import { ActivePresets } from './active-presets.js';
import { messagesPresets } from '../faces/messages/messages-presets.js';
import type { DesignatedPreset } from './preset.entity.js';
import type { PresetFormat } from './preset-format.js';
import type { PresetsRepository } from './presets.repository.js';

const CALLER = { accountId: 'a', workspaceId: 'w' } as Caller;

it.each(['x'.repeat(101), 'x'.repeat(1_000_000), 'A', 'a b', '', 'a--b', 'ä'])(
  'does not look up %.20j',
  async (slug) => {
    const designated = jest.fn();
    const presets = new ActivePresets({ designated } as unknown as PresetsRepository, new SystemClock());
    await expect(presets.apply({ preset: slug }, CALLER, {} as PresetFormat)).rejects.toMatchObject({
      kind: 'not-found',
    });
    expect(designated).not.toHaveBeenCalled();
  },
);

it.each<[string, config: object, systemPrompt: string | null]>([
  ['settings', { model: 'm', user: 'x'.repeat(1024 * 1024) }, null],
  ['system prompts', { model: 'm' }, 'x'.repeat(1024 * 1024)],
])('keeps sixty presets with %s of 1 MiB, not a hundred', async (_, config, systemPrompt) => {
  const found = {
    preset: { status: 'active' },
    version: { api: 'messages', config: JSON.stringify(config), systemPrompt },
  } as DesignatedPreset;
  const designated = jest.fn<Promise<DesignatedPreset>, unknown[]>(async () => found);
  const presets = new ActivePresets({ designated } as unknown as PresetsRepository, new StandingClock());
  const use = async (at: number): Promise<void> => {
    await presets.apply({ preset: `p-${at}` }, CALLER, messagesPresets);
  };
  for (let at = 0; at < 100; at++) await use(at);
  expect(designated).toHaveBeenCalledTimes(100);
  for (let at = 99; at >= 40; at--) await use(at);
  expect(designated).toHaveBeenCalledTimes(100);
  await use(0);
  expect(designated).toHaveBeenCalledTimes(101);
});
