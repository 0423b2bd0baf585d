import { integer, list, named, nullable, text, variant } from '../../shared/http/schema.js';

const quoted = { cited_text: text() };
const ofDocument = { ...quoted, document_index: integer(), document_title: nullable(text()) };

/** Citations on a text block of the history, as replies carry them (docs/wire/content-blocks.md#citations). */
export const citations = named(
  'citations',
  list(
    variant('type', {
      char_location: { ...ofDocument, start_char_index: integer(), end_char_index: integer() },
      page_location: { ...ofDocument, start_page_number: integer(), end_page_number: integer() },
      content_block_location: { ...ofDocument, start_block_index: integer(), end_block_index: integer() },
      web_search_result_location: { ...quoted, url: text(), title: nullable(text()), encrypted_index: text() },
      search_result_location: {
        ...quoted,
        source: text(),
        title: nullable(text()),
        search_result_index: integer(),
        start_block_index: integer(),
        end_block_index: integer(),
      },
    }),
  ),
);
