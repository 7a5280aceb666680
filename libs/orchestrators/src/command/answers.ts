import { createHash } from 'node:crypto';
import { OrchestratorError, type Applied } from '#libs/application';
import type { PodSeen, WorkloadRelease, WorkloadSeen, Writer } from '#libs/domain';

type Fields = Readonly<Record<string, unknown>>;

/**
 * What a command printed, read field by field. Few are required: the revision that is wished for, and how many workers are wished for and there. A wrong type
 * is `rejected` with the name of the field: half understood is worse than not at all.
 */
export function seenFrom(target: string, output: string): WorkloadSeen {
  const read = new Reading(target, output);
  const generation = read.count('generation', 0);
  const wanted = read.count('wanted');
  const available = read.count('available');
  const revision = read.name('revision');
  const releases = read.list('releases').map((item) => releaseFrom(item));
  const releaseId = read.name('releaseId', releases.find((release) => release.revision === revision)?.id ?? null);
  return {
    target,
    version: read.name('version', null) ?? createHash('sha256').update(output).digest('hex').slice(0, 16),
    generation,
    observedGeneration: read.count('observedGeneration', generation),
    ...{ wanted, available, revision, releaseId, releases },
    replicas: read.count('replicas', available),
    updated: read.count('updated', available),
    pods: read.list('pods').map((item) => podFrom(item)),
    paused: read.flag('paused'),
    failure: read.name('failure', null),
    hindrance: read.name('hindrance', null),
    schemaVersion: read.name('schemaVersion', null),
    scaler: null,
    writers: { release: writerFrom(read.name('writer', null)), replicas: writerFrom(read.name('writer', null)) },
    unseen: [],
  };
}

/** Printing nothing says: done, as the exit code does. `seen`: the look that the write was made on. */
export function appliedFrom(target: string, output: string, seen: WorkloadSeen): Applied {
  if (output.trim() === '') return { changed: true, generation: seen.generation, version: seen.version, writes: 1 };
  const read = new Reading(target, output);
  const changed = read.flag('changed', true);
  return { changed, generation: read.count('generation', seen.generation), version: read.name('version', null) ?? seen.version, writes: changed ? 1 : 0 };
}

function releaseFrom(read: Reading): WorkloadRelease {
  const id = read.name('id') ?? '';
  const schema = read.name('schema', null);
  return { id, revision: read.name('revision', id), createdMs: read.count('createdMs', 0), ...(schema === null ? {} : { schema }) };
}

function podFrom(read: Reading): PodSeen {
  const reason = read.name('reason', null);
  return {
    ...{ name: read.name('name') ?? '', revision: read.name('revision', null), ready: read.flag('ready'), terminating: read.flag('terminating') },
    ...(reason === null ? {} : { reason }),
  };
}

const writerFrom = (manager: string | null): Writer | null => (manager === null ? null : { manager, atMs: null });

class Reading {
  private readonly fields: Fields;

  constructor(
    private readonly what: string,
    source: unknown,
  ) {
    const parsed = typeof source === 'string' ? parse(source) : source;
    if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) throw this.fault('it printed no JSON object');
    this.fields = parsed as Fields;
  }

  /** A whole number from 0 on. */
  count(field: string, fallback?: number): number {
    const value = this.fields[field] ?? fallback;
    if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return value;
    throw this.fault(`"${field}" must be a whole number from 0 on`);
  }

  /** Text, or null where it is written so. Without a fallback it must be written. */
  name(field: string, fallback?: string | null): string | null {
    const value = this.fields[field] === undefined ? fallback : this.fields[field];
    if (value === null || (typeof value === 'string' && value !== '' && value.length <= 1_024)) return value;
    throw this.fault(`"${field}" must be a text of 1 to 1024 characters`);
  }

  flag(field: string, fallback = false): boolean {
    const value = this.fields[field] ?? fallback;
    if (typeof value === 'boolean') return value;
    throw this.fault(`"${field}" must be true or false`);
  }

  list(field: string): readonly Reading[] {
    const value = this.fields[field] ?? [];
    if (!Array.isArray(value) || value.length > 10_000) throw this.fault(`"${field}" must be a list of at most 10000`);
    return value.map((item: unknown, i) => new Reading(`${this.what}: ${field}[${String(i)}]`, item));
  }

  private fault(rule: string): OrchestratorError {
    return new OrchestratorError('rejected', `${this.what}: ${rule}`);
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
