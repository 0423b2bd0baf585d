import { formatUsd } from '../../src/core/money/credits.js';
import { tokenPrice } from '../../src/core/routing/leg-price.js';
import type { CatalogSnapshot, Model } from '../../src/core/routing/catalog.js';
import { TRADEOFF_MAX } from '../../src/plugins/auto-router/rank-models.js';
import type { Scenario } from './scenario.js';
import { simulateDay } from './simulate-day.js';

/** The results of a day of prompts with one way of choosing models. */
export interface RouterDay {
  readonly name: string;
  /** USD of a thousand answers, at list price. */
  readonly usd: number;
  /** Mean score of the answering models, for code the coding score: independent of difficulty. */
  readonly score: number;
  /** Mean likelihood of a good answer, by the score and the difficulty given by the prompt's author. */
  readonly quality: number;
}

/**
 * One day with the dearest model, with the cheapest model that has both scores, and with the auto-router at each
 * setting.
 */
export interface RouterDays {
  readonly dearest: RouterDay;
  readonly cheapest: RouterDay;
  /** One entry for each `cost_quality_tradeoff`, from 0 on. */
  readonly auto: readonly RouterDay[];
}

/** @param progress creates a receiver of the number of decisions, for the day of that name */
export function routerDays(
  scenario: Scenario,
  catalog: CatalogSnapshot,
  progress: (name: string) => (count: number) => void = () => () => undefined,
): RouterDays {
  const models = [...catalog.models.values()].filter(({ scores }) => scores.quality && scores.coding);
  const byPrice = models.sort((one, other) => priceOf(one) - priceOf(other) || qualityOf(one) - qualityOf(other));
  const day = (name: string, model: string, plugins: Scenario['traffic'][number]['plugins'] = []): RouterDay => {
    const traffic = scenario.traffic.map((kind) => ({ ...kind, model, plugins }));
    const { costPicoUsd, answers, score, quality, judged } = simulateDay(
      { ...scenario, traffic },
      catalog,
      progress(name),
    );
    const usd = (Number(formatUsd(costPicoUsd)) * 1_000) / answers;
    return { name, usd, score: score / judged, quality: quality / judged };
  };
  const cheapest = byPrice[0]!.id;
  const dearest = byPrice.at(-1)!.id;
  return {
    dearest: day(`always ${dearest}`, dearest),
    cheapest: day(`always ${cheapest}`, cheapest),
    auto: Array.from({ length: TRADEOFF_MAX + 1 }, (_, tradeoff) =>
      day(`auto-router at ${tradeoff}`, 'openrouter/auto', [{ id: 'auto-router', cost_quality_tradeoff: tradeoff }]),
    ),
  };
}

const qualityOf = ({ scores }: Model): number => scores.quality!.value;

/** The price of three prompt tokens and one output token, at the cheapest endpoint. */
const priceOf = ({ endpoints }: Model): number =>
  Math.min(
    ...endpoints.map(({ pricing }) =>
      pricing
        ? 3 * Number(tokenPrice(pricing, 'prompt', 'standard', 0)) +
          Number(tokenPrice(pricing, 'completion', 'standard', 0))
        : 0,
    ),
  );

/** The value at this price on the line between the cheapest and the dearest. */
export function onTheLine({ dearest, cheapest }: RouterDays, usd: number, figure: 'score' | 'quality'): number {
  const share = (usd - cheapest.usd) / (dearest.usd - cheapest.usd);
  return cheapest[figure] + share * (dearest[figure] - cheapest[figure]);
}

const percent = (part: number, of: number): string => `${((100 * part) / of).toFixed(1)} %`;

/** Prints the table of docs/use/plugins/auto-router.md in Markdown. */
export function printRouterDays(days: RouterDays): string {
  const { dearest, cheapest, auto } = days;
  const rows = [dearest, ...auto, cheapest].map((day) => [
    day.name,
    day.usd.toFixed(2),
    percent(day.usd, dearest.usd),
    day.score.toFixed(3),
    percent(day.score, dearest.score),
    day.quality.toFixed(3),
    percent(day.quality, dearest.quality),
  ]);
  const head = ['the day by', 'USD per 1,000', 'of the dearest', 'mean score', 'of the dearest', 'mean quality', 'of the dearest']; // oxfmt-ignore
  return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n') + '\n';
}
