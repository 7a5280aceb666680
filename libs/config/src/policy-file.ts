import { createHash } from 'node:crypto';
import { DEFAULT_NAMESPACE } from '#libs/domain';
import { FaultLog } from './fault-log.js';
import { byPlace, failure, success, type Fault, type Result } from './fault.js';
import { readFields } from './fields.js';
import { checkTarget, readOrchestrators } from './orchestrators.js';
import { LayerReader, type Layer, type QueueLayers, type ScopeLayers } from './policy-layers.js';
import { readBudget, readLimits } from './policy-limits.js';
import { checkFallback, checkRules } from './policy-rules.js';
import { resolveStack, stackLayers } from './policy-stack.js';
import type { NamespaceScope, OrchestratorEntry, PolicyFile, QueueScope, ResolvedPolicy } from './policy-types.js';
import { readRedaction } from './redaction-rules.js';
import { readTokens } from './token-entries.js';
import { readTraces } from './trace-settings.js';
import { readWebhooks } from './webhook-targets.js';
import { readYaml, type MapEntry, type Tree } from './yaml-tree.js';

const SECTIONS = ['budget', 'limits', 'redaction', 'webhooks', 'tokens', 'orchestrators', 'traces', 'namespaces'] as const;
type Section = (typeof SECTIONS)[number];

/**
 * Checks a policy file as a whole and resolves it. Every combination of layers that the file can produce is
 * resolved here, once: a fault anywhere is found now rather than when the first job of that kind comes, and
 * what the hot path asks later is a look-up. The number of combinations is bounded by the length of the file,
 * whatever names events carry.
 *
 * `fileName` is only for messages. An empty text is a valid file: the built-in defaults.
 */
export function parsePolicy(text: string, fileName: string): Result<PolicyFile> {
  const log = new FaultLog(fileName);
  const root = readYaml(text, log);
  if (root === null) return failure(inOrder(log));
  const sections = new Map<Section, Tree>();
  let scope: ScopeLayers = { defaults: null, queues: new Map() };
  const limitsTree = root.kind === 'map' ? root.entries.find((entry) => entry.key === 'limits')?.value : undefined;
  // Before the rest: names are checked against it.
  const limits = readLimits(limitsTree, log);
  const layers = new LayerReader(log, limits.queueBytes);
  const takeSection = (section: Section): [string, (entry: MapEntry) => void] => [
    section,
    (entry) => void sections.set(section, entry.value),
  ];
  const takeScope = (found: Partial<ScopeLayers>): void => {
    scope = { ...scope, ...found };
  };
  readFields<object>(
    { tree: root, path: '', log },
    {},
    new Map([...layers.scopeKeys('defaults', takeScope), ...SECTIONS.map(takeSection)]),
  );
  const namespacesTree = sections.get('namespaces');
  const namespaces =
    namespacesTree === undefined ? new Map<string, ScopeLayers>() : layers.namespaces(namespacesTree, 'namespaces');
  const orchestrators = readOrchestrators(sections.get('orchestrators'), log);
  const resolver = new Resolver(log, { top: scope, named: namespaces, orchestrators });
  const content: Omit<PolicyFile, 'version'> = {
    fileName,
    defaults: resolver.defaults(),
    namespaces: resolver.namespaces(),
    budget: readBudget(sections.get('budget'), log),
    limits,
    redaction: readRedaction(sections.get('redaction'), log),
    webhooks: readWebhooks(sections.get('webhooks'), log),
    tokens: readTokens(sections.get('tokens'), log),
    orchestrators,
    traces: readTraces(sections.get('traces'), log),
  };
  return log.count > 0 ? failure(inOrder(log)) : success(Object.freeze({ ...content, version: versionOf(content) }));
}

/** What holds without a policy file: observe everything, act on nothing. */
export function builtInPolicy(): PolicyFile {
  const result = parsePolicy('', 'built-in');
  if (!result.ok) throw new Error('the built-in defaults must be a valid policy');
  return result.value;
}

function inOrder(log: FaultLog): readonly Fault[] {
  return [...log.faults].sort(byPlace);
}

/** Resolves and checks every combination of layers. */
class Resolver {
  readonly #log: FaultLog;
  readonly #top: ScopeLayers;
  readonly #named: ReadonlyMap<string, ScopeLayers>;
  readonly #orchestrators: ReadonlyMap<string, OrchestratorEntry>;

  constructor(log: FaultLog, file: { top: ScopeLayers; named: ReadonlyMap<string, ScopeLayers>; orchestrators: ReadonlyMap<string, OrchestratorEntry> }) {
    this.#log = log;
    this.#top = file.top;
    this.#named = file.named;
    this.#orchestrators = file.orchestrators;
  }

  defaults(): ResolvedPolicy {
    return this.#resolve([this.#top.defaults]);
  }

  /** The queues at the file's top are those of the namespace `default`: elsewhere the same name is another queue. */
  namespaces(): ReadonlyMap<string, NamespaceScope> {
    const names = new Set([DEFAULT_NAMESPACE, ...this.#named.keys()]);
    return new Map([...names].map((name) => [name, this.#namespace(name)]));
  }

  #namespace(name: string): NamespaceScope {
    const own = this.#named.get(name);
    const base = [this.#top.defaults, own?.defaults ?? null];
    const groups = name === DEFAULT_NAMESPACE ? [this.#top.queues, own?.queues] : [own?.queues];
    const queueNames = new Set(groups.flatMap((group) => [...(group?.keys() ?? [])]));
    const queues = new Map<string, QueueScope>();
    for (const queue of queueNames) {
      queues.set(
        queue,
        this.#queue(
          queue,
          base,
          groups.flatMap((group) => group?.get(queue) ?? []),
        ),
      );
    }
    return { resolved: this.#resolve(base), queues };
  }

  #queue(queue: string, base: readonly (Layer | null)[], written: readonly QueueLayers[]): QueueScope {
    const layers = [...base, ...written.map((entry) => entry.queue)];
    const kindNames = new Set(written.flatMap((entry) => [...entry.kinds.keys()]));
    const kinds = new Map<string, ResolvedPolicy>();
    for (const kind of kindNames) {
      const own = written.flatMap((entry) => entry.kinds.get(kind) ?? []);
      kinds.set(kind, this.#resolve([...layers, ...own], queue));
    }
    return { resolved: this.#resolve(layers, queue), kinds };
  }

  #resolve(layers: readonly (Layer | null)[], queue?: string): ResolvedPolicy {
    const stack = stackLayers(layers.filter((layer) => layer !== null));
    checkRules(stack, this.#log);
    checkTarget(stack, this.#orchestrators, this.#log);
    if (queue !== undefined) checkFallback(stack, queue, this.#log);
    return resolveStack(stack);
  }
}

/** Of the meaning, not of the text: who rebuilds schedules on a change should not do it for a comment. */
function versionOf(file: Omit<PolicyFile, 'version'>): string {
  const hash = createHash('sha256');
  const add = (value: unknown): void => void hash.update(`${JSON.stringify(value)}\n`);
  const sortedEntries = <Value>(map: ReadonlyMap<string, Value>): [string, Value][] =>
    [...map].sort(([a], [b]) => (a < b ? -1 : 1));
  add(file.defaults.policy);
  for (const [namespace, scope] of sortedEntries(file.namespaces)) {
    add([namespace, scope.resolved.policy]);
    for (const [queue, { resolved, kinds }] of sortedEntries(scope.queues)) {
      add([queue, resolved.policy, sortedEntries(kinds).map(([kind, { policy }]) => [kind, policy])]);
    }
  }
  add([file.budget, file.limits, file.tokens, [...file.orchestrators]]);
  add(file.redaction.map(({ match, ...rest }) => [match.by === 'path' ? match.path : match.pattern.source, rest]));
  add(
    file.webhooks.map(({ url, events, queues, secret }) => [
      url,
      events,
      queues,
      secret.from === 'file-itself' ? secret.value.reveal() : secret,
    ]),
  );
  return hash.digest('hex').slice(0, 16);
}
