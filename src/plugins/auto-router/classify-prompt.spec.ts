// The classifier is right for 80 % of the labelled prompts of test/plugins/prompts, which were written before it, and
// reads only the ends of a long prompt. It was tuned on the odd lines; the even lines were held out. Both figures and
// the confusion matrix are printed.
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

const userTurn = (text: string): Message => ({ role: 'user', content: [{ type: 'text', text }] });
const classOf = ({ text, tools }: Pick<Labelled, 'text' | 'tools'>) =>
  classifyPrompt(modelRequest({ messages: [userTurn(text)], tools: tools ? [TOOL] : [] }));

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

it('is right for 80 % of the labelled prompts, and of the held-out half', () => {
  const halves = [false, true].map((isHeldOut) => judged.filter((one) => one.isHeldOut === isHeldOut));
  const kinds = [judged, ...halves].map((list) => share(list, isRightKind));
  const difficulties = [judged, ...halves].map((list) => share(list, isRightDifficulty));
  const printed = (shares: readonly number[]): string =>
    `all ${shares[0]!.toFixed(3)}, tuned on ${shares[1]!.toFixed(3)}, held out ${shares[2]!.toFixed(3)}`;
  process.stdout.write(`kinds: ${printed(kinds)}\ndifficulties: ${printed(difficulties)}\n${confusion()}\n`);
  expect(prompts).toHaveLength(200);
  expect(kinds[0]).toBeGreaterThanOrEqual(0.8);
  expect(kinds[2]).toBeGreaterThanOrEqual(0.8);
});
