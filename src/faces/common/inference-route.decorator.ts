import { applyDecorators, HttpCode, UseInterceptors } from '@nestjs/common';
import { Accepts } from '../../shared/http/route.decorators.js';
import { RouterMetadataInterceptor } from './router-metadata.interceptor.js';

/** A route of inference: requires an inference key, and adds router metadata where the caller requests it. */
export const InferenceRoute = (): MethodDecorator =>
  applyDecorators(HttpCode(200), Accepts('inference'), UseInterceptors(RouterMetadataInterceptor));
