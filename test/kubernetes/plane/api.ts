// The cluster's API as a test speaks it: raw JSON over HTTPS, with a token. Nothing of the code under test is used.
import { request } from 'node:https';

export interface ApiAnswer {
  readonly status: number;
  readonly body: ClusterObject;
}

/** An object of the cluster, or a list, an error or a token request: the fields that these tests look at, whichever of them it has. */
export interface ClusterObject {
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace: string;
    readonly uid: string;
    readonly generation: number;
    readonly resourceVersion: string;
    readonly deletionTimestamp?: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
    readonly finalizers?: readonly string[];
  };
  readonly spec: {
    readonly replicas: number;
    readonly paused?: boolean;
    readonly template: { readonly spec: { readonly containers: readonly [{ readonly name: string; readonly image: string }] } };
    readonly containers: readonly [{ readonly name: string; readonly image: string }];
  };
  readonly status: {
    readonly phase?: string;
    readonly token?: string;
    readonly observedGeneration?: number;
    readonly replicas?: number;
    readonly updatedReplicas?: number;
    readonly availableReplicas?: number;
    readonly conditions?: readonly { readonly type: string; readonly status: string; readonly reason?: string }[];
  };
  readonly items: readonly ClusterObject[];
  readonly message?: string;
  readonly reason?: string;
}

export interface Api {
  get(path: string): Promise<ClusterObject>;
  create(path: string, body: unknown): Promise<ClusterObject>;
  /** Default: a merge patch. @throws unless 2xx. */
  patch(path: string, body: unknown, type?: PatchType): Promise<ClusterObject>;
  remove(path: string): Promise<ClusterObject>;
  /** Whatever is answered. */
  call(method: string, path: string, body?: unknown, type?: string): Promise<ApiAnswer>;
  /** Every object that changes, until the connection ends. */
  watch(path: string, seen: (changed: ClusterObject) => void, signal: AbortSignal): Promise<unknown>;
}

export type PatchType = 'merge-patch' | 'json-patch' | 'strategic-merge-patch' | 'apply-patch';

export interface ApiOptions {
  readonly server: string;
  readonly ca: string;
  readonly token: string;
}

export function openApi(options: ApiOptions): Api {
  const call = (method: string, path: string, body?: unknown, type = 'application/json') => exchange(options, { method, path, body, type });
  const ok = async (method: string, path: string, body?: unknown, type?: string): Promise<ClusterObject> => {
    const answer = await call(method, path, body, type);
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${String(answer.status)} ${JSON.stringify(answer.body)}`);
    return answer.body;
  };
  return {
    call,
    get: (path) => ok('GET', path),
    create: (path, body) => ok('POST', path, body),
    remove: (path) => ok('DELETE', path, { propagationPolicy: 'Background' }),
    patch: (path, body, type = 'merge-patch') => ok('PATCH', path, body, type === 'apply-patch' ? 'application/apply-patch+yaml' : `application/${type}+json`),
    watch: (path, seen, signal) => watch(options, path, seen, signal),
  };
}

function exchange({ server, ca, token }: ApiOptions, what: { method: string; path: string; body: unknown; type: string }): Promise<ApiAnswer> {
  const { promise, resolve, reject } = Promise.withResolvers<ApiAnswer>();
  const headers = { authorization: `Bearer ${token}`, ...(what.body === undefined ? {} : { 'content-type': what.type }) };
  const sent = request(new URL(what.path, server), { method: what.method, ca, headers, signal: AbortSignal.timeout(20_000) }, (response) => {
    let text = '';
    response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
    response.on('error', reject);
    response.on('end', () => {
      // What is no object (`/readyz`) is looked at by its status alone.
      const body = (text.startsWith('{') ? JSON.parse(text) : {}) as ClusterObject;
      resolve({ status: response.statusCode ?? 0, body });
    });
  });
  sent.on('error', reject);
  sent.end(what.body === undefined ? undefined : JSON.stringify(what.body));
  return promise;
}

function watch({ server, ca, token }: ApiOptions, path: string, seen: (changed: ClusterObject) => void, signal: AbortSignal): Promise<unknown> {
  const { promise, resolve } = Promise.withResolvers<unknown>();
  const sent = request(new URL(path, server), { ca, headers: { authorization: `Bearer ${token}` }, signal }, (response) => {
    let rest = '';
    response.setEncoding('utf8').on('data', (chunk: string) => {
      const lines = `${rest}${chunk}`.split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) if (line !== '') seen((JSON.parse(line) as { readonly object: ClusterObject }).object);
    });
    response.on('close', resolve);
  });
  sent.on('error', resolve);
  sent.end();
  return promise;
}
