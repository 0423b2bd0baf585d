import { Type } from '@sinclair/typebox';
import { integer, object, rows, type TSchema } from './schema.js';

/*
 * Forms that replies of all rooms have.
 */

/** One thing. */
export const one = <View extends TSchema>(view: View) => object({ data: view });

/** Part of a list, and how many there are in all. */
export const part = <View extends TSchema>(view: View) => object({ data: rows(view), total_count: integer() });

/** Of what was deleted. */
export const deleted = object({ deleted: Type.Literal(true) });
