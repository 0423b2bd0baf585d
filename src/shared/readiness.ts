import type { Clock } from '../core/time.js';

/** The result of one check. `detail` is public: it contains neither hosts nor error texts. */
export interface ReadinessState {
  readonly ready: boolean;
  readonly detail?: string;
}

/** Reads state that is already known. Never calls a database or a provider, because it may run many times a second. */
export type ReadinessCheck = () => ReadinessState;

/** The answer of `GET /health/ready`. */
export interface ReadinessReport {
  readonly ready: boolean;
  readonly checks: Readonly<Record<string, ReadinessState>>;
}

/** The report as shown to a probe. */
export const viewReadiness = ({ ready, checks }: ReadinessReport): ReadinessView => ({
  status: ready ? 'ok' : 'unavailable',
  checks,
});

export interface ReadinessView {
  readonly status: 'ok' | 'unavailable';
  readonly checks: ReadinessReport['checks'];
}

type Phase = 'starting' | 'started' | 'draining';

const PHASES: Record<Phase, ReadinessState> = {
  starting: { ready: false, detail: 'starting' },
  started: { ready: true },
  draining: { ready: false, detail: 'shutting down' },
};

/**
 * Whether this process should receive requests: not before its start-up is done, not once it is stopping, and not while
 * a registered check fails. One per process.
 */
export class Readiness {
  private readonly checks = new Map<string, ReadinessCheck>();
  private phase: Phase = 'starting';

  /** Adds a check under a unique name; the same name again replaces it. */
  register(name: string, check: ReadinessCheck): void {
    this.checks.set(name, check);
  }

  /** Migrations are done and the port is open. */
  markStarted(): void {
    if (this.phase === 'starting') this.phase = 'started';
  }

  /** Irreversible: a process that is stopping does not become ready again. */
  markDraining(): void {
    this.phase = 'draining';
  }

  state(): ReadinessReport {
    const checks: Record<string, ReadinessState> = { process: PHASES[this.phase] };
    for (const [name, check] of this.checks) checks[name] = run(check);
    return { ready: Object.values(checks).every((state) => state.ready), checks };
  }
}

function run(check: ReadinessCheck): ReadinessState {
  try {
    return check();
  } catch {
    return { ready: false, detail: 'the check failed' };
  }
}

/**
 * A check that ignores a short failure: removing every replica at once during a shared outage would make it worse.
 * @param failingSince start of the failure in epoch milliseconds, undefined when there is none
 */
export function afterGrace(graceMs: number, clock: Clock, failingSince: () => number | undefined): ReadinessCheck {
  return () => {
    const since = failingSince();
    if (since === undefined) return { ready: true };
    return clock.now() - since >= graceMs
      ? { ready: false, detail: 'unreachable' }
      : { ready: true, detail: 'failing' };
  };
}
