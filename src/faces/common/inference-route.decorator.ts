import { applyDecorators, HttpCode, UseInterceptors } from '@nestjs/common';
import { TakesPresets } from '../../presets/preset.guard.js';
import type { PresetFormat } from '../../presets/preset-format.js';
import { Accepts } from '../../shared/http/route.decorators.js';
import { InferenceInterceptor } from './inference.interceptor.js';

/**
 * A route of inference: requires an inference key, adds router metadata where the caller requests it, and answers
 * repetitions of requests with presets.
 * @param format of the presets that its bodies may name; absent: none
 */
export const InferenceRoute = (format?: PresetFormat): MethodDecorator =>
  applyDecorators(
    HttpCode(200),
    Accepts('inference'),
    ...(format ? [TakesPresets(format, { isRepeatable: true })] : []),
    UseInterceptors(InferenceInterceptor),
  );
