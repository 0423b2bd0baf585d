import { blockPath, type ContentBlock, type Message, type TextBlock } from '../../../core/conversation/content.js';
import type { Json } from '../../../core/json/json.js';
import type { EncodeContext } from '../encode-context.js';
import { claudeRulesOf } from '../../model-rules/claude-models.js';
import type { KeptTurn } from './history.js';
import { EFFORT_FIELD, effortSetBy } from './turn-effort.js';

/** Precedes instructions in a user turn. */
const INSTRUCTION_LEAD = '[System]\n';
/**
 * Moves turns of instructions to where the model takes them
 * (docs/use/translation/claude-models.md#instructions-among-the-turns). Consecutive ones become one, and none is left
 * between calls and their results. Where the model or the position does not allow the role, the instructions become
 * part of a user turn, and the effort that they set follows it.
 * @throws Untranslatable for content that only a turn of instructions may have, where the model accepts no such turn
 */
export function placeInstructions(turns: readonly KeptTurn[], context: EncodeContext): readonly KeptTurn[] {
  const rules = claudeRulesOf(context.target);
  const ordered = behindResults(turns);
  return ordered.flatMap((turn, index) => {
    // A turn that only sets the effort may have any position.
    if (turn.message.role !== 'system' || turn.blocks.length === 0) return turn;
    const isInPlace = follows(ordered[index - 1]) && (ordered[index + 1]?.message.role ?? 'assistant') === 'assistant';
    if (rules?.systemTurns === true && isInPlace) return turn;
    const foreign = turn.blocks.find((block) => !isText(block));
    if (foreign === undefined) return [asUserTurn(turn), ...effortTurn(turn)];
    // The vendor checks the content of turns of instructions that the model may accept.
    if (rules?.systemTurns !== false) return turn;
    return context.refuseIn('a system turn', pathsOf(turn)[turn.blocks.indexOf(foreign)]!, foreign);
  });
}

/** Instructions may follow a user turn, or an assistant turn that ends in one of the vendor's tools. */
const follows = (turn: KeptTurn | undefined): boolean =>
  turn?.message.role === 'user' || (turn?.message.role === 'assistant' && turn.blocks.at(-1)?.type === 'opaque');

/** The vendor requires results directly after their calls. */
function behindResults(turns: readonly KeptTurn[]): KeptTurn[] {
  const ordered: KeptTurn[] = [];
  let held: KeptTurn[] = [];
  let row: KeptTurn[] = [];
  let awaitsResults = false;
  const endRow = (): void => {
    if (row.length > 0) ordered.push(row.length === 1 ? row[0]! : joined(row));
    row = [];
  };
  const add = (turn: KeptTurn): void => {
    if (turn.message.role === 'system') {
      row.push(turn);
      return;
    }
    endRow();
    ordered.push(turn);
  };
  for (const turn of turns) {
    if (turn.message.role === 'system') {
      if (awaitsResults) held.push(turn);
      else add(turn);
      continue;
    }
    add(turn);
    awaitsResults = turn.message.role === 'assistant' && turn.blocks.some(({ type }) => type === 'tool-use');
    if (awaitsResults) continue;
    held.forEach(add);
    held = [];
  }
  held.forEach(add);
  endRow();
  return ordered;
}

/** Turns of instructions in a row as one, with the effort that the last of them sets. */
function joined(row: readonly KeptTurn[]): KeptTurn {
  const { index } = row[0]!;
  const blocks = row.flatMap((turn) => turn.blocks);
  const message: Message = { role: 'system', content: blocks, paths: row.flatMap(pathsOf) };
  const effort = row.map((turn) => effortSetBy(turn.message)).findLast((candidate) => candidate !== undefined);
  if (effort === undefined) return { message, index, blocks };
  // The content of the turn is printed from the blocks.
  return { message: { ...message, ...setting(effort), content: [...blocks] }, index, blocks };
}

/** The fields by which a turn sets an effort. */
const setting = (effort: Json): Pick<Message, 'extras' | 'origin'> => ({
  extras: { vendor: 'anthropic', value: { [EFFORT_FIELD]: effort } },
  origin: { vendor: 'anthropic', value: { role: 'system', content: [], [EFFORT_FIELD]: effort } },
});

/** The effort of a turn whose text is in a user turn. */
function effortTurn({ message, index }: KeptTurn): KeptTurn[] {
  const effort = effortSetBy(message);
  if (effort === undefined) return [];
  const content: readonly ContentBlock[] = [];
  return [{ message: { role: 'system', content, ...setting(effort) }, index, blocks: content }];
}

/** Blocks that are kept have the order of the message. */
function pathsOf({ message, index, blocks }: KeptTurn): string[] {
  let blockIndex = -1;
  return blocks.map((block) =>
    blockPath(message, index, (blockIndex = message.content.indexOf(block, blockIndex + 1))),
  );
}

function asUserTurn(turn: KeptTurn): KeptTurn {
  const blocks = turn.blocks.filter(isText).map(({ origin, text: words, ...rest }): ContentBlock => {
    const text = INSTRUCTION_LEAD + words;
    if (origin?.vendor !== 'anthropic') return { ...rest, text };
    return { ...rest, text, origin: { vendor: 'anthropic', value: { ...origin.value, text } } };
  });
  return { message: { role: 'user', content: blocks, paths: pathsOf(turn) }, index: turn.index, blocks };
}

const isText = (block: ContentBlock): block is TextBlock => block.type === 'text';
