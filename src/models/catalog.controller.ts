import { basename } from 'node:path';
import { Controller, Get } from '@nestjs/common';
import { CatalogStore } from '../catalog/catalog-store.js';
import { Answers } from '../shared/http/answers.decorator.js';
import { single } from '../shared/http/reply-schemas.js';
import { Accepts } from '../shared/http/route.decorators.js';
import { described, integer, moment, object, rows, text, type Static } from '../shared/http/schema.js';

const catalogReply = single(
  object({
    in_force_since: described('When the active catalog was read.', moment()),
    hash: described('Of its content.', text()),
    faults: described(
      'Errors of the present file, which is not active; empty: it is active.',
      rows(
        object({
          file: described('Its name.', text()),
          line: described('From 1.', integer()),
          field: described('The path of the entry; empty: the file as a whole.', text()),
          message: described('What is wrong.', text()),
        }),
      ),
    ),
  }),
);

/** The catalog that is in force, and what the log has of a changed file (docs/operate/catalog.md#the-catalog-file). */
@Controller('catalog')
@Accepts('management')
export class CatalogController {
  constructor(private readonly catalog: CatalogStore) {}

  @Get()
  @Answers(catalogReply, {
    summary: 'Show the state of the catalog',
    description: 'A changed file with errors is refused, and the previous catalog stays active.',
  })
  show(): Static<typeof catalogReply> {
    const { current, loadedAt, faults } = this.catalog;
    return {
      data: {
        in_force_since: new Date(loadedAt).toISOString(),
        hash: current.hash,
        // Folders of the host are for its operator.
        faults: faults.map(({ file, line, field, message }) => ({ file: basename(file), line, field, message })),
      },
    };
  }
}
