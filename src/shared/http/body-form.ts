import type { ExecutionContext } from '@nestjs/common';
import { RouteParamtypes } from '@nestjs/common/enums/route-paramtypes.enum.js';
import { isClosed } from './closed.decorator.js';
import { parameterTypes } from './parameter-types.js';
import { ACCEPTS } from './route.decorators.js';

/**
 * What becomes of names that a route does not know (docs/wire/conventions.md#unknown-fields): `none` takes no body, and
 * so no name at all; `closed` refuses them by name; all others keep them.
 */
export type BodyForm = 'none' | 'closed' | 'open';

const FORMS = new WeakMap<object, BodyForm>();

/** The form of the body that the route of a request takes. Worked out once for each route. */
export function bodyFormOf(context: ExecutionContext): BodyForm {
  const handler = context.getHandler();
  let form = FORMS.get(handler);
  if (!form) FORMS.set(handler, (form = formOf(context)));
  return form;
}

function formOf(context: ExecutionContext): BodyForm {
  const handler = context.getHandler();
  const controller = context.getClass();
  const accepts: unknown = Reflect.getMetadata(ACCEPTS, handler) ?? Reflect.getMetadata(ACCEPTS, controller);
  // Bodies of inference are no parameters of their handlers.
  if (accepts !== 'management') return 'open';
  const [dto] = parameterTypes(controller, handler.name, RouteParamtypes.BODY);
  if (dto === undefined) return 'none';
  return isClosed(dto as object) ? 'closed' : 'open';
}
