import { schemaFits } from './schema-range.js';
import type { WorkloadRelease, WorkloadSeen } from './workload.js';

export interface ReleaseFacts {
  /** Revisions that must not run: the one to blame, and every one that is quarantined or was rolled back from. Never empty. */
  readonly bad: readonly string[];
  /** Revisions that the log proves healthy, the best first. Only these are gone back to. */
  readonly healthy: readonly string[];
  /** Of the database that the workers write to, where the caller knows it; null: as it is written on the object, else unknown. */
  readonly schemaVersion: string | null;
  /** What the databases say themselves, where they are asked. None: nobody asks. */
  readonly databases?: readonly SchemaAnswer[];
}

/** What a database says of the version of its schema; or why it says none, which is never taken for a fit. `passing`: asking again may help. */
export type SchemaAnswer = { readonly version: string } | { readonly unknown: string; readonly passing?: boolean };

/**
 * Why nothing is rolled back. Each is a reason to page somebody, none is a reason to try again:
 * - `already_stable`: what is wished for is not to blame; also after a rollback that stands.
 * - `unknown_revision`: what is wished for names no revision, so it cannot be told from others.
 * - `paused`: the wish would be accepted and not carried out.
 * - `no_stable_revision`: no release is left that proved healthy and is not bad itself.
 * - `schema_too_old`: there are such releases, and the database's schema has moved on past all of them.
 * - `schema_unknown`: there are such releases, all say which schemas they can work with, and nobody knows the schema's version, or a database
 *   that is to be asked does not say.
 */
export type ReleaseRefusal = 'already_stable' | 'unknown_revision' | 'paused' | 'no_stable_revision' | 'schema_too_old' | 'schema_unknown';

export type ReleaseChoice =
  | { readonly release: WorkloadRelease; readonly passedOver: readonly string[] }
  /** `passing`: only because of databases that may answer soon. */
  | { readonly refused: ReleaseRefusal; readonly why: string; readonly passing?: boolean };

/**
 * The release to go back to: of the revisions that proved healthy the best one that is still there and fits the schema. Never "the one before", which on a
 * second try is the bad one again. What the object and the databases say of the schema differs while one of them lags behind: a release has to fit all
 * of it. Decided before anything is written.
 */
export function chooseRelease(seen: WorkloadSeen, facts: ReleaseFacts): ReleaseChoice {
  const bad = new Set(facts.bad);
  if (seen.revision === null) return refuse('unknown_revision', `${seen.target} names no revision of what it runs`);
  if (!bad.has(seen.revision)) {
    return refuse('already_stable', `${seen.target} runs ${seen.revision}, which is not to blame (${facts.bad.join(', ')})`);
  }
  if (seen.paused) return refuse('paused', `${seen.target} is paused: a rollback would be accepted and never carried out`);
  const healthy = facts.healthy.filter((revision) => !bad.has(revision));
  const candidates = healthy.flatMap((revision) => {
    const release = seen.releases.find((one) => one.revision === revision && one.id !== seen.releaseId);
    return release === undefined ? [] : [release];
  });
  if (candidates.length === 0) return refuse('no_stable_revision', whyNone(seen, bad, healthy));
  const passedOver: string[] = [];
  let known = false;
  for (const release of candidates) {
    const fault = schemaFault(release, facts.schemaVersion ?? seen.schemaVersion, facts.databases ?? []);
    if (fault === null) return { release, passedOver };
    known ||= fault.known;
    passedOver.push(fault.why);
  }
  if (known) return refuse('schema_too_old', passedOver.join('; '));
  return { ...refuse('schema_unknown', passedOver.join('; ')), ...(maySaySoon(facts.databases ?? []) ? { passing: true } : {}) };
}

function refuse(refused: ReleaseRefusal, why: string): ReleaseChoice {
  return { refused, why };
}

function maySaySoon(databases: readonly SchemaAnswer[]): boolean {
  const silent = databases.flatMap((answer) => ('unknown' in answer ? [answer] : []));
  return silent.length > 0 && silent.every(({ passing }) => passing === true);
}

interface SchemaFault {
  readonly why: string;
  readonly known: boolean;
}

function schemaFault({ revision, schema }: WorkloadRelease, written: string | null, databases: readonly SchemaAnswer[]): SchemaFault | null {
  if (schema === undefined) return null;
  const name = revision ?? 'a release';
  const silent = databases.flatMap((answer) => ('unknown' in answer ? [answer.unknown] : []));
  if (silent.length > 0) return { why: `${name} needs a schema ${schema}, and ${silent.join('; ')}`, known: false };
  const versions = [...databases.flatMap((answer) => ('version' in answer ? [answer.version] : [])), ...(written === null ? [] : [written])];
  if (versions.length === 0) return { why: `${name} needs a schema ${schema}, and the schema's version is unknown`, known: false };
  return versions.map((version) => fitFault(name, schema, version)).find((fault) => fault !== null) ?? null;
}

function fitFault(name: string, schema: string, version: string): SchemaFault | null {
  switch (schemaFits(schema, version)) {
    case 'fits':
      return null;
    case 'outside':
      return { why: `${name} needs a schema ${schema}, the database is at ${version}`, known: true };
    case 'unreadable':
      return { why: `${name} needs a schema "${schema}", which cannot be compared with ${version}`, known: false };
  }
}

function whyNone(seen: WorkloadSeen, bad: ReadonlySet<string>, healthy: readonly string[]): string {
  const others = seen.releases.filter((release) => release.id !== seen.releaseId);
  if (others.length === 0) return `${seen.target} keeps no older release (revisionHistoryLimit)`;
  const names = others.map(({ revision }) => (revision === null ? 'one without a name' : bad.has(revision) ? `${revision} (bad)` : revision));
  const proved = healthy.length === 0 ? 'no other revision proved healthy' : `healthy were ${healthy.join(', ')}`;
  return `${seen.target} keeps ${names.join(', ')}; ${proved}`;
}
