import type { LearnedThresholds, LevelOverrides, PolicySource, QueueGates, ResolvedPolicy } from '#libs/application';
import { withDrills, withGates, withLearned, withOverrides } from '#libs/application';
import type { PolicyFile, PolicySource as PolicyFiles, ResolvedPolicy as FilePolicy } from '#libs/config';
import {
  compileRedaction,
  DEFAULT_LIMITS,
  parseContext,
  type Limits,
  type ParseContext,
  type Redactor,
  type Transport,
} from '#libs/contracts';
import type { Budget, PolicySources, ThresholdSource } from '#libs/domain';
import type { Policies } from '../services.js';

/** The policy file for those who know nothing of files. Asked in hot paths: whatever follows from a file is kept. */
export class FilePolicies implements PolicySource {
  private readonly resolved = new WeakMap<FilePolicy, ResolvedPolicy>();
  private readonly followed = new WeakMap<PolicyFile, Followed>();

  constructor(
    private readonly files: PolicyFiles,
    private readonly hashKey: Uint8Array,
  ) {}

  get version(): string {
    return this.files.version;
  }

  get budget(): Budget {
    return this.files.current.budget;
  }

  policyFor(ref: { readonly namespace: string; readonly queue: string }, kind: string | null): ResolvedPolicy {
    const { namespace, queue } = ref;
    const found = this.files.resolve(kind === null ? { namespace, queue } : { namespace, queue, kind });
    let resolved = this.resolved.get(found);
    if (resolved === undefined) {
      resolved = { policy: found.policy, sources: sourcesOf(found), levels: found.policy.levels };
      this.resolved.set(found, resolved);
    }
    return resolved;
  }

  /** What events are read by that came this way. */
  context(transport: Transport): ParseContext {
    return this.current.contexts[transport];
  }

  /** For the routes, with what operators set over the file, and what history teaches where the file leaves it to it. */
  withLevels(overrides: LevelOverrides, gates: QueueGates, learned: Pick<LearnedThresholds, 'of' | 'kindsOf'>): Policies {
    return {
      file: () => this.files.current,
      limits: () => this.current.limits,
      redactor: () => this.current.redactor,
      context: () => this.context('http'),
      source: withDrills(withLearned(withGates(withOverrides(this, overrides), gates), learned)),
      kinds: (queue) => [...new Set([...this.kindsOf(queue), ...learned.kindsOf(queue)])].sort(),
      overrides: (queue) => overrides.of(queue),
      gate: (queue) => gates.of(queue),
    };
  }

  private kindsOf({ namespace, queue }: { readonly namespace: string; readonly queue: string }): readonly string[] {
    return [...(this.files.current.namespaces.get(namespace)?.queues.get(queue)?.kinds.keys() ?? [])];
  }

  private get current(): Followed {
    const file = this.files.current;
    let followed = this.followed.get(file);
    if (followed === undefined) {
      const limits: Limits = { ...DEFAULT_LIMITS, ...file.limits };
      const redactor = compileRedaction(file.redaction);
      const http = parseContext({ hashKey: this.hashKey, limits, redactor });
      followed = { limits, redactor, contexts: { http, kafka: { ...http, transport: 'kafka' } } };
      this.followed.set(file, followed);
    }
    return followed;
  }
}

interface Followed {
  readonly limits: Limits;
  readonly redactor: Redactor;
  readonly contexts: Readonly<Record<Transport, ParseContext>>;
}

const LAYERS: Readonly<Record<string, ThresholdSource>> = { kind: 'kind', queue: 'queue' };

function sourcesOf({ origins }: FilePolicy): PolicySources {
  const source = (setting: string): ThresholdSource => LAYERS[origins.get(setting)?.layer ?? ''] ?? 'default';
  return { lease: source('lease'), stuckAfter: source('stuckAfter'), hardTimeout: source('hardTimeout') };
}
