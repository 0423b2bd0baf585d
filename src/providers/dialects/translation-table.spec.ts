/**
 * Goal: requests are encoded as the tables state, which is also what `require_parameters` reads. Method: every row of
 * every dialect's table is run, at targets that differ in all conditions of the rules. What is mapped changes the call,
 * what is dropped leaves it unchanged, and what is refused is refused by name.
 */
import {
  f,
  FIELD_SAMPLES,
  PROVIDER,
  sampleWith,
  targetOf,
  TARGETS,
  type Sample,
} from '../../../test/support/field-samples.js';
import { modelRequest } from '../../../test/support/model-request.js';
import { withRow } from '../../../test/support/with-row.js';
import type { ContentBlock, Message, ToolResultContent } from '../../core/conversation/content.js';
import {
  ANTHROPIC_REASONING,
  RESPONSES_REASONING,
  type ReasoningMark,
} from '../../core/conversation/reasoning-mark.js';
import type { ModelRequest } from '../../core/conversation/request.js';
import type { Tool } from '../../core/conversation/tools.js';
import { Untranslatable } from '../../core/errors.js';
import type { Opaque, Vendor } from '../../core/json/json.js';
import type { Dialect, FetchedMedia, Target } from '../../core/provider.js';
import { routeNeeds } from '../../core/routing/route-needs.js';
import { treatmentOf, type BlockForm, type RequestField, type Rule, type ToolForm } from '../../core/translation.js';
import { doAtOnce } from '../../core/steps.js';
import { markOf } from './bedrock-converse/families.js';
import { carries } from './encode-fields.js';
import { DIALECTS } from './index.js';
import { dropped, refused } from './rules.js';

const FETCHED = 'https://example.test/fetched';
const MEDIA: FetchedMedia = new Map([
  [`${FETCHED}.png`, { mediaType: 'image/png', base64: 'aW1hZ2U=' }],
  [`${FETCHED}.txt`, { mediaType: 'text/plain', base64: 'bmVlZGxl' }],
] as const) as never;

const called = (dialect: Dialect, request: ModelRequest, target: Target): string =>
  JSON.stringify(doAtOnce(dialect.encode(request, target, MEDIA)));

/** What really happens to it, in the terms of the tables. */
function treatmentIn(dialect: Dialect, sample: Sample, target: Target): [string, string] {
  const { request, without, target: another, plainTarget } = sample;
  const before = called(dialect, without, plainTarget ?? target);
  try {
    return [called(dialect, request, another ?? target) === before ? 'dropped' : 'mapped', ''];
  } catch (error) {
    if (!(error instanceof Untranslatable)) throw error;
    return ['refused', error.message];
  }
}

/** What the table states, with the beginning of the expected error. */
function statedTreatment(rule: Rule<Target>, target: Target, path: string): [string, string] {
  const treatment = treatmentOf(rule, target);
  return [treatment.type, treatment.type === 'refused' ? `${path}${treatment.within}: ${treatment.what}` : ''];
}

function expectStated(dialect: Dialect, rule: Rule<Target>, sample: Sample, target: Target): void {
  const [treatment, message] = treatmentIn(dialect, sample, target);
  const [stated, beginning] = statedTreatment(rule, target, sample.path ?? '');
  expect([treatment, message.slice(0, beginning.length)]).toEqual([stated, beginning]);
}

// --- Fields

/** Fields that cannot be required: the model, and how the call is answered. */
const NEVER_REQUIRED: ReadonlySet<RequestField> = new Set<RequestField>([
  'model', 'system', 'stream', 'modalities', 'user', 'prompt_cache_key', 'service_tier', 'inference_geo', 'betas',
]); // oxfmt-ignore

const dialects = Object.values(DIALECTS);
const fields = Object.entries(FIELD_SAMPLES) as [RequestField, (typeof FIELD_SAMPLES)[RequestField]][];

describe.each(dialects)('fields at $id', (dialect) => {
  it.each(fields)('%s', (field, sampleFor) => {
    // Collected: an `expect` for each of thousands takes longer than the code under test.
    const wrong: unknown[] = [];
    for (const [name, parts] of Object.entries(TARGETS)) {
      for (const supportedParameters of [parts.endpoint?.supportedParameters ?? [], [field]]) {
        const listing = { ...parts, endpoint: { ...parts.endpoint, supportedParameters } };
        const target = targetOf(listing);
        const sample = sampleFor(listing);
        const [treatment] = treatmentIn(dialect, sample, target);
        const isCarried = carries(dialect.table, field, sample.target ?? target);
        if (isCarried !== (treatment === 'mapped')) wrong.push([name, supportedParameters, isCarried, treatment]);
      }
    }
    expect(wrong).toEqual([]);
  });
});

/** Fields of every call, whatever a table states. */
const IN_EVERY_CALL: ReadonlySet<RequestField> = new Set<RequestField>(['model', 'stream']);

describe.each(dialects)('fields at $id go by their rows', (dialect) => {
  it.each(fields.filter(([field]) => !IN_EVERY_CALL.has(field)))('%s', (field, sampleFor) => {
    const rows = dialect.table.fields;
    withRow(rows, field, { ...rows[field], rule: dropped() }, () => {
      const treatments = Object.entries(TARGETS).map(([name, parts]) => [
        name,
        ...treatmentIn(dialect, sampleFor(parts), targetOf(parts)),
      ]);
      expect(treatments.filter(([, treatment, message]) => treatment !== 'dropped' || message !== '')).toEqual([]);
    });
  });
});

it.each(fields)('%s can be required', (field, sampleFor) => {
  const { parameters } = routeNeeds(sampleFor({}).request, { models: new Map() });
  expect(parameters.includes(field)).toBe(!NEVER_REQUIRED.has(field));
});

// --- Blocks

const text = (words = 'Words.'): ContentBlock => ({ type: 'text', text: words });
const question: Message = { role: 'user', content: [text('Asked.')] };
const conversation = (...messages: readonly Message[]): ModelRequest =>
  modelRequest({ messages: [question, ...messages], maxOutputTokens: 5 });

const PLACE = 'messages.1.content.0';

/** In a turn of the user, and the same turn without it. */
const inUserTurn = (block: ContentBlock, plain: readonly ContentBlock[] = []): Sample => ({
  request: conversation({ role: 'user', content: [block, text()] }),
  without: conversation({ role: 'user', content: [...plain, text()] }),
  path: PLACE,
});

/** In a turn of the assistant, before its text. */
const inAnswer = (blocks: readonly ContentBlock[], plain: readonly ContentBlock[] = []): Sample => ({
  request: conversation({ role: 'assistant', content: [...blocks, text()] }, question),
  without: conversation({ role: 'assistant', content: [...plain, text()] }, question),
  path: PLACE,
});

const call: ContentBlock = { type: 'tool-use', id: 'call_12345', name: 'f', input: { word: 'needle' } };
const answeredBy = (content: readonly ToolResultContent[], isError?: boolean): Message => ({
  role: 'user',
  content: [{ type: 'tool-result', toolUseId: 'call_12345', content, ...(isError !== undefined && { isError }) }],
});
const inResult = (block: ToolResultContent): Sample => ({
  request: conversation({ role: 'assistant', content: [call] }, answeredBy([block])),
  without: conversation({ role: 'assistant', content: [call] }, answeredBy([])),
  path: 'messages.2.content.0.content.0',
});

const PDF = { type: 'base64', mediaType: 'application/pdf', data: 'bmVlZGxl' } as const;
const PNG = { type: 'base64', mediaType: 'image/png', data: 'bmVlZGxl' } as const;
const anthropic = (value: Opaque['value']): ContentBlock => ({
  type: 'opaque',
  opaque: { vendor: 'anthropic', value },
});
const item = (vendor: Vendor): ContentBlock => ({ type: 'opaque', opaque: { vendor, value: { type: 'needle_item' } } });

const ANOTHERS: ReasoningMark = { format: 'another-v1', provider: 'elsewhere', id: 'rs_2' };
const ANTHROPICS: ReasoningMark = { format: ANTHROPIC_REASONING, provider: 'elsewhere' };

/** The mark of the target's own reasoning. */
function ownMark({ id }: Dialect, target: Target): ReasoningMark {
  switch (id) {
    case 'anthropic-messages':
    case 'simulated':
      return { format: ANTHROPIC_REASONING, provider: PROVIDER };
    case 'bedrock-converse':
      return markOf(target);
    case 'cohere-chat':
      return { format: 'cohere-chat-v2', provider: PROVIDER };
    case 'google-gemini':
      return { format: 'google-gemini-v1', provider: PROVIDER };
    case 'openai-chat':
      return { format: 'one-v1', provider: PROVIDER };
    case 'openai-responses':
      return { format: RESPONSES_REASONING, provider: PROVIDER, id: 'rs_1' };
  }
}

const thought = (mark?: ReasoningMark, signature = 'c2lnbmVk'): ContentBlock => ({
  type: 'thinking',
  thinking: 'needle',
  ...(signature !== '' && { signature }),
  ...(mark && { mark }),
});
const sealed = (mark: ReasoningMark): ContentBlock => ({ type: 'redacted-thinking', data: 'c2VhbGVk', mark });

function ownThought(dialect: Dialect, target: Target): Sample {
  const mark = ownMark(dialect, target);
  // Providers of the responses format do not sign text: the encrypted block after it identifies it. Cohere encrypts
  // nothing either.
  if (dialect.id === 'openai-responses') return inAnswer([thought(mark, ''), sealed(mark)], [sealed(mark)]);
  return inAnswer([thought(mark, dialect.id === 'cohere-chat' ? '' : 'c2lnbmVk')]);
}

type BlockSample = (dialect: Dialect, target: Target) => Sample;

const BLOCKS: Readonly<Record<BlockForm, BlockSample>> = {
  text: () => inUserTurn(text('needle')),
  text_citations: () =>
    inAnswer(
      [{ type: 'text', text: 'Cited.', citations: [{ type: 'char_location', cited_text: 'needle' }] }],
      [text('Cited.')],
    ),
  phase: () => inAnswer([{ type: 'text', text: 'Said.', phase: 'commentary' }], [text('Said.')]),
  image_bytes: () => inUserTurn({ type: 'image', source: PNG }),
  image_url: () => inUserTurn({ type: 'image', source: { type: 'url', url: `${FETCHED}.png` } }),
  image_detail: () => inUserTurn({ type: 'image', source: PNG, detail: 'high' }, [{ type: 'image', source: PNG }]),
  drawn_image: () => inAnswer([{ type: 'image', source: PNG }]),
  document_bytes: () => inUserTurn({ type: 'document', source: PDF }),
  document_text_bytes: () => inUserTurn({ type: 'document', source: { ...PDF, mediaType: 'text/plain' } }),
  document_url: () => inUserTurn({ type: 'document', source: { type: 'url', url: `${FETCHED}.txt` } }),
  document_text: () => inUserTurn({ type: 'document', source: { type: 'text', text: 'needle' } }),
  document_blocks: () =>
    inUserTurn({ type: 'document', source: { type: 'blocks', blocks: [{ type: 'text', text: 'needle' }] } }),
  document_file: () => inUserTurn({ type: 'document', source: { type: 'file', fileId: 'file_needle' } }),
  document_citations: () =>
    inUserTurn({ type: 'document', source: { type: 'text', text: 'Told.' }, wantsCitations: true }, [
      { type: 'document', source: { type: 'text', text: 'Told.' } },
    ]),
  search_result: () =>
    inUserTurn({ type: 'search-result', source: 'https://example.test', title: 'needle', content: [] }),
  audio: () => inUserTurn({ type: 'audio', format: 'wav', data: 'bmVlZGxl' }),
  video_bytes: () => inUserTurn({ type: 'video', source: { ...PNG, mediaType: 'video/mp4' } }),
  video_url: () => inUserTurn({ type: 'video', source: { type: 'url', url: 'https://youtu.be/needle' } }),
  tool_use: () => inAnswer([call]),
  tool_result: () => ({
    request: conversation({ role: 'assistant', content: [call] }, answeredBy([{ type: 'text', text: 'needle' }])),
    without: conversation({ role: 'assistant', content: [call] }),
  }),
  tool_result_error: () => ({
    request: conversation({ role: 'assistant', content: [call] }, answeredBy([{ type: 'text', text: 'No.' }], true)),
    without: conversation({ role: 'assistant', content: [call] }, answeredBy([{ type: 'text', text: 'No.' }])),
  }),
  tool_result_image: () => inResult({ type: 'image', source: PNG }),
  tool_result_document: () => inResult({ type: 'document', source: PDF }),
  tool_reference: () => inResult({ type: 'tool-reference', toolName: 'needle' }),
  thinking_own: ownThought,
  thinking_anthropic: () => inAnswer([thought(ANTHROPICS)]),
  thinking_other: () => inAnswer([thought(ANOTHERS)]),
  thinking_unsigned: () => inAnswer([thought(undefined, '')]),
  sealed_own: (dialect, target) => inAnswer([sealed(ownMark(dialect, target))]),
  sealed_anthropic: () => inAnswer([sealed(ANTHROPICS)]),
  sealed_other: () => inAnswer([sealed(ANOTHERS)]),
  server_tool_use: () => inAnswer([anthropic({ type: 'server_tool_use', id: 's', name: 'needle', input: {} })]),
  web_search_tool_result: () =>
    inAnswer([
      anthropic({
        type: 'web_search_tool_result',
        tool_use_id: 's',
        content: [{ title: 'needle', url: 'https://x.test' }],
      }),
    ]),
  web_fetch_tool_result: () =>
    inAnswer([
      anthropic({
        type: 'web_fetch_tool_result',
        tool_use_id: 's',
        content: { type: 'web_fetch_result', url: 'https://needle.test' },
      }),
    ]),
  server_tool_result: () =>
    inAnswer([anthropic({ type: 'bash_code_execution_tool_result', tool_use_id: 's', content: { text: 'needle' } })]),
  gateway_tool_result: () =>
    inAnswer([
      anthropic({ type: 'server_tool_use', id: 's', name: 'bash', input: {} }),
      anthropic({ type: 'openrouter_bash_tool_result', tool_use_id: 's', content: 'needle' }),
    ]),
  compaction: () => inAnswer([anthropic({ type: 'compaction', content: 'needle' })]),
  other: () => inUserTurn(anthropic({ type: 'container_upload', file_id: 'needle' })),
  own_item: ({ vendor }) => inAnswer([item(vendor)]),
  foreign_item: ({ vendor }) => inAnswer([item(vendor === 'cohere' ? 'google' : 'cohere')]),
  cache_control: () => inUserTurn({ type: 'text', text: 'Kept.', cacheMarker: {} }, [text('Kept.')]),
  tool_result_cache_control: () => {
    const [result] = answeredBy([{ type: 'text', text: 'Told.' }]).content;
    const marked = { ...result!, cacheMarker: {} };
    return {
      request: conversation({ role: 'assistant', content: [call] }, { role: 'user', content: [marked] }),
      without: conversation({ role: 'assistant', content: [call] }, { role: 'user', content: [result!] }),
    };
  },
  speaker: () => ({
    request: conversation({ ...question, origin: { vendor: 'openai', value: { name: 'ann' } } }),
    without: conversation(question),
  }),
};

const targets = Object.entries(TARGETS);

describe.each(dialects)('blocks at $id', (dialect) => {
  it.each(Object.entries(BLOCKS) as [BlockForm, BlockSample][])('%s', (form, sampleFor) => {
    for (const [name, parts] of targets) {
      const target = targetOf(parts);
      try {
        expectStated(dialect, dialect.table.blocks[form], sampleFor(dialect, target), target);
      } catch (error) {
        throw new Error(`at ${name}`, { cause: error });
      }
    }
  });
});

/** Reasoning in an answer: encoders do what its rows state. */
const REASONING = (Object.entries(BLOCKS) as [BlockForm, BlockSample][]).filter(([form]) =>
  /^(thinking|sealed)_/.test(form),
);
/** OpenAI takes text only with an encrypted block after it: without one no row can permit it. */
const UNSEALED: ReadonlySet<BlockForm> = new Set([
  'thinking_anthropic',
  'thinking_other',
  'thinking_unsigned',
] as const);

describe.each(dialects)('reasoning at $id goes by its rows', (dialect) => {
  it.each(REASONING)('%s', (form, sampleFor) => {
    const rows = dialect.table.blocks;
    for (const [name, parts] of targets) {
      const target = targetOf(parts);
      const sample = sampleFor(dialect, target);
      withRow(rows, form, dropped(), () => {
        expect([name, treatmentIn(dialect, sample, target)]).toEqual([name, ['dropped', '']]);
      });
      if (dialect.id === 'openai-responses' && UNSEALED.has(form)) continue;
      withRow(rows, form, refused('needle'), () => {
        const [treatment, message] = treatmentIn(dialect, sample, target);
        expect([name, treatment, message.startsWith('messages.1.content.')]).toEqual([name, 'refused', true]);
      });
    }
  });
});

/** The vendor itself judges the Messages format. */
const JUDGED: ReadonlySet<string> = new Set(['anthropic-messages', 'simulated']);

describe.each(dialects.filter(({ id }) => !JUDGED.has(id)))('a turn that cannot hold a block, at $id', (dialect) => {
  it.each<[string, Message, string]>([
    ['a call of the user', { role: 'user', content: [call] }, 'tool_use in this place'],
    ['reasoning of the user', { role: 'user', content: [thought()] }, 'thinking in this place'],
    ['a result of the assistant', { role: 'assistant', content: answeredBy([]).content }, 'tool_result in an assistant turn'],
    ['a picture in instructions', { role: 'system', content: [{ type: 'image', source: PNG }] }, 'image in a system turn'],
  ])('refuses %s by name', (_, message, words) => {
    const sample = { request: conversation(message), without: conversation() };
    const expected = `${PLACE}: a block of type ${words} cannot be sent to a/b at P`;
    expect(treatmentIn(dialect, sample, targetOf({}))).toEqual(['refused', expected]);
  }); // oxfmt-ignore
});

// --- Blank turns

const DROPPED_ALONE: readonly ContentBlock[] = [sealed(ANOTHERS)];

describe.each(dialects)('a blank turn at $id', (dialect) => {
  it.each<[string, Message]>([
    ['of the user, without a block', { role: 'user', content: [] }],
    ['of the user, an empty text', { role: 'user', content: [text('')] }],
    ['of the user, several', { role: 'user', content: [text(''), text('')] }],
    ['of the system', { role: 'system', content: [text('')] }],
    ['of the assistant, without a block', { role: 'assistant', content: [] }],
    ['of the assistant, an empty text', { role: 'assistant', content: [text('')] }],
    ['of the assistant, of which nothing is kept', { role: 'assistant', content: DROPPED_ALONE }],
  ])('%s is left out, or refused by name; alone it is refused', (_, silent) => {
    const target = targetOf({});
    const amid = { request: conversation(silent, question), without: conversation(question) };
    const [treatment, message] = treatmentIn(dialect, amid, target);
    if (treatment === 'refused') expect(message).toMatch(/^messages\.1\.content: is empty/);
    else expect(treatment).toBe('dropped');
    const alone = { request: modelRequest({ messages: [silent], maxOutputTokens: 5 }), without: conversation() };
    expect(treatmentIn(dialect, alone, target)).toEqual([
      'refused',
      expect.stringMatching(/^messages.*: (?:is empty|nothing in it)/),
    ]);
  });
});

// --- Tools

const choosing = (toolChoice: ModelRequest['toolChoice']): Sample => sampleWith({ toolChoice: toolChoice! });
const having = (tool: Tool): Sample => ({ ...sampleWith({ tools: [tool, f] }), path: 'tools.0' });
const ownTool = (vendor: Vendor): Tool => ({
  type: 'vendor',
  opaque: { vendor, value: { type: vendor === 'openai-responses' ? 'web_search' : 'needle_tool' } },
});

const TOOLS: Readonly<Record<ToolForm, (dialect: Dialect) => Sample>> = {
  function: () => having({ ...f, name: 'needle' }),
  strict: () => sampleWith({ tools: [{ ...f, strict: true }] }),
  cache_control: () => sampleWith({ tools: [{ ...f, cacheMarker: {} }] }),
  own: ({ vendor }) => having(ownTool(vendor)),
  foreign: ({ vendor }) => having(ownTool(vendor === 'amazon' ? 'google' : 'amazon')),
  service: () => having({ type: 'service', id: 'openrouter:web_search', parameters: {} }),
  choice_auto: () => choosing({ type: 'auto' }),
  choice_any: () => choosing({ type: 'any' }),
  choice_none: () => choosing({ type: 'none' }),
  choice_tool: () => choosing({ type: 'tool', name: 'f' }),
  choice_allowed: () =>
    sampleWith({ toolChoice: { type: 'auto', allowed: ['f'] } }, { tools: [f, { ...f, name: 'g' }] }),
};

describe.each(dialects)('tools at $id', (dialect) => {
  it.each(Object.entries(TOOLS) as [ToolForm, (dialect: Dialect) => Sample][])('%s', (form, sampleFor) => {
    for (const [, parts] of targets) {
      const target = targetOf(parts);
      expectStated(dialect, dialect.table.tools[form], sampleFor(dialect), target);
    }
  });
});

/** As its caller wrote it. */
const others = (vendor: Vendor): Tool & { type: 'vendor' } => ({
  type: 'vendor',
  opaque: { vendor: vendor === 'amazon' ? 'google' : 'amazon', value: { type: 'needle_20250124' } },
});

describe.each(dialects)('tools of others at $id', (dialect) => {
  it.each<[string, Tool]>([
    ['needle (needle_20250124)', { ...others(dialect.vendor), name: 'needle' }],
    ['needle_20250124', others(dialect.vendor)],
    ['openrouter:web_search', { type: 'service', id: 'openrouter:web_search', parameters: {} }],
  ])('are refused by name: %s', (name, tool) => {
    const [treatment, message] = treatmentIn(dialect, sampleWith({ tools: [f, tool] }), targetOf({}));
    expect([treatment, message]).toEqual(['refused', expect.stringMatching(/^tools\.1: the /)]);
    expect(message).toContain(`tool ${name} cannot be sent to a/b at P`);
  });
});

describe.each(dialects)('tools at $id go by their rows', (dialect) => {
  it.each(Object.entries(TOOLS) as [ToolForm, (dialect: Dialect) => Sample][])('%s', (form, sampleFor) => {
    const rows = dialect.table.tools;
    for (const [name, parts] of targets) {
      const target = targetOf(parts);
      withRow(rows, form, refused('needle', '.never'), () => {
        const [treatment, message] = treatmentIn(dialect, refusing(form, sampleFor(dialect)), target);
        expect([name, treatment, message.includes('needle')]).toEqual([name, 'refused', true]);
      });
      // No vendor can receive a tool that only the gateway runs, whatever a table states.
      if (form === 'service') continue;
      withRow(rows, form, dropped(), () => {
        const sample = sampleFor(dialect);
        const request = form === 'function' ? { ...sample.request, tools: [] } : sample.without;
        expect([name, called(dialect, sample.request, target)]).toEqual([name, called(dialect, request, target)]);
      });
    }
  });
});

/** `without` would be refused as well where it has the form. */
const refusing = (form: ToolForm, sample: Sample): Sample =>
  form === 'function' ? { ...sample, without: { ...sample.without, tools: [] } } : sample;
