import { systemCode } from '../shared/database/system-code.js';

/** SQLSTATE of what is wrong with a row itself. */
const REFUSED_STATE = /^2[23]...$/;

/** Whether the database refused a row for what is in it: whoever sends it again is refused again. */
export function isRowRefused(error: unknown): boolean {
  return REFUSED_STATE.test(systemCode(error) ?? '');
}
