import type { CallHandler, ExecutionContext, NestInterceptor } from '@nestjs/common';
import type { Response } from 'express';
import { map, type Observable } from 'rxjs';
import { printJson } from '../../core/json/json.js';

/** Prints a reply with its numbers as they were sent: `JSON.stringify` changes those that a double cannot hold. */
export class ExactJsonInterceptor implements NestInterceptor<object | undefined, string | undefined> {
  intercept(context: ExecutionContext, next: CallHandler<object | undefined>): Observable<string | undefined> {
    const response = context.switchToHttp().getResponse<Response>();
    return next.handle().pipe(
      map((body) => {
        // The handler has sent its reply itself.
        if (body === undefined) return undefined;
        response.type('json');
        return printJson(body);
      }),
    );
  }
}
