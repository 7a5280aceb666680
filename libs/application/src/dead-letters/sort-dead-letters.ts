import { patternKeyHex } from '#libs/contracts';
import { fingerprintText, patternOf, type CauseOfDeath, type Pattern } from '#libs/domain';
import type { DeadLetterIndex, SortedLetter, UnsortedLetter } from '../ports/dead-letter-index.port.js';

const PER_SHARD = 200;

/** Where a queue's failures have too little in common: one pattern for the rest, so that nothing grows without bound. */
const REST: Pattern = { reason: 'other', class: null, message: '', frames: [] };

/**
 * Sorts dead letters by what they died of. The pattern is a function of the decision and of the stack beside it, so it
 * does not matter when, how often or by whom they are sorted. A stack that was erased before leaves the frames out.
 */
export class SortDeadLetters {
  constructor(private readonly index: DeadLetterIndex) {}

  /** One step; true: there may be more. */
  async turn(): Promise<boolean> {
    const letters = await this.index.unsorted(PER_SHARD);
    if (letters.length === 0) return false;
    await this.index.sort(letters.map(sorted));
    return true;
  }
}

function sorted(letter: UnsortedLetter): SortedLetter {
  const { data, stacks, ...rest } = letter;
  const decision = JSON.parse(data) as DeadLettered;
  const link = decision.evidence?.chain?.find(({ attempt }) => attempt === decision.attempt);
  const worker = link?.workers?.[0];
  const pattern = patternOf(causeOf(decision, link, stacks));
  const fingerprint = (of: Pattern, kind: string | null) => patternKeyHex(fingerprintText({ ...letter, kind }, of));
  return {
    ...rest,
    attempt: decision.attempt,
    worker: worker?.id ?? null,
    revision: worker?.revision ?? null,
    pattern,
    fingerprint: fingerprint(pattern, letter.kind),
    // Not of each kind: there may be as many kinds as patterns.
    overflow: { pattern: REST, kind: null, fingerprint: fingerprint(REST, null) },
  };
}

/** As {@link deadLetter} of the domain writes it. */
interface DeadLettered {
  readonly attempt: number;
  readonly reason: string;
  readonly evidence?: { readonly chain?: readonly Link[] };
}

interface Link {
  readonly attempt: number;
  readonly workers?: readonly { readonly id: string; readonly revision?: string }[];
  readonly error?: { readonly class: string; readonly message: string; readonly stack?: { readonly hash?: string } };
}

function causeOf({ reason }: DeadLettered, link: Link | undefined, stacks: UnsortedLetter['stacks']): CauseOfDeath {
  if (link?.error === undefined) return { reason, error: null };
  const { class: name, message, stack } = link.error;
  return { reason, error: { class: name, message, stack: stacks.get(stack?.hash ?? '') ?? null } };
}

/** The hashes of the stacks that a decision names: for whoever reads them beside it. */
export function stackHashOf(data: string): string | null {
  const { attempt, evidence } = JSON.parse(data) as DeadLettered;
  return evidence?.chain?.find((link) => link.attempt === attempt)?.error?.stack?.hash ?? null;
}
