/** Path rules, followed one segment at a time while an event is walked. */

export interface PathRule {
  readonly segments: readonly string[];
  readonly replaceWith: string;
}

/** How far into its path a rule has come. A rule with `**` stands at several places at once. */
export interface Place {
  readonly rule: PathRule;
  readonly at: number;
}

export interface Step {
  readonly places: readonly Place[];
  /** The rule whose path ends here. */
  readonly hit: PathRule | undefined;
}

const NOWHERE: Step = { places: [], hit: undefined };

/** All rules at the event itself. */
export function atRoot(rules: readonly PathRule[]): readonly Place[] {
  const places: Place[] = [];
  for (const rule of rules) enter(places, rule, 0);
  return places;
}

/** One key (or index) further. */
export function step(places: readonly Place[], key: string): Step {
  if (places.length === 0) return NOWHERE;
  return move(places, key, false);
}

/**
 * One array element further. Rules that do not name the index stay where they are, so that `cards.number` is found in
 * a list of cards as well: whoever forgets the `*` must not leak.
 */
export function stepInto(places: readonly Place[], index: number): Step {
  if (places.length === 0) return NOWHERE;
  return move(places, String(index), true);
}

function move(places: readonly Place[], key: string, stay: boolean): Step {
  const next: Place[] = [];
  let hit: PathRule | undefined;
  for (const { rule, at } of places) {
    const segment = rule.segments[at];
    const moved = segment === '**' ? at : segment === '*' || segment === key ? at + 1 : undefined;
    if (moved !== undefined && enter(next, rule, moved)) hit ??= rule;
    if (stay) add(next, rule, at);
  }
  return { places: next, hit };
}

/** Adds the place and what `**` may skip to. True where the path is at its end. */
function enter(places: Place[], rule: PathRule, at: number): boolean {
  if (at === rule.segments.length) return true;
  add(places, rule, at);
  return rule.segments[at] === '**' && enter(places, rule, at + 1);
}

/** Once: lists in lists would else double what is to be followed at each level. The places of a rule stand together. */
function add(places: Place[], rule: PathRule, at: number): void {
  for (let i = places.length - 1; i >= 0 && places[i]?.rule === rule; i -= 1) if (places[i]?.at === at) return;
  places.push({ rule, at });
}
