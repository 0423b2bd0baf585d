import {
  applyDecorators,
  Injectable,
  SetMetadata,
  UseGuards,
  type CanActivate,
  type ExecutionContext,
} from '@nestjs/common';
import type { Response } from 'express';
import type { PresetUse } from '../core/conversation/preset-use.js';
import { GatewayError } from '../core/errors.js';
import { isJsonObject, type JsonObject } from '../core/json/json.js';
import type { AuthenticatedRequest } from '../shared/http/route.decorators.js';
import { addWarnings } from '../shared/http/warning-header.js';
import { ActivePresets, type AppliedPreset } from './active-presets.js';
import { PRESET_MARK } from './merge-preset.js';
import type { PresetApi } from './preset.entity.js';
import type { PresetFormat } from './preset-format.js';

const TERMS = 'fairlead:preset-terms';

/** A body that names a preset, as it was sent. */
export interface NamingBody {
  readonly api: PresetApi;
  readonly body: JsonObject;
  /** Why the preset cannot be used: thrown later, unless the request repeats one that was answered before. */
  readonly fault?: GatewayError;
}

/** A request that may use a preset. */
export interface PresetRequest extends AuthenticatedRequest {
  preset?: PresetUse;
  /** Absent: its body names none. */
  naming?: NamingBody;
}

interface Terms {
  readonly format: PresetFormat;
  /** A later interceptor answers repetitions, and throws the faults of other requests. */
  readonly isRepeatable: boolean;
}

/** How a request is named that may be repeated (docs/use/idempotency.md). */
const REPETITION_HEADER = 'idempotency-key';

/**
 * Completes the body of an inference by the preset that it names, after the body is read and before its DTO judges it.
 * Other bodies cost it two comparisons.
 */
@Injectable()
export class PresetGuard implements CanActivate {
  constructor(private readonly presets: ActivePresets) {}

  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    const request = context.switchToHttp().getRequest<PresetRequest>();
    const body: unknown = request.body;
    if (!isJsonObject(body)) return true;
    const { preset, model } = body;
    if (typeof preset !== 'string' && !(typeof model === 'string' && model.includes(PRESET_MARK))) return true;
    return this.complete(context, request, body);
  }

  private async complete(context: ExecutionContext, request: PresetRequest, body: JsonObject): Promise<boolean> {
    const { format, isRepeatable } = Reflect.getMetadata(TERMS, context.getHandler()) as Terms;
    const naming: NamingBody = { api: format.api, body };
    let applied: AppliedPreset | undefined;
    try {
      applied = await this.presets.apply(body, request.caller, format);
    } catch (error) {
      const isDeferred = isRepeatable && request.headers[REPETITION_HEADER] !== undefined;
      if (!isDeferred || !(error instanceof GatewayError)) throw error;
      request.naming = { ...naming, fault: error };
    }
    if (!applied) return true;
    request.naming = naming;
    request.body = applied.body;
    request.preset = applied.use;
    addWarnings(context.switchToHttp().getResponse<Response>(), applied.warnings);
    return true;
  }
}

/** A route whose bodies, of this format, may name a preset. */
export const TakesPresets = (format: PresetFormat, { isRepeatable = false } = {}): MethodDecorator =>
  applyDecorators(SetMetadata(TERMS, { format, isRepeatable } satisfies Terms), UseGuards(PresetGuard));
