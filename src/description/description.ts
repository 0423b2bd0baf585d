import { Injectable } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import { buildDocument } from './build-document.js';
import { collectRoutes, type ControllerClass } from './collect-routes.js';

/** Version of the API, raised when callers have to change. */
const VERSION = '1.0.0';

/** The description of this application, built from its routes at the first request. Safe to share. */
@Injectable()
export class Description {
  private json: Promise<string> | undefined;

  constructor(private readonly discovery: DiscoveryService) {}

  /** The OpenAPI document, printed. */
  document(): Promise<string> {
    if (this.json) return this.json;
    const printed = this.print();
    this.json = printed;
    // A failure to load the texts may be temporary.
    printed.catch(() => (this.json = undefined));
    return printed;
  }

  /** Loads the texts of fields lazily: nothing else needs them. */
  private async print(): Promise<string> {
    const { describeFields } = await import('./describe-fields.js');
    const controllers = this.discovery.getControllers().map(({ metatype }) => metatype as ControllerClass);
    return JSON.stringify(describeFields(buildDocument(collectRoutes(controllers), VERSION)));
  }
}
