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
    if (this.json) return this.json;
    const printed = this.print();
    this.json = printed;
    // Whatever kept the texts from being loaded may pass.
    printed.catch(() => (this.json = undefined));
    return printed;
  }

  /** The texts of fields are loaded here: nothing else needs them. */
  private async print(): Promise<string> {
    const { describeFields } = await import('./describe-fields.js');
    const controllers = this.discovery.getControllers().map(({ metatype }) => metatype as ControllerClass);
    return JSON.stringify(describeFields(buildDocument(collectRoutes(controllers), VERSION)));
  }
}
