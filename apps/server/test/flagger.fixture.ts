import { readFileSync } from 'node:fs';
import { parseAllDocuments } from 'yaml';

export interface ShippedHook {
  readonly type: string;
  readonly url: string;
  readonly metadata: Readonly<Record<string, string>>;
}

interface Analysis {
  readonly iterations: number;
  readonly webhooks: readonly ShippedHook[];
}

/** What the Canary that is shipped asks, and how often it looks before it is promoted. */
export function shippedAnalysis(): Analysis {
  const text = readFileSync(new URL('../../../deploy/flagger/canary.yaml', import.meta.url), 'utf8');
  const [canary] = parseAllDocuments(text).map((d) => d.toJS() as { spec: { analysis: Analysis } });
  if (canary === undefined) throw new Error('no Canary is shipped');
  return canary.spec.analysis;
}

export type Phase = 'Initialized' | 'Waiting' | 'Progressing' | 'WaitingPromotion' | 'Promoting' | 'Finalising' | 'Succeeded' | 'Failed';

export interface Asked {
  readonly hook: string;
  /** What the call says; a promotion is always asked for as if it were progressing. */
  readonly phase: Phase;
  readonly checksum: string;
}

/** Up to 202 is a yes. */
type Ask = (asked: Asked) => Promise<number>;

/**
 * What Flagger (`scheduler.go`, its provider `kubernetes`) asks of its webhooks, an interval at a time. Until a rollout is confirmed its calls carry
 * the checksum of the one before. While it goes on a rollback is asked for at every interval before anything else, and no more once it is promoted.
 * A promotion has to be confirmed twice in a row: before the last of the iterations, and after it.
 */
export class FlaggerRollout {
  phase: Phase = 'Initialized';
  /** Each call that was made, and what was answered: `rollback Progressing 403`. */
  readonly log: string[] = [];
  private iterations = 0;
  private checksum = 'none';

  constructor(
    private readonly of: number,
    private readonly ask: Ask,
  ) {}

  /** @returns the phase in which it leaves the Canary. `release`: the checksum of what was applied last. */
  async interval(release: string): Promise<Phase> {
    return (this.phase = await this.next(release));
  }

  private async next(release: string): Promise<Phase> {
    if (this.phase === 'Promoting') return 'Finalising';
    if (this.phase === 'Finalising') return 'Succeeded';
    if (this.phase === 'Progressing' || this.phase === 'WaitingPromotion') return await this.progress(this.phase);
    if (release === this.checksum) return this.phase;
    if (!(await this.yes('confirm-rollout', this.phase))) return 'Waiting';
    this.checksum = release;
    this.iterations = 0;
    return 'Progressing';
  }

  private async progress(phase: Phase): Promise<Phase> {
    if (await this.yes('rollback', phase)) return 'Failed';
    if (this.iterations < this.of) {
      this.iterations += 1;
      return phase;
    }
    if (!(await this.yes('confirm-promotion', 'Progressing'))) {
      if (phase === 'WaitingPromotion') this.iterations = this.of - 1;
      return 'WaitingPromotion';
    }
    this.iterations += 1;
    return this.iterations > this.of + 1 ? 'Promoting' : phase;
  }

  private async yes(hook: string, phase: Phase): Promise<boolean> {
    const status = await this.ask({ hook, phase, checksum: this.checksum });
    this.log.push(`${hook} ${phase} ${String(status)}`);
    return status <= 202;
  }
}
