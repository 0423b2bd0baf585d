import type { Json } from '../../core/json/json.js';
import type { StageNote } from '../../core/plugin.js';
import type { Flag, ModerationInput, ModerationEngine } from './engine.js';

/** The provider name of a refusal by the gateway. */
const GATEWAY = 'Fairlead';
const SHOWN_MAX = 100;
const GAP = '…';

/** `error.metadata` of a hit (docs/use/errors.md#moderation). */
export const metadataOf = (flags: readonly Flag[], model: string): { readonly [key: string]: Json } => ({
  reasons: flags.map(({ category }) => category),
  flagged_input: cutMiddle(flags.map(({ words }) => words).find((words) => words !== '') ?? ''),
  provider_name: GATEWAY,
  model_slug: model,
});

export const listed = (flags: readonly Flag[]): string => flags.map(({ category }) => category).join(', ');

/** The pipeline entry of a verdict. It holds nothing of the text. */
export const noteOf = (
  { name }: ModerationEngine,
  of: ModerationInput['of'],
  flags: readonly Flag[],
  figures: { readonly [key: string]: number },
): StageNote => ({
  summary: flags.length === 0 ? 'passed' : `Blocked: ${listed(flags)}`,
  data: {
    judged: of,
    action: flags.length === 0 ? 'pass' : 'block',
    detected: flags.length > 0,
    engines: [name],
    patterns: flags.map(({ category }) => category),
    ...figures,
  },
});

/** Shortens a text to one line of at most 100 characters. */
function cutMiddle(text: string): string {
  // A hundred characters, however many units they have, fit into these ends.
  const ends = text.length > 8 * SHOWN_MAX ? text.slice(0, 2 * SHOWN_MAX) + text.slice(-4 * SHOWN_MAX) : text;
  const characters = [...ends];
  if (characters.length <= SHOWN_MAX && ends === text) return text;
  const half = Math.floor((SHOWN_MAX - GAP.length) / 2);
  return characters.slice(0, half).join('') + GAP + characters.slice(-half).join('');
}
