// A consulted model does not have a parsed file parsed again: the request has the text of its file, and nothing that
// could read or fetch the file is available.
import { extensionContext } from '../../../test/support/extension-context.js';
import { modelRequest } from '../../../test/support/model-request.js';
import { catalogOf, endpoint, model } from '../../../test/support/route-inputs.js';
import type { DocumentBlock } from '../../core/conversation/content.js';
import { fileParser } from './file-parser.js';

it.each<[string, DocumentBlock['source']]>([
  ['at an address', { type: 'url', url: 'https://files.example/a.pdf' }],
  ['in the request', { type: 'base64', mediaType: 'application/pdf', data: 'JVBERg==' }],
])('leaves a file %s unchanged that has its text', async (_, source) => {
  const inWords = { type: 'blocks', blocks: [{ type: 'text', text: 'Sales rose.' }] } as const;
  const request = modelRequest({
    model: 'a/one',
    messages: [{ role: 'user', content: [{ type: 'document', source, inWords }] }],
  });
  const context = extensionContext({ catalog: catalogOf(model('a/one', [endpoint('p')])) });
  const prepared = await fileParser.prepare!(request, fileParser.whenNotRequested!, context);
  expect(prepared.request).toBe(request);
  expect(fileParser.consults!(prepared.request)).toBe(false);
  expect(prepared.note).toBeUndefined();
});
