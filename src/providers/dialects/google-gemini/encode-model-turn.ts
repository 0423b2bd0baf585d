import type { ContentBlock, Message, ToolUseBlock } from '../../../core/conversation/content.js';
import type { Json } from '../../../core/json/json.js';
import { encodeToolInput } from '../encode-tool-input.js';
import { findDroppedCalls, ruleForForeign } from '../foreign-blocks.js';
import type { EncodeContext } from './encode-context.js';
import { mediaPart } from './encode-parts.js';
import { isOwn, isSealedPart, NO_SIGNATURE, unsealPart } from './signatures.js';
import type { OwnPart, Part } from './wire.js';

/** A block of a turn as errors name it. */
export type PathOf = (place: number) => string;

/**
 * The parts of one assistant turn, each with the signature that it came with
 * (docs/translation/google-gemini.md#signatures). None where the written rules keep nothing.
 * @throws Untranslatable for blocks that no model turn of the format holds
 */
export function encodeModelTurn(message: Message, pathOf: PathOf, context: EncodeContext): (Part | OwnPart)[] {
  const turn = new ModelTurn(signaturesOfCalls(message.content, context));
  const droppedCalls = findDroppedCalls(message.content);
  for (const [index, block] of message.content.entries()) {
    switch (block.type) {
      case 'text':
        if (block.text !== '') turn.addText(block.text);
        break;
      case 'thinking':
        // Without a signature they are words about the thoughts, which the model does not read again.
        if (block.signature && isOwn(block, context.target)) turn.addThought(block.thinking, block.signature);
        break;
      case 'redacted-thinking': {
        // One with an id is a call's, which it is put on there.
        if (!isOwn(block, context.target) || block.mark?.id !== undefined) break;
        if (!isSealedPart(block.data)) {
          turn.addSignature(block.data);
          break;
        }
        const part = unsealPart(block.data);
        if (part !== undefined) turn.add(part);
        break;
      }
      case 'tool-use':
        turn.addCall(block, context);
        break;
      case 'image':
      case 'video':
        turn.add(mediaPart(block.source, pathOf(index), context));
        break;
      case 'opaque':
        for (const part of foreignParts(block, pathOf(index), droppedCalls, context)) turn.add(part);
        break;
      default:
        context.refuse(pathOf(index), `a ${block.type} block in an assistant turn`);
    }
  }
  return turn.finish();
}

/** The parts of one turn as they are put together. */
class ModelTurn {
  readonly parts: (Part | OwnPart)[] = [];
  private hasCall = false;
  /** The text in front, for as long as nothing else came and it has no signature. */
  private text: { text: string; thoughtSignature?: string } | undefined;
  /** Of a text that is still to come: the chat format tells all reasoning in front of the words. */
  private waiting: string[] = [];

  constructor(private readonly signatures: ReadonlyMap<string, string>) {}

  /** Adjacent texts are one that citations cut. */
  addText(text: string): void {
    if (this.text !== undefined && this.text.thoughtSignature === undefined) {
      this.text.text += text;
    } else {
      const part: { text: string; thoughtSignature?: string } = { text };
      const signature = this.waiting.shift();
      this.parts.push(part);
      if (signature !== undefined) part.thoughtSignature = signature;
      this.text = part;
      this.flush();
    }
  }

  addThought(text: string, thoughtSignature: string): void {
    this.add({ text, thought: true, thoughtSignature });
  }

  /** A text's own stands behind it; a further one is that of an empty text, as streams tell it. */
  addSignature(signature: string): void {
    if (this.text === undefined) this.waiting.push(signature);
    else if (this.text.thoughtSignature === undefined) this.text.thoughtSignature = signature;
    else this.parts.push({ text: '', thoughtSignature: signature });
  }

  addCall({ id, name, input }: ToolUseBlock, context: EncodeContext): void {
    const isFirst = !this.hasCall;
    this.hasCall = true;
    const { signsCalls } = context.generation;
    const signature = this.signatures.get(id) ?? (isFirst && signsCalls ? NO_SIGNATURE : undefined);
    this.add({
      functionCall: {
        ...(signsCalls && { id }),
        name: context.names.toWire(name),
        args: encodeToolInput(input),
      },
      ...(signature !== undefined && { thoughtSignature: signature }),
    });
  }

  add(part: Part | OwnPart): void {
    this.flush();
    this.parts.push(part);
    this.text = undefined;
  }

  finish(): (Part | OwnPart)[] {
    this.flush();
    return this.parts;
  }

  private flush(): void {
    for (const thoughtSignature of this.waiting.splice(0)) this.parts.push({ text: '', thoughtSignature });
  }
}

/** By the call's id, wherever in the turn they stand. */
function signaturesOfCalls(content: readonly ContentBlock[], context: EncodeContext): ReadonlyMap<string, string> {
  const signatures = new Map<string, string>();
  for (const block of content) {
    if (block.type !== 'redacted-thinking' || !isOwn(block, context.target)) continue;
    if (block.mark?.id !== undefined) signatures.set(block.mark.id, block.data);
  }
  return signatures;
}

function foreignParts(
  block: ContentBlock & { type: 'opaque' },
  path: string,
  droppedCalls: ReadonlySet<Json | undefined>,
  context: EncodeContext,
): Part[] {
  if (droppedCalls.has(block.opaque.value['id'])) return [];
  const rule = ruleForForeign(block.opaque);
  if (rule.type === 'text') return [{ text: rule.text }];
  if (rule.type === 'drop') return [];
  return context.refuse(path, `a block of type ${rule.blockType}`);
}
