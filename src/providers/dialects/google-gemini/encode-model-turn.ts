import type { ContentBlock, Message, ToolUseBlock } from '../../../core/conversation/content.js';
import type { JsonObject } from '../../../core/json/json.js';
import type { Steps } from '../../../core/steps.js';
import { encodeToolInput } from '../encode-tool-input.js';
import type { PathOf } from '../encode-context.js';
import { findDroppedCalls, foreignText } from '../foreign-blocks.js';
import type { GeminiContext } from './encode-context.js';
import { isSigned, reasoningForm, type ReasoningBlock } from '../reasoning-form.js';
import { mediaPart } from './encode-parts.js';
import { isOwn, isSealedPart, NO_SIGNATURE, pictureId, unsealPart } from './signatures.js';
import type { OwnPart, Part } from './wire.js';

/**
 * The parts of one assistant turn, each with the signature that it came with
 * (docs/use/translation/google-gemini.md#signatures). Empty when the rules drop the whole turn.
 * @throws Untranslatable for blocks that no model turn of the format can hold
 */
export function* encodeModelTurn(message: Message, pathOf: PathOf, context: GeminiContext): Steps<(Part | OwnPart)[]> {
  const turn = new ModelTurn(yield* signaturesById(message.content, pathOf, context));
  const droppedCalls = findDroppedCalls(message.content, context);
  for (const [index, block] of message.content.entries()) {
    if (context.steps.isOver()) yield;
    switch (block.type) {
      case 'text':
        if (block.text !== '') turn.addText(block.text);
        break;
      case 'thinking':
        // Without a signature, these are only words about the thoughts.
        if (isShown(block, pathOf(index), context)) turn.addThought(block.thinking, block.signature);
        else turn.divideTexts();
        break;
      case 'redacted-thinking': {
        // A signature with an id belongs to a call or an image, and is added there.
        if (!isShown(block, pathOf(index), context) || block.mark?.id !== undefined) {
          turn.divideTexts();
          break;
        }
        if (!isSealedPart(block.data)) {
          turn.addSignature(block.data);
          break;
        }
        const part = unsealPart(block.data);
        if (part !== undefined) turn.add(part);
        break;
      }
      case 'tool-use':
        turn.addCall(block, yield* encodeToolInput(block.input), context);
        break;
      case 'image':
        turn.addImage(mediaPart(block.source, pathOf(index), context));
        break;
      case 'video':
        turn.add(mediaPart(block.source, pathOf(index), context));
        break;
      case 'opaque':
        if (!droppedCalls.has(block.opaque.value['id'])) turn.addWords(foreignText(block, pathOf(index), context));
        break;
      default:
        context.refuseIn('an assistant turn', pathOf(index), block);
    }
  }
  return turn.finish();
}

/** The parts of one turn under construction. */
class ModelTurn {
  readonly parts: (Part | OwnPart)[] = [];
  private hasCall = false;
  private pictures = 0;
  /** The preceding text, while no other part has come and it has no signature. */
  private text: { text: string; thoughtSignature?: string } | undefined;
  /** The preceding text was followed by something that is not sent. */
  private isDivided = false;
  /** Signatures of a text that is still to come: the chat format puts all reasoning before the text. */
  private waiting: string[] = [];

  constructor(private readonly signatures: ReadonlyMap<string, string>) {}

  /** Adjacent texts are one text that citations divided; a signature is valid for its whole text only. */
  addText(text: string): void {
    if (this.text !== undefined && this.text.thoughtSignature === undefined && !this.isDivided) {
      this.text.text += text;
    } else {
      const part: { text: string; thoughtSignature?: string } = { text };
      const signature = this.waiting.shift();
      this.parts.push(part);
      if (signature !== undefined) part.thoughtSignature = signature;
      this.text = part;
      this.isDivided = false;
      this.flush();
    }
  }

  divideTexts(): void {
    this.isDivided = true;
  }

  /** Adds text for a block that the format has no part for; it is never joined with adjacent texts. */
  addWords(text: string): void {
    if (text !== '') this.add({ text });
  }

  addThought(text: string, thoughtSignature: string | undefined): void {
    this.add({ text, thought: true, ...(thoughtSignature !== undefined && { thoughtSignature }) });
  }

  /** A text's own signature follows it. Any further one belongs to an empty text, as in streams. */
  addSignature(signature: string): void {
    if (this.text === undefined) this.waiting.push(signature);
    else if (this.text.thoughtSignature === undefined) this.text.thoughtSignature = signature;
    else this.parts.push({ text: '', thoughtSignature: signature });
  }

  addCall(block: ToolUseBlock, args: JsonObject, context: GeminiContext): void {
    const { id, name } = block;
    const isFirst = !this.hasCall;
    this.hasCall = true;
    const { signsCalls } = context.generation;
    const signature = this.signatures.get(id) ?? (isFirst && signsCalls ? NO_SIGNATURE : undefined);
    this.add({
      functionCall: {
        ...(signsCalls && { id: context.callId(block) }),
        name: context.names.toWire(name),
        args,
      },
      ...(signature !== undefined && { thoughtSignature: signature }),
    });
  }

  addImage(part: Part): void {
    const signature = this.signatures.get(pictureId(++this.pictures));
    this.add({ ...part, ...(signature !== undefined && { thoughtSignature: signature }) });
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

/** Signatures by the call or image that they belong to, wherever in the turn they are. */
function* signaturesById(
  content: readonly ContentBlock[],
  pathOf: PathOf,
  context: GeminiContext,
): Steps<ReadonlyMap<string, string>> {
  const signatures = new Map<string, string>();
  for (const [index, block] of content.entries()) {
    if (context.steps.isOver()) yield;
    if (block.type !== 'redacted-thinking' || block.mark?.id === undefined) continue;
    if (isShown(block, pathOf(index), context)) signatures.set(block.mark.id, block.data);
  }
  return signatures;
}

const isShown = (block: ReasoningBlock, path: string, context: GeminiContext): boolean =>
  context.admits(reasoningForm(block, isSigned(block) && isOwn(block, context.target)), path);
