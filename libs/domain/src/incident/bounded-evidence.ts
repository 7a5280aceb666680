/**
 * What an incident's run goes by, of all that a step says: the fold reads nothing else, and whoever takes any of it away stops the
 * run. Each is bounded where it comes from (ids and names by the contract, the rest are figures and words of this program's own),
 * so it is kept whole whatever else is in a step. `plan` is one of them where it is no list of sentences.
 */
const GOES_BY: ReadonlySet<string> = new Set([
  ...['target', 'namespace', 'queueCount', 'source', 'revision', 'dryRun', 'drill'],
  ...['cause', 'subject', 'confidence', 'selfSustained', 'action', 'plan'],
  ...['intends', 'deadlineMs', 'because', 'snapshot', 'fault', 'lookFault', 'did', 'zeroLook', 'runsOn', 'held'],
  ...['release', 'written', 'outcome', 'step', 'percent', 'falls', 'code', 'keepsThrottle', 'answers'],
]);
/** Texts for people inside of these, and the evidence that is told later: they have a bound of their own. */
const SENTENCES: ReadonlySet<string> = new Set(['reason', 'why', 'detail']);
const SENTENCE_CHARACTERS = 2_000;

type Evidence = Readonly<Record<string, unknown>>;

/**
 * Evidence of at most so many characters of JSON. What is too large loses what is voluminous and for people, the largest first:
 * texts are cut, lists end earlier, and each stays of its kind; `leftOut` says how much is missing. Only what a run goes by may
 * make it longer than that.
 */
export function boundedEvidence(evidence: Evidence, characters: number): Evidence {
  const size = sizeOf(evidence);
  if (size <= characters) return evidence;
  const kept = Object.entries(evidence).filter(([name, value]) => goesBy(name, value));
  const lean = Object.fromEntries(kept.map(([name, value]) => [name, leanOf(value, characters)]));
  const others = Object.entries(evidence).filter(([name, value]) => !goesBy(name, value));
  const cut = { ...lean, ...fitted(others, characters - sizeOf(lean) - LEFT_OUT_CHARACTERS) };
  const ordered = Object.fromEntries(Object.keys(evidence).filter((name) => name in cut).map((name) => [name, cut[name]]));
  return { ...ordered, leftOut: `${String(size - sizeOf(ordered))} characters` };
}

/** `,"leftOut":"… characters"` */
const LEFT_OUT_CHARACTERS = 40;

function goesBy(name: string, value: unknown): boolean {
  return GOES_BY.has(name) && !Array.isArray(value);
}

function leanOf(value: unknown, characters: number): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]: [string, unknown]) => {
      if (SENTENCES.has(name) && typeof member === 'string') return [name, cutText(member, SENTENCE_CHARACTERS)];
      if (name === 'evidence' && typeof member === 'object' && member !== null) return [name, boundedEvidence(member as Evidence, characters / 4)];
      return [name, leanOf(member, characters)];
    }),
  );
}

/** The small ones whole, and of the large ones an equal share each. */
function fitted(members: readonly (readonly [string, unknown])[], characters: number): Record<string, unknown> {
  const bySize = members.map(([name, value]) => ({ name, value, size: sizeOf(name) + sizeOf(value) + 2 })).sort((a, b) => a.size - b.size);
  const found: Record<string, unknown> = {};
  let left = characters;
  for (const [i, { name, value, size }] of bySize.entries()) {
    const share = left / (bySize.length - i);
    found[name] = size <= share ? value : cutTo(value, share - sizeOf(name) - 2);
    left -= sizeOf(name) + sizeOf(found[name]) + 2;
  }
  return found;
}

function cutTo(value: unknown, characters: number): unknown {
  if (typeof value === 'string') return cutText(value, characters);
  if (Array.isArray(value)) return firstOf(value, characters);
  return typeof value === 'object' && value !== null ? fitted(Object.entries(value), characters) : value;
}

/** The first items, and a part of the one that no longer fits. */
function firstOf(items: readonly unknown[], characters: number): readonly unknown[] {
  const first: unknown[] = [];
  let left = characters - 2;
  for (const item of items) {
    const whole = sizeOf(item) + 1 <= left;
    const taken = whole ? item : cutTo(item, left - 1);
    if (sizeOf(taken) + 1 > left) break;
    first.push(taken);
    left -= sizeOf(taken) + 1;
    if (!whole) break;
  }
  return first;
}

/** A character may be six in JSON, so its share is measured there. Half a pair of a cut is none. */
function cutText(text: string, characters: number): string {
  let kept = text;
  while (kept.length > 0 && sizeOf(kept) > characters) {
    const length = Math.min(kept.length - 1, Math.floor((kept.length * characters) / sizeOf(kept)));
    kept = length <= 1 ? '' : `${kept.slice(0, length - 1).replace(/[\uD800-\uDBFF]$/u, '')}…`;
  }
  return kept;
}

function sizeOf(value: unknown): number {
  return (JSON.stringify(value) as string | undefined)?.length ?? 0;
}
