import { address, contentList, modelText, wholeNumber } from '../../../shared/http/maxima.js';
import { named, nullable, variant } from '../../../shared/http/schema.js';

const quoted = { cited_text: modelText() };
const ofDocument = { ...quoted, document_index: wholeNumber(), document_title: nullable(modelText()) };

/** Citations on a text block of the history, as replies carry them (docs/use/content-blocks.md#citations). */
export const citations = named(
  'citations',
  contentList(
    variant('type', {
      char_location: { ...ofDocument, start_char_index: wholeNumber(), end_char_index: wholeNumber() },
      page_location: { ...ofDocument, start_page_number: wholeNumber(), end_page_number: wholeNumber() },
      content_block_location: { ...ofDocument, start_block_index: wholeNumber(), end_block_index: wholeNumber() },
      web_search_result_location: {
        ...quoted,
        url: address(),
        title: nullable(modelText()),
        encrypted_index: modelText(),
      },
      search_result_location: {
        ...quoted,
        source: modelText(),
        title: nullable(modelText()),
        search_result_index: wholeNumber(),
        start_block_index: wholeNumber(),
        end_block_index: wholeNumber(),
      },
    }),
  ),
);
