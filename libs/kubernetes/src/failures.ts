import { OrchestratorError } from '#libs/application';

/** One call as the cluster's rights know it. */
export interface Call {
  readonly verb: 'get' | 'list' | 'patch';
  readonly group: '' | 'apps' | 'autoscaling' | 'keda.sh';
  readonly resource: string;
  readonly namespace: string;
  readonly name?: string;
}

/** What the cluster answers with instead of an object. */
interface Status {
  readonly message?: string;
  readonly reason?: string;
  readonly details?: { readonly causes?: readonly unknown[]; readonly retryAfterSeconds?: number };
}

/** `patch deployments.apps shop/workers` */
export function nameOf({ verb, group, resource, namespace, name }: Call): string {
  const kind = group === '' ? resource : `${resource}.${group}`;
  return `${verb} ${kind} ${name === undefined ? `in ${namespace}` : `${namespace}/${name}`}`;
}

/**
 * The cluster's refusals, translated once. A JSON patch whose `test` does not hold is answered 422 like a write that the cluster finds wrong, but without a
 * cause: somebody else has written since, as with 409.
 */
export function refusalOf(call: Call, status: number, body: string, retryAfter: string | undefined): OrchestratorError {
  const said = statusOf(body);
  const what = nameOf(call);
  switch (status) {
    case 401:
      return new OrchestratorError('forbidden', `${what}: the cluster does not accept the credentials`);
    case 403:
      return new OrchestratorError('forbidden', forbidden(call, said));
    case 404:
      return new OrchestratorError('not_found', `${what}: not found`);
    case 409:
      return new OrchestratorError('conflict', `${what}: somebody else has written since it was looked at`);
    case 422:
      return (said.details?.causes ?? []).length === 0 && call.verb === 'patch'
        ? new OrchestratorError('conflict', `${what}: somebody else has written since it was looked at`)
        : new OrchestratorError('rejected', `${what}: ${short(said.message)}`);
    case 429:
      return new OrchestratorError('throttled', `${what}: too many calls`, { retryAfterMs: waitOf(retryAfter, said) });
    default:
      return status >= 500
        ? new OrchestratorError('unreachable', `${what}: the cluster answered ${String(status)}`, { retryAfterMs: waitOf(retryAfter, said) })
        : new OrchestratorError('rejected', `${what}: the cluster answered ${String(status)}: ${short(said.message)}`);
  }
}

/** An admission webhook or a quota answers 403 as well: that is no right that is missing, and says so itself. */
function forbidden(call: Call, said: Status): string {
  const missing = /cannot (get|list|patch) resource/.test(said.message ?? '');
  if (!missing) return `${nameOf(call)}: ${short(said.message)}`;
  return `${nameOf(call)}: this right is missing; deploy/kubernetes/rbac.yaml grants it`;
}

/** No answer: `error` is what the connection said. */
export function lossOf(call: Call, error: unknown): OrchestratorError {
  const code = error instanceof Error && 'code' in error && typeof error.code === 'string' ? ` (${error.code})` : '';
  return new OrchestratorError('unreachable', `${nameOf(call)}: the cluster cannot be reached${code}`, { cause: error });
}

function waitOf(retryAfter: string | undefined, said: Status): number | null {
  const seconds = Number(retryAfter ?? said.details?.retryAfterSeconds ?? NaN);
  return Number.isFinite(seconds) && seconds >= 0 ? seconds * 1_000 : null;
}

function statusOf(body: string): Status {
  try {
    const parsed: unknown = JSON.parse(body);
    return typeof parsed === 'object' && parsed !== null ? parsed : {};
  } catch {
    return {};
  }
}

function short(message: string | undefined): string {
  const text = (message ?? 'it gives no reason').replace(/\s+/g, ' ');
  return text.length > 300 ? `${text.slice(0, 300)}…` : text;
}
