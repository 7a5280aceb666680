import type { FaultLog } from './fault-log.js';
import { forEachEntry, readFields, type OtherKeys, type PlacedSettings } from './fields.js';
import { ACTION_KEYS, POLICY_FIELDS } from './policy-fields.js';
import type { PolicySettings } from './policy-settings.js';
import type { PolicyLayer } from './policy-types.js';
import { childPath, type MapEntry, type Place, type Tree } from './yaml-tree.js';

/** One place of the file that sets policy: the settings written there, and nothing of what they inherit. */
export interface Layer {
  readonly layer: Exclude<PolicyLayer, 'default'>;
  /** `defaults`, `queues.emails`, `namespaces.acme.queues.emails.kinds.monthly`. */
  readonly at: string;
  readonly place: Place;
  readonly settings: PlacedSettings<PolicySettings>;
}

export interface QueueLayers {
  readonly queue: Layer;
  readonly kinds: ReadonlyMap<string, Layer>;
}

/** `defaults` and `queues`, of the file's top or of a namespace. */
export interface ScopeLayers {
  readonly defaults: Layer | null;
  readonly queues: ReadonlyMap<string, QueueLayers>;
}

export class LayerReader {
  readonly #log: FaultLog;
  readonly #maxQueueBytes: number;

  constructor(log: FaultLog, maxQueueBytes: number) {
    this.#log = log;
    this.#maxQueueBytes = maxQueueBytes;
  }

  /** The keys of a scope that hold policy; `take` gets each once it is read. */
  scopeKeys(layer: 'defaults' | 'namespace', take: (found: Partial<ScopeLayers>) => void): OtherKeys {
    return new Map([
      ['defaults', (entry: MapEntry, path: string) => take({ defaults: this.#layer(layer, entry.value, path) })],
      ['queues', (entry: MapEntry, path: string) => take({ queues: this.#queues(entry.value, path) })],
    ]);
  }

  namespaces(tree: Tree, path: string): ReadonlyMap<string, ScopeLayers> {
    const namespaces = new Map<string, ScopeLayers>();
    forEachEntry({ tree, path, log: this.#log }, (entry, entryPath) => {
      this.#checkName(entry, entryPath, 'a namespace');
      let scope: ScopeLayers = { defaults: null, queues: new Map() };
      const keys = this.scopeKeys('namespace', (found) => {
        scope = { ...scope, ...found };
      });
      readFields<object>({ tree: entry.value, path: entryPath, log: this.#log }, {}, keys);
      namespaces.set(entry.key, scope);
    });
    return namespaces;
  }

  #queues(tree: Tree, path: string): ReadonlyMap<string, QueueLayers> {
    const queues = new Map<string, QueueLayers>();
    forEachEntry({ tree, path, log: this.#log }, (entry, entryPath) => {
      this.#checkName(entry, entryPath, 'a queue');
      const kinds = new Map<string, Layer>();
      const readKinds = (holder: MapEntry, kindsPath: string): void => {
        forEachEntry({ tree: holder.value, path: kindsPath, log: this.#log }, (kind, kindPath) => {
          this.#checkName(kind, kindPath, 'a kind');
          kinds.set(kind.key, this.#layer('kind', kind.value, kindPath));
        });
      };
      const queue = this.#layer('queue', entry.value, entryPath, new Map([['kinds', readKinds]]));
      queues.set(entry.key, { queue, kinds });
    });
    return queues;
  }

  #layer(layer: Layer['layer'], tree: Tree, path: string, others: OtherKeys = new Map()): Layer {
    // `actions: act` is short for all of them; as a map it is read like any other group.
    const actions = singleActions(tree);
    const keys: OtherKeys = actions === undefined ? others : new Map([...others, ['actions', () => undefined]]);
    const settings = readFields({ tree, path, log: this.#log }, POLICY_FIELDS, keys);
    if (actions !== undefined) this.#setAllActions(settings, actions, childPath(path, 'actions'));
    return { layer, at: path, place: tree.place, settings };
  }

  #setAllActions(settings: PlacedSettings<PolicySettings>, entry: MapEntry, path: string): void {
    for (const key of ACTION_KEYS) {
      const reading = POLICY_FIELDS[key].reader.read(entry.value);
      if (reading.ok) settings[key] = { value: reading.value, place: entry.place, path };
      else this.#log.add('bad-value', entry.value.place, path, reading.rule, reading.mend);
    }
  }

  /** Names are exact: a glob would silently match nothing. */
  #checkName(entry: MapEntry, path: string, what: string): void {
    const bytes = Buffer.byteLength(entry.key);
    if (bytes === 0 || bytes > this.#maxQueueBytes) {
      const rule = `the name of ${what} must have 1 to ${String(this.#maxQueueBytes)} bytes, has ${String(bytes)}`;
      this.#log.add('bad-name', entry.place, path, rule, 'shorten it, or raise limits.queue');
    } else if (/[*?]/.test(entry.key)) {
      this.#log.add(
        'no-globs',
        entry.place,
        path,
        `the name of ${what} is exact, and this looks like a pattern`,
        'write one entry for each, or use defaults',
      );
    }
  }
}

function singleActions(tree: Tree): MapEntry | undefined {
  const entry = tree.kind === 'map' ? tree.entries.find((candidate) => candidate.key === 'actions') : undefined;
  return entry?.value.kind === 'scalar' ? entry : undefined;
}
