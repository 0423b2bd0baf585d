import { Injectable } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import { buildDocument } from './build-document.js';
import { collectRoutes, type ControllerClass } from './collect-routes.js';

/** Of the API. It moves when a caller has to. */
const VERSION = '1.0.0';

/** The description of this application, made of its own routes when somebody first requests it. Safe to share. */
@Injectable()
export class Description {
  private json: Promise<string> | undefined;

  constructor(private readonly discovery: DiscoveryService) {}

  /** The OpenAPI document, printed. */
  document(): Promise<string> {
    return (this.json ??= this.print());
  }

  /** The texts of fields are loaded here: nothing else needs them. */
  private async print(): Promise<string> {
    const { describeFields } = await import('./describe-fields.js');
    const controllers = this.discovery.getControllers().map(({ metatype }) => metatype as ControllerClass);
    return JSON.stringify(describeFields(buildDocument(collectRoutes(controllers), VERSION)));
  }
}
