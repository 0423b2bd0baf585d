import type { Clock } from '../core/time.js';

/** What one check says. `detail` is shown to anyone who asks: no host, no error text. */
export interface ReadinessState {
  readonly ready: boolean;
  readonly detail?: string;
}

/** Looks at what is known already. Never calls a database or a provider: it may be asked many times a second. */
export type ReadinessCheck = () => ReadinessState;

/** The answer of `GET /health/ready`. */
export interface ReadinessReport {
  readonly ready: boolean;
  readonly checks: Readonly<Record<string, ReadinessState>>;
}

/** What a probe is told of it. */
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
 * Whether this process should be sent requests: not before its start-up is done, not once it is stopping, and not while
 * a registered check says no. One per process.
 */
export class Readiness {
  private readonly checks = new Map<string, ReadinessCheck>();
  private phase: Phase = 'starting';

  /** Adds a check under a name of its own; the same name again replaces it. */
  register(name: string, check: ReadinessCheck): void {
    this.checks.set(name, check);
  }

  /** Migrations are done and the port is open. */
  markStarted(): void {
    if (this.phase === 'starting') this.phase = 'started';
  }

  /** For good: a process that is stopping does not come back. */
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
 * A check that forgives a short failure: taking every replica away at once for an outage they share helps nobody.
 * @param failingSince milliseconds since 1970 at which the trouble began, undefined when there is none
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
