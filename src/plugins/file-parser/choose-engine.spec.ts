import { catalogOf, endpoint, model } from '../../../test/support/route-inputs.js';
import { modelRequest } from '../../../test/support/model-request.js';
import { chooseEngine, NOT_REQUESTED } from './choose-engine.js';

const files = model('test/files', [endpoint('a')], { inputModalities: ['text', 'file'] });
const words = model('test/words', [endpoint('a')]);
const WITHOUT = catalogOf(files, words);
const WITH = { ...WITHOUT, plugins: { ocr: { baseUrl: 'http://ocr.test', price: 1n } } };
const requestOf = (...[first, ...rest]: string[]) =>
  modelRequest({
    model: first!,
    plugins: [{ id: 'web' }, { id: 'file-parser' }],
    ...(rest.length > 0 && { fallbackModels: { models: rest, onRefusal: false } }),
  });
const FILES = requestOf('test/files');
const WORDS = requestOf('test/words:nitro');
const BOTH = requestOf('test/files', 'test/words');
const ANY = requestOf('openrouter/auto');
const NATIVE = { name: 'native', isForAll: false };
const local = (isForAll: boolean) => ({ name: 'local', isForAll });
const ocr = (isForAll: boolean) => ({ name: 'mistral-ocr', isForAll });
const pdf = (engine: string) => ({ pdf: { engine } });

it.each([
  ['not requested, all take files', FILES, NOT_REQUESTED, WITH, NATIVE],
  ['not requested, none does', WORDS, NOT_REQUESTED, WITH, local(true)],
  ['not requested, some do', BOTH, NOT_REQUESTED, WITH, local(false)],
  ['not requested, any model', ANY, NOT_REQUESTED, WITH, local(false)],
  ['requested, all take files', FILES, {}, WITH, NATIVE],
  ['requested, none does', WORDS, {}, WITH, ocr(true)],
  ['requested, some do', BOTH, { pdf: {} }, WITH, ocr(false)],
  ['requested, without an engine', WORDS, {}, WITHOUT, local(true)],
  ['native', FILES, pdf('native'), WITH, NATIVE],
  ['native, some take files', BOTH, pdf('native'), WITH, NATIVE],
  ['native, any model', ANY, pdf('native'), WITH, NATIVE],
  ['the local one', FILES, pdf('cloudflare-ai'), WITH, local(true)],
  ['the local one by its former name', FILES, pdf('pdf-text'), WITHOUT, local(true)],
  ['the engine outside', FILES, pdf('mistral-ocr'), WITH, ocr(true)],
])('%s', (_, request, options, catalog, chosen) => {
  expect(chooseEngine(request, options, catalog)).toEqual(chosen);
});

it.each([
  ['native', WORDS, WITH, 'plugins.1.pdf.engine: native leaves PDFs to models that take files, and no requested model does'],
  ['mistral-ocr', FILES, WITHOUT, 'plugins.1.pdf.engine: mistral-ocr is not set up, or lacks its credential; the setting is plugins.file-parser.mistral-ocr of the catalog file'],
])('refuses %s where it is impossible', (engine, request, catalog, message) => {
  expect(() => chooseEngine(request, pdf(engine), catalog)).toThrow(message);
}); // oxfmt-ignore
