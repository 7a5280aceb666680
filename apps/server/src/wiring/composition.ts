import type { Failpoint, Loop } from '#libs/application';
import type { Environment, PolicySource as PolicyFiles } from '#libs/config';
import type { Metrics } from '#libs/observability';
import type { Installation, PgLaneClock } from '#libs/postgres';
import type { Logger } from 'pino';
import type { Lifecycle } from '../boot/lifecycle.js';
import type { Services } from '../services.js';
import type { Databases } from './databases.js';
import type { BuiltKafka } from './kafka.js';
import type { BuiltLearning } from './learning.js';
import type { Webhooks } from './webhooks.js';

export interface CompositionParts {
  readonly environment: Environment;
  /** Of the process. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly installation: Installation;
  readonly databases: Databases;
  readonly files: PolicyFiles;
  readonly webhooks: Webhooks;
  readonly lifecycle: Lifecycle;
  readonly metrics: Metrics;
  readonly log: Logger;
  readonly failpoint: Failpoint;
}

export interface Composition {
  readonly services: Services;
  /** Everything that goes on by itself, by what it needs to be stopped for. */
  readonly loops: Loops;
  readonly kafka: BuiltKafka;
}

export interface Loops {
  /** Beats of this replica: from the start on, in every role. */
  readonly clock: PgLaneClock;
  /** Looks whether this database is a restored one: before anything else, and then with the levels. */
  readonly noticeRestore: () => Promise<void>;
  readonly levels: Loop;
  /** Its first round belongs before anything is judged. */
  readonly learning: BuiltLearning;
  /** Of the role `work`. */
  readonly work: readonly { start(): void; stop(): Promise<void> }[];
}
