import { join } from 'node:path';
import { Injectable } from '@nestjs/common';
import { PageFiles } from '../shared/http/page-files.js';

/** The files of the console. */
@Injectable()
export class ConsoleFiles extends PageFiles {
  constructor() {
    super(join(import.meta.dirname, 'assets'));
  }
}
