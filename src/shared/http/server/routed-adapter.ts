import { ExpressAdapter } from '@nestjs/platform-express';
import type { Application } from 'express';
import { keepRoutes, RouteTable } from '../route-table.js';

type Handler = Parameters<ExpressAdapter['get']>[1];

/** Express, with a table of the routes that Nest registers with it. */
export class RoutedAdapter extends ExpressAdapter {
  private readonly table = new RouteTable();

  constructor() {
    super();
    keepRoutes(this.getInstance<Application>(), this.table);
  }

  override get(path: unknown, handler?: Handler): unknown {
    return super.get(this.added('GET', path), handler!);
  }

  override post(path: unknown, handler?: Handler): unknown {
    return super.post(this.added('POST', path), handler!);
  }

  override put(path: unknown, handler?: Handler): unknown {
    return super.put(this.added('PUT', path), handler!);
  }

  override patch(path: unknown, handler?: Handler): unknown {
    return super.patch(this.added('PATCH', path), handler!);
  }

  override delete(path: unknown, handler?: Handler): unknown {
    return super.delete(this.added('DELETE', path), handler!);
  }

  private added(method: string, path: unknown): string {
    if (typeof path !== 'string') throw new TypeError('A route needs a path.');
    this.table.add(method, path);
    return path;
  }
}
