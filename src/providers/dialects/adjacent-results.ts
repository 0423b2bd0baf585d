import { append } from '../../core/append.js';
import { blockPath, type ContentBlock, type Message } from '../../core/conversation/content.js';
import type { ModelRequest } from '../../core/conversation/request.js';
import { traitsOf } from '../../core/conversation/traits.js';
import { rewrittenTurn } from './rewritten-turn.js';

/**
 * Moves tool results directly after the calls that they answer, for formats that refuse any other order. Assistant
 * turns without a result between their calls become one turn, and the instructions between them follow that turn. In
 * each turn the results come first. Returns the same object where nothing has to move.
 *
 * OpenAI: "An assistant message with 'tool_calls' must be followed by tool messages" (github.com/agno-agi/agno, issue
 * 3105; of other vendors of the format: QwenLM/qwen-code, issue 606). Gemini counts the responses of a turn against the
 * calls of the turn before it (google-gemini/gemini-cli, issue 4217). All read 2026-11-29.
 */
export function withAdjacentResults(request: ModelRequest): ModelRequest {
  const { messages } = request;
  const { hasToolBlocks, hasLateResults } = traitsOf(messages);
  if (!hasToolBlocks) return request;
  const joined = callsTwice(messages) ? { ...request, messages: joinCalls(messages) } : request;
  return hasLateResults ? withResultsInFront(joined) : joined;
}

const isCall = ({ type }: ContentBlock): boolean => type === 'tool-use';
const isResult = ({ type }: ContentBlock): boolean => type === 'tool-result';

const isCalling = ({ role, content }: Message): boolean => role === 'assistant' && content.some(isCall);

/** Whether an assistant turn follows calls without a result. */
function callsTwice(messages: readonly Message[]): boolean {
  let isOpen = false;
  for (const message of messages) {
    if (message.role === 'system') continue;
    if (isOpen && message.role === 'assistant') return true;
    isOpen = isCalling(message);
  }
  return false;
}

function joinCalls(messages: readonly Message[]): readonly Message[] {
  const joined: Message[] = [];
  /** The turn whose calls have no results yet. */
  let calling: CallingTurn | undefined;
  let hasJoined = false;
  for (const [index, message] of messages.entries()) {
    if (message.role === 'assistant' && calling !== undefined) {
      calling.join(message, index);
      joined[calling.turnIndex] = calling.turn;
      hasJoined = true;
      continue;
    }
    if (message.role !== 'system') {
      calling = isCalling(message) ? new CallingTurn(withPaths(message, index), joined.length) : undefined;
    }
    // After a joined turn, indexes differ from those of the caller.
    joined.push(hasJoined ? withPaths(message, index) : message);
  }
  return joined;
}

/** A turn that others are joined to. All are added to the same lists: there may be thousands. */
class CallingTurn {
  readonly turn: Message;
  private readonly content: ContentBlock[];
  private readonly paths: string[];

  /** @param turnIndex its index among the joined turns */
  constructor(
    message: PathedMessage,
    readonly turnIndex: number,
  ) {
    this.content = [...message.content];
    this.paths = [...message.paths];
    this.turn = rewrittenTurn(message, this.content, this.paths);
  }

  join(message: Message, index: number): void {
    append(this.content, message.content);
    append(this.paths, withPaths(message, index).paths);
  }
}

/**
 * Moves the results for an assistant's turn to the beginning of the next user turn. Turns that become empty are left
 * out; turns without results are unchanged. Returns the same object where no result follows other content.
 *
 * Claude: "Messages following tool_use blocks must begin with a matching number of tool_result blocks"
 * (github.com/apify/tester-mcp-client, issue 12;
 * platform.claude.com/docs/en/agents-and-tools/tool-use/handle-tool-calls, read 2026-11-29).
 */
export function withResultsInFront(request: ModelRequest): ModelRequest {
  const { messages } = request;
  const ordered: Message[] = [];
  let hasMoved = false;
  let hasLeftOut = false;
  for (let from = 0; from < messages.length;) {
    let to = from + 1;
    while (to < messages.length && messages[to]!.role !== 'assistant') to++;
    const turns = messages.slice(from, to).map((message, turnIndex) => ({ message, index: from + turnIndex }));
    const isTorn = tearsResults(turns);
    if (isTorn) {
      const moved = resultsInFront(turns);
      hasLeftOut ||= moved.length < turns.length;
      append(ordered, moved);
    } else {
      // After a turn that is left out, indexes differ from those of the caller.
      for (const { message, index } of turns) ordered.push(hasLeftOut ? withPaths(message, index) : message);
    }
    hasMoved ||= isTorn;
    from = to;
  }
  return hasMoved ? { ...request, messages: ordered } : request;
}

interface PlacedTurn {
  readonly message: Message;
  readonly index: number;
}

/**
 * Whether a result follows other content. Instructions between the assistant and the user do not count: every format
 * moves them.
 * @param turns an assistant turn, and all turns after it up to the next one
 */
function tearsResults(turns: readonly PlacedTurn[]): boolean {
  let hasOthers = false;
  let hasUser = false;
  for (const { message } of turns) {
    if (message.role === 'assistant') continue;
    if (message.role === 'system') {
      hasOthers ||= hasUser;
      continue;
    }
    hasUser = true;
    let carries = false;
    for (const block of message.content) {
      if (block.type !== 'tool-result') hasOthers = true;
      else if (hasOthers) return true;
      // Formats whose results are text carry media behind the results of the turn.
      else carries ||= block.content.some(({ type }) => type === 'image' || type === 'document');
    }
    hasOthers ||= carries;
  }
  return false;
}

function resultsInFront(turns: readonly PlacedTurn[]): Message[] {
  const placed = turns.map(({ message, index }) => (message.role === 'user' ? withPaths(message, index) : message));
  const first = placed.findIndex(({ role }) => role === 'user');
  return placed.flatMap((message, turnIndex) => {
    if (message.role !== 'user') return message;
    const others = blocksOf([message], (block) => !isResult(block));
    const blocks = turnIndex === first ? [...blocksOf(placed, isResult), ...others] : others;
    if (blocks.length === 0) return [];
    if (turnIndex !== first && blocks.length === message.content.length) return turns[turnIndex]!.message;
    return rewrittenTurn(
      message,
      blocks.map(({ block }) => block),
      blocks.map(({ path }) => path),
    );
  });
}

interface PlacedBlock {
  readonly block: ContentBlock;
  readonly path: string;
}

/** The blocks of some turns, each with its path. */
const blocksOf = (turns: readonly Message[], isWanted: (block: ContentBlock) => boolean): PlacedBlock[] =>
  turns.flatMap(({ role, content, paths }) =>
    role !== 'user'
      ? []
      : content.flatMap((block, index) => (isWanted(block) ? [{ block, path: paths![index]! }] : [])),
  );

type PathedMessage = Message & { readonly paths: readonly string[] };

/** Errors name each block by its path in the caller's request. */
function withPaths(message: Message, index: number): PathedMessage {
  return { ...message, paths: message.content.map((_, turnIndex) => blockPath(message, index, turnIndex)) };
}
