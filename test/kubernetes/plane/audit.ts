// What the API server itself has recorded of the calls of one namespace's service accounts: who says that nothing was written is not whom it is about.
import { existsSync, readFileSync } from 'node:fs';

export interface AuditedCall {
  readonly atMs: number;
  readonly verb: string;
  /** Of the object. */
  readonly namespace: string;
  /** `deployments.apps` */
  readonly resource: string;
  /** Of the answer; null: it was cut off. */
  readonly code: number | null;
  readonly dryRun: boolean;
}

interface AuditEvent {
  readonly requestReceivedTimestamp: string;
  readonly requestURI: string;
  readonly verb: string;
  readonly objectRef?: { readonly namespace?: string; readonly resource?: string; readonly apiGroup?: string };
  readonly responseStatus?: { readonly code?: number };
}

const READS: ReadonlySet<string> = new Set(['get', 'list', 'watch']);

/** For `--audit-policy-file`: every call of the accounts of this namespace, once, when it is answered. */
export function auditPolicy(accountsOf: string): string {
  const rules = [{ level: 'Metadata', userGroups: [`system:serviceaccounts:${accountsOf}`] }];
  return JSON.stringify({ apiVersion: 'audit.k8s.io/v1', kind: 'Policy', omitStages: ['RequestReceived', 'ResponseStarted'], rules });
}

/** Of `--audit-log-path`; about objects of this namespace. */
export function auditedCalls(file: string, namespace: string): readonly AuditedCall[] {
  const lines = existsSync(file) ? readFileSync(file, 'utf8').split('\n') : [];
  return lines
    .filter((line) => line.includes(`"${namespace}"`))
    .map((line) => callOf(JSON.parse(line) as AuditEvent))
    .filter((call) => call.namespace === namespace);
}

function callOf({ requestReceivedTimestamp, requestURI, verb, objectRef = {}, responseStatus }: AuditEvent): AuditedCall {
  const { namespace = '', resource = '', apiGroup } = objectRef;
  return {
    atMs: Date.parse(requestReceivedTimestamp),
    ...{ verb, namespace, resource: apiGroup === undefined ? resource : `${resource}.${apiGroup}` },
    code: responseStatus?.code ?? null,
    dryRun: requestURI.includes('dryRun='),
  };
}

/** That are more than a look, whatever was answered; a dry run is none. */
export function writesIn(calls: readonly AuditedCall[]): readonly AuditedCall[] {
  return calls.filter(({ verb, dryRun }) => !READS.has(verb) && !dryRun);
}

/** That came through, as far as anybody knows: one whose answer was cut off may have. */
export function wrote(calls: readonly AuditedCall[]): readonly AuditedCall[] {
  return writesIn(calls).filter(({ code }) => code === null || code < 300);
}

/** The most of them within any 60 s. */
export function mostInAMinute(calls: readonly AuditedCall[]): number {
  return Math.max(0, ...calls.map(({ atMs }) => calls.filter((other) => other.atMs >= atMs && other.atMs < atMs + 60_000).length));
}
