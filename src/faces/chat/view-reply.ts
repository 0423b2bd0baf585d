import { append } from '../../core/append.js';
import type { Reply } from '../../core/conversation/reply.js';
import { StepCounter, type Steps } from '../../core/steps.js';
import { generationSeconds } from '../../core/ids.js';
import type { Json, JsonObject } from '../../core/json/json.js';
import { viewParsedFile } from '../../core/conversation/parsed-file.js';
import type { GenerationView } from '../common/face.js';
import type { ChatReplyBody } from './schemas/reply.js';
import type { SealUse } from '../common/seal-tool-results.js';
import { ContentText } from './content-text.js';
import {
  isRefusal,
  isSealOfText,
  joinLogprobs,
  logprobsOf,
  NO_ARGUMENTS,
  reasoningSealed,
  reasoningText,
  sealedText,
  sealedTools,
  type SealedText,
  viewAnnotations,
  viewImage,
  viewPhase,
} from './view-block.js';
import { viewFinish } from './view-finish.js';
import { viewServiceTier } from '../common/view-cost.js';
import { viewUsage } from './view-usage.js';

/** The body of a whole reply (docs/use/chat.md#reply). */
export function* viewReply(reply: Reply, generation: GenerationView, hidesReasoning: boolean): Steps<ChatReplyBody> {
  const message = yield* viewMessage(reply, generation, hidesReasoning);
  return {
    id: generation.id,
    object: 'chat.completion',
    created: generationSeconds(generation.id),
    model: generation.model,
    provider: generation.provider,
    system_fingerprint: null,
    choices: [
      {
        index: 0,
        logprobs: viewLogprobs(reply),
        ...viewFinish(reply.stop),
        message,
      },
    ],
    usage: viewUsage(generation.charged ?? reply.usage, generation),
    ...viewServiceTier(reply.usage, generation),
    ...generation.extras,
  };
}

function viewLogprobs({ blocks }: Reply): JsonObject | null {
  const pieces: JsonObject[] = [];
  for (const { opaqueDeltas } of blocks) {
    for (const delta of opaqueDeltas) {
      const piece = logprobsOf(delta);
      if (piece) pieces.push(piece);
    }
  }
  return pieces.length === 0 ? null : joinLogprobs(pieces);
}

const viewCall = ({ id, name }: { readonly id: string; readonly name: string }, text: string, index: number): Json => ({
  id,
  type: 'function',
  index,
  function: { name, arguments: text === '' ? NO_ARGUMENTS : text },
});

function* viewMessage({ blocks }: Reply, { files }: GenerationView, hidesReasoning: boolean): Steps<JsonObject> {
  const content = new ContentText();
  let words = '';
  let refusal = '';
  let reasoning = '';
  const details: Json[] = [];
  const calls: Json[] = [];
  const annotations: Json[] = files.map(viewParsedFile);
  const images: Json[] = [];
  /** Phases of the texts of the reply; most replies have none. */
  const phases = new Set<string | undefined>();
  const textSeals: SealedText[] = [];
  const seals: SealUse[] = [];
  const steps = new StepCounter();
  for (const { start, text, signature, citations } of blocks) {
    if (steps.isOver()) yield;
    if (start.type !== 'text') content.interrupt();
    switch (start.type) {
      case 'text': {
        if (isRefusal(start)) {
          refusal += text;
          break;
        }
        phases.add(start.phase);
        const from = content.nextStart;
        words += content.add(text);
        if (citations.length > 0) append(annotations, viewAnnotations(citations, from, content.length));
        break;
      }
      case 'thinking':
        if (hidesReasoning) break;
        reasoning += text;
        details.push(reasoningText(details.length, text, signature, start.mark));
        break;
      case 'redacted-thinking':
        if (isSealOfText(start)) textSeals.push(start);
        else if (!hidesReasoning) details.push(reasoningSealed(details.length, start.data, start.mark));
        break;
      case 'tool-use':
        calls.push(viewCall(start, text, calls.length));
        break;
      case 'image':
        images.push(viewImage(start.source, images.length));
        break;
      case 'service-tool-result':
        seals.push(start.result.seal);
        if (start.result.image) images.push(viewImage(start.result.image, images.length));
        break;
      case 'server-tool-use':
      case 'opaque':
        // A tool that the vendor ran has no form here; the text and its citations contain the result.
        break;
    }
  }
  if (!hidesReasoning && textSeals.length > 0) append(details, sealedText(textSeals, content, details.length));
  if (calls.length > 0 && seals.length > 0) append(details, sealedTools(seals, details.length));
  const isSilent = words === '' && (calls.length > 0 || refusal !== '');
  return {
    role: 'assistant',
    content: isSilent ? null : words,
    refusal: refusal === '' ? null : refusal,
    reasoning: reasoning === '' ? null : reasoning,
    ...(details.length > 0 && { reasoning_details: details }),
    ...(calls.length > 0 && { tool_calls: calls }),
    ...(images.length > 0 && { images }),
    ...(annotations.length > 0 && { annotations }),
    ...viewPhase(phases),
  };
}
