import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ModerationCategory } from '../../../src/plugins/moderation/harm/categories.js';

/** One text of the labelled set. */
export interface LabelledText {
  /** Rules were developed with `tune`, never with `held`; `wild` was written after them, against them. */
  readonly split: 'tune' | 'held' | 'wild';
  /** Empty: it only sounds harmful. */
  readonly labels: readonly ModerationCategory[];
  readonly language: string;
  readonly text: string;
}

/**
 * The set in the form of its file, one text per line: split, label or `-`, language, text with `\uXXXX` for invisible
 * characters.
 */
export const labelledTexts = (): readonly LabelledText[] =>
  readFileSync(join(__dirname, 'labelled-texts.tsv'), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => {
      const [split, labels, language, text] = line.split('\t') as [LabelledText['split'], string, string, string];
      const plain = text.replaceAll(/\\u([\da-f]{4})/g, (_, code: string) => String.fromCharCode(parseInt(code, 16)));
      return {
        split,
        labels: labels === '-' ? [] : (labels.split(',') as ModerationCategory[]),
        language,
        text: plain,
      };
    });
