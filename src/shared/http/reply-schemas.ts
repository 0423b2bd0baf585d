import { Type } from '@sinclair/typebox';
import { integer, object, rows, type TSchema } from './schema.js';

/* Forms of replies shared by all modules. */

/** A single object. */
export const single = <View extends TSchema>(view: View) => object({ data: view });

/** A part of a list, with the total count. */
export const part = <View extends TSchema>(view: View) => object({ data: rows(view), total_count: integer() });

/** Reply to a deletion. */
export const deleted = object({ deleted: Type.Literal(true) });
