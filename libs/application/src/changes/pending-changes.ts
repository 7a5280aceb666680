/** Something of this kind is not what it was. Members that are left out: of any. */
export interface Change {
  readonly what: ChangeKind;
  readonly namespace?: string;
  readonly queue?: string;
  readonly id?: string;
}

export const CHANGE_KINDS = ['job', 'queue', 'verdict', 'run', 'incident', 'dead-letters', 'redrive', 'quarantine', 'installation', 'signal', 'maintenance', 'revision'] as const;
export type ChangeKind = (typeof CHANGE_KINDS)[number];

/** So many notes are told apart; what is more is said in fewer words. */
const MOST = 40;

/**
 * What a reader has yet to be told. Bounded however much happens and however slowly it reads: with too many notes first the ids are
 * left out, then the queues, then the namespaces. A note that says less only makes more be read again than had to be.
 */
export class PendingChanges {
  private notes = new Map<string, Change>();

  constructor(private readonly most = MOST) {}

  get empty(): boolean {
    return this.notes.size === 0;
  }

  add(change: Change): void {
    this.put(change);
    for (const blur of BLURS) {
      if (this.notes.size <= this.most) return;
      const all = [...this.notes.values()];
      this.notes = new Map();
      for (const one of all) this.put(blur(one));
    }
  }

  take(): Change[] {
    const all = [...this.notes.values()];
    this.notes.clear();
    return all;
  }

  private put(change: Change): void {
    const { what, namespace, queue, id } = change;
    const wider = [[what], [what, namespace], [what, namespace, queue]].map((key) => JSON.stringify(key));
    if (wider.some((key) => this.notes.has(key))) return;
    const key = [what, namespace, queue, id];
    while (key.length > 1 && key.at(-1) === undefined) key.pop();
    this.notes.set(JSON.stringify(key), change);
  }
}

const BLURS: readonly ((change: Change) => Change)[] = [
  ({ what, namespace, queue }) => ({ what, ...(namespace !== undefined && { namespace }), ...(queue !== undefined && { queue }) }),
  ({ what, namespace }) => ({ what, ...(namespace !== undefined && { namespace }) }),
  ({ what }) => ({ what }),
];
