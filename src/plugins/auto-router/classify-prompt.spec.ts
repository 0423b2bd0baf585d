// Goal: the classifier of the auto-router is right for 80 % of prompts, by a set that was written before it, and reads
// no more of a long prompt than its ends. Method: the labelled prompts of test/plugins/prompts, whose odd lines it was
// tuned on and whose even lines were held out; both figures and the confusion are printed.
import { readFileSync } from 'node:fs';
import { modelRequest } from '../../../test/support/model-request.js';
import type { Message } from '../../core/conversation/content.js';
import type { Tool } from '../../core/conversation/tools.js';
import { classifyPrompt } from './classify-prompt.js';
import { PROMPT_KINDS, type Difficulty, type PromptKind } from './prompt-class.js';

interface Labelled {
  readonly kind: PromptKind;
  readonly difficulty: Difficulty;
  readonly language: string;
  readonly text: string;
  readonly tools?: true;
}

const TOOL: Tool = { type: 'function', name: 'run', inputSchema: { type: 'object' } };
const prompts = readFileSync('test/plugins/prompts/labelled-prompts.jsonl', 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as Labelled);

const said = (text: string): Message => ({ role: 'user', content: [{ type: 'text', text }] });
const classOf = ({ text, tools }: Pick<Labelled, 'text' | 'tools'>) =>
  classifyPrompt(modelRequest({ messages: [said(text)], tools: tools ? [TOOL] : [] }));

const judged = prompts.map((prompt, index) => ({ prompt, found: classOf(prompt), isHeldOut: index % 2 === 1 }));
const share = (list: typeof judged, isRight: (one: (typeof judged)[number]) => boolean): number =>
  list.filter(isRight).length / list.length;
const isRightKind = ({ prompt, found }: (typeof judged)[number]): boolean => prompt.kind === found.kind;
const isRightDifficulty = ({ prompt, found }: (typeof judged)[number]): boolean =>
  prompt.difficulty === found.difficulty;

function confusion(): string {
  const width = 12;
  const row = (name: string, cells: readonly (string | number)[]): string =>
    name.padEnd(width) + cells.map((cell) => String(cell).padStart(width)).join('');
  return [
    row('is \\ found', PROMPT_KINDS),
    ...PROMPT_KINDS.map((kind) =>
      row(
        kind,
        PROMPT_KINDS.map(
          (found) => judged.filter(({ prompt, found: one }) => prompt.kind === kind && one.kind === found).length,
        ),
      ),
    ),
  ].join('\n');
}

it('is right for 80 % of the labelled prompts, and of the half that it was not tuned on', () => {
  const halves = [false, true].map((isHeldOut) => judged.filter((one) => one.isHeldOut === isHeldOut));
  const kinds = [judged, ...halves].map((list) => share(list, isRightKind));
  const difficulties = [judged, ...halves].map((list) => share(list, isRightDifficulty));
  const told = (shares: readonly number[]): string =>
    `all ${shares[0]!.toFixed(3)}, tuned on ${shares[1]!.toFixed(3)}, held out ${shares[2]!.toFixed(3)}`;
  process.stdout.write(`kinds: ${told(kinds)}\ndifficulties: ${told(difficulties)}\n${confusion()}\n`);
  expect(prompts).toHaveLength(200);
  expect(kinds[0]).toBeGreaterThanOrEqual(0.8);
  expect(kinds[2]).toBeGreaterThanOrEqual(0.8);
});
