import type { Message } from '../../../core/conversation/content.js';
import { isEmptyJson, type Json } from '../../../core/json/json.js';

/**
 * The field by which a turn of instructions sets the effort, of targets that accept it there (`fit-turn-fields.ts`).
 */
export const EFFORT_FIELD = 'output_config';

/** The effort that a turn of instructions sets, in its wire form. */
export function effortSetBy({ role, extras, origin }: Message): Json | undefined {
  const value = role === 'system' && extras && origin?.vendor === 'anthropic' ? origin.value[EFFORT_FIELD] : undefined;
  return isEmptyJson(value) ? undefined : value;
}
