import type { KeyedHash } from './keyed-hash.js';
import { keyedHash } from './keyed-hash.js';
import { DEFAULT_LIMITS, type Limits } from '../limits.js';
import { NO_REDACTION, type Redactor } from '../redaction/redactor.js';

/** How the event came: a decision type from outside is refused over HTTP, quarantined from Kafka. */
export type Transport = 'http' | 'kafka';

/** Everything that parsing depends on besides the event. Made once, used for every event. */
export interface ParseContext {
  readonly limits: Limits;
  readonly redactor: Redactor;
  readonly transport: Transport;
  readonly contentHash: KeyedHash;
}

export interface ParseOptions {
  /**
   * Key of the content hash, at least 16 random bytes. Secret and the same for the life of the database: with another
   * key every repeat looks like `id_reused`, and without a secret one a stored hash tells what redaction has cut.
   */
  readonly hashKey: Uint8Array;
  /** Default: {@link DEFAULT_LIMITS}. */
  readonly limits?: Partial<Limits>;
  /** Default: nothing is cut. */
  readonly redactor?: Redactor;
  /** Default `http`. */
  readonly transport?: Transport;
}

/** Throws RangeError where the key is shorter than 16 bytes. */
export function parseContext(options: ParseOptions): ParseContext {
  return {
    limits: { ...DEFAULT_LIMITS, ...options.limits },
    redactor: options.redactor ?? NO_REDACTION,
    transport: options.transport ?? 'http',
    contentHash: keyedHash(options.hashKey),
  };
}
