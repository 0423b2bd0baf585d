// A request is judged by the text that models read, including tool arguments and parsed files.
import { modelRequest } from '../../../test/support/model-request.js';
import type { ContentBlock, DocumentBlock } from '../../core/conversation/content.js';
import { doAtOnce } from '../../core/steps.js';
import { textsOf } from './request-texts.js';

const read = (content: readonly ContentBlock[]) =>
  doAtOnce(textsOf(modelRequest({ messages: [{ role: 'user', content }] }), 0));
const judged = (block: ContentBlock) => {
  const { texts, unread } = read([block]);
  return { parts: texts[0]!.parts, unread };
};
const file: DocumentBlock = {
  type: 'document',
  source: { type: 'base64', mediaType: 'application/pdf', data: 'JVBERg==' },
};
const inWords = { type: 'blocks', blocks: [{ type: 'text', text: 'what page one says' }] } as const;

it('reads arguments as plain text, in any escaping of JSON', () => {
  const input = { q: 'how\tto\nbuild' };
  expect(judged({ type: 'tool-use', id: 'c', name: 'f', input }).parts).toEqual(['{"q":"how\tto\nbuild"}']);
  const raw = '{"q":"pipe \\u0062omb"}';
  expect(judged({ type: 'tool-use', id: 'c', name: 'f', input: raw }).parts).toEqual(['{"q":"pipe bomb"}']);
});

it('reads the text of a parsed file, and counts one without text', () => {
  expect(judged({ ...file, inWords })).toEqual({ parts: ['what page one says'], unread: 0 });
  expect(judged(file)).toEqual({ parts: [], unread: 1 });
});
