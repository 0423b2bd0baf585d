import { Injectable } from '@nestjs/common';
import type { Response } from 'express';
import type { Caller } from '../core/caller.js';
import { GatewayError } from '../core/errors.js';
import { isJsonObject } from '../core/json/json.js';
import type { AnswerFacts } from '../shared/http/answers.decorator.js';
import { addWarnings, WARNING_HEADER, WARNING_MEANING } from '../shared/http/warning-header.js';
import type { PresetFormat } from './preset-format.js';
import { presetSlug } from './preset-slug.js';
import { viewDesignated, type DesignatedPresetView } from './preset-view.js';
import { PresetsService } from './presets.service.js';
import { readSettings } from './saved-settings.js';

/** Facts of the routes that save presets. */
export const SAVING = {
  description:
    'Each call adds a version, which requests use from then on; an unknown slug makes a preset. `messages`, `stream` and the like are not saved. No model is called.',
  headers: { [WARNING_HEADER]: WARNING_MEANING },
  errors: ['not-found', 'conflict', 'too-large'],
} satisfies Omit<AnswerFacts, 'summary'>;

/** The caller, name and workspace of a saved preset. */
export interface SavedBy {
  readonly caller: Caller;
  readonly slug: string;
  /** Id or slug of the workspace that a management key names. */
  readonly workspace: string | undefined;
}

/** Saves the settings of inference bodies of any API format. */
@Injectable()
export class PresetSaver {
  constructor(private readonly presets: PresetsService) {}

  /** @throws GatewayError `invalid-request`, naming the first fault; `too-large`; as `PresetsService.save` */
  async save(
    { caller, slug, workspace }: SavedBy,
    body: unknown,
    format: PresetFormat,
    response: Response,
  ): Promise<{ data: DesignatedPresetView }> {
    if (!presetSlug.check(slug)) throw new GatewayError('invalid-request', `slug: ${presetSlug.fault(slug)!.reason}`);
    if (!isJsonObject(body)) throw new GatewayError('invalid-request', 'body: must be an object');
    const { saved, warnings } = readSettings(body, format);
    addWarnings(response, warnings);
    return { data: viewDesignated(await this.presets.save(caller, slug, saved, workspace)) };
  }
}
