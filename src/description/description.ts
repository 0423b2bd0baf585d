import { Injectable } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import type { JsonObject } from '../core/json/json.js';
import { buildDocument } from './build-document.js';
import { collectRoutes, type ControllerClass } from './collect-routes.js';
import { printPage } from './docs-page.js';

/** Of the API. It moves when a caller has to. */
const VERSION = '1.0.0';

/** The description of this application, made of its own routes when somebody first asks for it. Safe to share. */
@Injectable()
export class Description {
  private json: string | undefined;
  private page: string | undefined;

  constructor(private readonly discovery: DiscoveryService) {}

  /** The OpenAPI document, printed. */
  document(): string {
    return (this.json ??= JSON.stringify(this.build()));
  }

  /** The same to be read: a page of HTML. */
  html(): string {
    return (this.page ??= printPage(this.build()));
  }

  private build(): JsonObject {
    const controllers = this.discovery.getControllers().map(({ metatype }) => metatype as ControllerClass);
    return buildDocument(collectRoutes(controllers), VERSION);
  }
}
