import { systemCode } from '../../shared/database/system-code.js';

/** SQLSTATE of errors that are caused by a row itself. */
const REFUSED_STATE = /^2[23]...$/;

/** Whether the database refused a row for its contents: sending it again fails again. */
export function isRowRefused(error: unknown): boolean {
  return REFUSED_STATE.test(systemCode(error) ?? '');
}
