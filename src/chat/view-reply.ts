import type { Reply } from '../core/conversation/reply.js';
import type { Json, JsonObject } from '../core/json.js';
import type { Billing } from '../inference/view-cost.js';
import { viewRouterMetadata } from '../inference/view-router-metadata.js';
import type { ChatReply } from './schemas/reply.js';
import { ContentText } from './content-text.js';
import {
  isRefusal,
  joinLogprobs,
  logprobsOf,
  NO_ARGUMENTS,
  reasoningSealed,
  reasoningText,
  viewAnnotations,
} from './view-block.js';
import { viewFinish } from './view-finish.js';
import { viewServiceTier, viewUsage } from './view-usage.js';

/** What both forms of a reply take from the exchange rather than from the provider. */
export interface ReplyHead {
  /** The generation's id. */
  readonly id: string;
  /** When it was accepted, in seconds of Unix time. */
  readonly created: number;
  /** Id of the model that really answered. */
  readonly model: string;
  /** Display name. */
  readonly provider: string;
  /** The caller wants no reasoning to be told. */
  readonly hidesReasoning: boolean;
}

export interface ReplyMeta extends ReplyHead, Billing {
  /** Present when the caller asked for it. */
  readonly routerMetadata?: JsonObject;
}

/** The body of a whole reply (WIRE 2.3). */
export function viewReply(reply: Reply, meta: ReplyMeta): ChatReply {
  return {
    id: meta.id,
    object: 'chat.completion',
    created: meta.created,
    model: meta.model,
    provider: meta.provider,
    system_fingerprint: null,
    choices: [
      { index: 0, logprobs: viewLogprobs(reply), ...viewFinish(reply.stop), message: viewMessage(reply, meta) },
    ],
    usage: viewUsage(reply.usage, meta),
    ...viewServiceTier(reply.usage),
    ...viewRouterMetadata(meta.routerMetadata),
  };
}

const viewLogprobs = ({ blocks }: Reply): JsonObject | null =>
  joinLogprobs(
    blocks
      .flatMap(({ opaqueDeltas }) => opaqueDeltas)
      .map(logprobsOf)
      .filter((piece) => piece !== undefined),
  );

function viewMessage({ blocks }: Reply, { hidesReasoning }: ReplyMeta): JsonObject {
  const content = new ContentText();
  let words = '';
  let refusal = '';
  let reasoning = '';
  const details: Json[] = [];
  const calls: Json[] = [];
  const annotations: Json[] = [];
  for (const { start, text, signature, citations } of blocks) {
    if (start.type !== 'text') content.interrupt();
    switch (start.type) {
      case 'text': {
        if (isRefusal(start)) {
          refusal += text;
          break;
        }
        const from = content.length;
        words += content.add(text);
        annotations.push(...viewAnnotations(citations, from, content.length));
        break;
      }
      case 'thinking':
        if (hidesReasoning) break;
        reasoning += text;
        details.push(reasoningText(details.length, text, signature));
        break;
      case 'redacted-thinking':
        if (!hidesReasoning) details.push(reasoningSealed(details.length, start.data));
        break;
      case 'tool-use':
        calls.push({
          id: start.id,
          type: 'function',
          index: calls.length,
          function: { name: start.name, arguments: text === '' ? NO_ARGUMENTS : text },
        });
        break;
      case 'server-tool-use':
      case 'opaque':
        // What a vendor ran by itself has no form here; its words and citations tell of it.
        break;
    }
  }
  const isSilent = words === '' && (calls.length > 0 || refusal !== '');
  return {
    role: 'assistant',
    content: isSilent ? null : words,
    refusal: refusal === '' ? null : refusal,
    reasoning: reasoning === '' ? null : reasoning,
    ...(details.length > 0 && { reasoning_details: details }),
    ...(calls.length > 0 && { tool_calls: calls }),
    ...(annotations.length > 0 && { annotations }),
  };
}
