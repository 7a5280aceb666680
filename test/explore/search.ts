import { Canonical, forgetting } from './canonical.js';
import { SOUND, type Rules } from './code.js';
import { firstWithoutExit } from './exits.js';
import type { Exercised, Invariant } from './invariants.js';
import type { Scenario } from './scenario.js';
import { Service } from './service.js';
import { Numbers, StateTable } from './state-table.js';
import { stepsOf } from './steps/index.js';
import { restsUnscheduled, isLeftToItself, stopsMissing } from './rest.js';
import { Witness } from './witness.js';
import { firstWorld, type World } from './world.js';

export interface Violation {
  readonly invariant: Invariant;
  /** The shortest way there, in words. */
  readonly trace: readonly string[];
}

export interface Explored {
  readonly states: number;
  readonly steps: number;
  readonly depth: number;
  readonly rows: number;
  /** Every state within the bounds was met. */
  readonly whole: boolean;
  readonly violations: readonly Violation[];
  readonly exercised: Exercised;
}

export interface SearchOptions {
  readonly rules?: Rules;
  /** Ends at the first violation of this. */
  readonly until?: Invariant;
  /** Not beyond this many states. */
  readonly maxStates?: number;
  readonly progress?: (states: number, depth: number, waiting: number) => void;
}

const PROGRESS_EVERY = 1 << 14;

/** Breadth first: whatever is found first has the shortest trace. */
export class Search {
  private readonly witness: Witness;
  private readonly service: Service;
  private readonly canonical: Canonical;
  private readonly table = new StateTable();
  private readonly parents = new Numbers();
  /** The step that led there, by its place among those of the parent. */
  private readonly places = new Numbers();
  private readonly edges = { from: new Numbers(), to: new Numbers() };
  private readonly good = new Numbers();
  private readonly violations = new Map<Invariant, Violation>();
  private readonly begin: World;
  private steps = 0;
  private depth = 0;

  constructor(
    scenario: Scenario,
    private readonly options: SearchOptions = {},
  ) {
    this.witness = new Witness(scenario);
    this.service = new Service(scenario, options.rules ?? SOUND, this.witness);
    this.canonical = new Canonical(this.service);
    this.begin = firstWorld(scenario);
  }

  run(): Explored {
    let layer: World[] = [this.begin];
    this.add(this.begin, -1, 0);
    let first = 0;
    while (layer.length > 0 && !this.isOver()) {
      const next: World[] = [];
      for (let i = 0; i < layer.length && !this.isOver(); i += 1) this.expand(layer[i]!, first + i, next, layer.length - i);
      first += layer.length;
      layer = next;
      if (layer.length > 0) this.depth += 1;
    }
    const whole = layer.length === 0;
    if (whole && !this.isOver()) this.exits();
    return {
      ...{ states: this.table.count, steps: this.steps, depth: this.depth, rows: this.service.rows.size, whole },
      ...{ violations: [...this.violations.values()], exercised: this.witness.exercised },
    };
  }

  private isOver(): boolean {
    const { until, maxStates = Infinity } = this.options;
    return this.table.count >= maxStates || (until !== undefined && this.violations.has(until));
  }

  private expand(world: World, number: number, next: World[], waiting: number): void {
    const steps = stepsOf(world, this.service);
    for (let place = 0; place < steps.length; place += 1) {
      const { by, take } = steps[place]!;
      this.witness.found.clear();
      const reached = forgetting(take(), this.service);
      this.steps += 1;
      for (const invariant of [...this.witness.found]) this.violated(invariant, number, place);
      const known = this.table.count;
      const to = this.table.numberOf(this.canonical.key(reached));
      if (to === known) {
        this.added(reached, number, place);
        next.push(reached);
        if (known % PROGRESS_EVERY === 0) this.options.progress?.(known, this.depth, waiting + next.length);
      }
      if (by !== 'people' && by !== 'fault' && to !== number) {
        this.edges.from.push(number);
        this.edges.to.push(to);
      }
    }
  }

  private add(world: World, parent: number, place: number): void {
    this.table.numberOf(this.canonical.key(world));
    this.added(world, parent, place);
  }

  /** What is asked of a state as such. */
  private added(world: World, parent: number, place: number): void {
    this.parents.push(parent);
    this.places.push(place);
    const { witness, service } = this;
    const { finished } = service.rowOf(world).view;
    this.good.push(finished || isLeftToItself(world, service) ? 1 : 0);
    witness.found.clear();
    witness.atRest(finished, restsUnscheduled(world, service));
    const missing = stopsMissing(world, service);
    if (missing !== null) witness.expect('stops', !missing);
    for (const invariant of witness.found) this.violated(invariant, this.parents.length - 1, null);
  }

  private exits(): void {
    const good = new Uint8Array(this.table.count);
    for (let i = 0; i < good.length; i += 1) {
      good[i] = this.good.at(i);
      if (good[i] === 0) this.witness.exercised.exits += 1;
    }
    const stuck = firstWithoutExit(good.length, good, this.edges);
    if (stuck !== null) this.violated('exits', stuck, null);
  }

  private violated(invariant: Invariant, number: number, place: number | null): void {
    if (this.violations.has(invariant)) return;
    // Set first: the way is walked again, and meets the same.
    this.violations.set(invariant, { invariant, trace: [] });
    const found = new Set(this.witness.found);
    this.violations.set(invariant, { invariant, trace: this.traceTo(number, place) });
    this.witness.found.clear();
    for (const other of found) this.witness.found.add(other);
  }

  private traceTo(number: number, last: number | null): string[] {
    const places: number[] = last === null ? [] : [last];
    for (let at = number; this.parents.at(at) >= 0; at = this.parents.at(at)) places.unshift(this.places.at(at));
    let world = this.begin;
    return places.map((place) => {
      const { say, take } = stepsOf(world, this.service)[place]!;
      world = forgetting(take(), this.service);
      const { status, attempt } = this.service.rowOf(world).view;
      return `${say}  [${status}, attempt ${attempt}]`;
    });
  }
}
