import type { Crew } from './crew.js';
import { ORDERS_WORKERS } from './settings.js';
import type { Wish, WishFiles } from './wish.js';

const LOOK_EVERY_MS = 250;

/**
 * What a cluster's controller does: reads the wish, and has the crew become like it. A new release that is rolled out with care
 * gets half of the places; somebody has to say that it may have the others.
 */
export class Orchestrator {
  private readonly timer: NodeJS.Timeout;
  private seen: Wish | null = null;
  private before = '';

  constructor(
    private readonly files: WishFiles,
    private readonly crew: Crew,
  ) {
    this.timer = setInterval(() => this.look(), LOOK_EVERY_MS);
  }

  /** What a person, or a pipeline, does to bring a release out. */
  release(revision: string, { careful }: { readonly careful: boolean }): void {
    const generation = (this.files.wish()?.generation ?? 0) + 1;
    this.files.write('wish', { revision, replicas: ORDERS_WORKERS, careful, generation, writer: 'deploy-pipeline' });
    this.look();
  }

  /** Who is there has changed. */
  note(): void {
    this.files.write('standing', { observedGeneration: this.seen?.generation ?? 0, pods: this.crew.pods });
  }

  close(): void {
    clearInterval(this.timer);
  }

  private look(): void {
    const wish = this.files.wish();
    if (wish === null || wish.generation === this.seen?.generation) return;
    if (this.seen !== null && this.seen.revision !== wish.revision) this.before = this.seen.revision;
    this.seen = wish;
    this.crew.match(placesOf(wish, this.before));
    this.note();
  }
}

/** A revision for each place. */
export function placesOf({ revision, replicas, careful }: Pick<Wish, 'revision' | 'replicas' | 'careful'>, before: string): readonly string[] {
  const old = careful && before !== '' ? Math.floor(replicas / 2) : 0;
  return [...Array.from({ length: replicas - old }, () => revision), ...Array.from({ length: old }, () => before)];
}
