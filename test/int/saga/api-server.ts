import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What a call is answered instead: a refusal; nothing at all, ever; or nothing, after it was carried out. */
export type Trouble = { readonly status: number; readonly body?: object; readonly retryAfter?: number } | 'hangs' | 'hangs-after-it' | null;

export interface ApiCall {
  readonly method: string;
  /** `deployments`, `replicasets`, `pods` … */
  readonly resource: string;
}

interface Operation {
  readonly op: string;
  readonly path: string;
  readonly value: unknown;
}

const template = (revision: string) => ({ metadata: { labels: { app: 'workers', 'app.kubernetes.io/version': revision } } });
const SETS = ['v1', 'v2'];

/**
 * As much of a cluster's API as one Deployment takes, `shop/workers`: it runs `v2` and was at `v1` before. What is wished for stands
 * at once. The test says which calls fail, and how; every write that arrives is counted, at the time of the test's own clock.
 */
export class ApiServer {
  /** Asked with each call. */
  trouble: (call: ApiCall) => Trouble = () => null;
  /** When each PATCH arrived, whatever became of it. */
  readonly patches: number[] = [];
  readonly calls: ApiCall[] = [];
  /** Wishes that were taken, by their release. */
  readonly taken: string[] = [];
  url = new URL('http://127.0.0.1');
  /** KEDA's annotations at its scaled object for the pool; null: the cluster has no KEDA. */
  keda: Record<string, string | null> | null = null;
  private revision = 'v2';
  private replicas = 3;
  private generation = 7;
  private version = 100;
  private readonly server: Server;

  private constructor(private readonly nowMs: () => number) {
    this.server = createServer((request, response) => void this.take(request, response));
  }

  static async start(nowMs: () => number): Promise<ApiServer> {
    const api = new ApiServer(nowMs);
    api.server.listen(0, '127.0.0.1');
    await once(api.server, 'listening');
    api.url = new URL(`http://127.0.0.1:${String((api.server.address() as AddressInfo).port)}`);
    return api;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }

  get pool(): { readonly revision: string; readonly replicas: number } {
    return { revision: this.revision, replicas: this.replicas };
  }

  /** The most PATCHes within any minute. */
  get mostPerMinute(): number {
    return Math.max(0, ...this.patches.map((atMs) => this.patches.filter((other) => other > atMs - 60_000 && other <= atMs).length));
  }

  private async take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const [, resource = ''] = /\/namespaces\/shop\/([a-z]+)/u.exec(request.url ?? '') ?? [];
    const call = { method: request.method ?? '', resource };
    this.calls.push(call);
    if (call.method === 'PATCH') this.patches.push(this.nowMs());
    const trouble = this.trouble(call);
    if (trouble === 'hangs') return;
    if (trouble !== null && trouble !== 'hangs-after-it') {
      const headers = trouble.retryAfter === undefined ? {} : { 'retry-after': String(trouble.retryAfter) };
      response.writeHead(trouble.status, headers).end(JSON.stringify(trouble.body ?? {}));
      return;
    }
    const answer = call.method === 'PATCH' ? this.write(resource, JSON.parse(Buffer.concat(chunks).toString('utf8'))) : this.read(resource);
    if (trouble === null) response.writeHead(answer === null ? 404 : 200).end(JSON.stringify(answer ?? {}));
  }

  private read(resource: string): object | null {
    switch (resource) {
      case 'deployments':
        return this.deployment();
      case 'replicasets':
        return { items: SETS.map((revision, i) => this.replicaSet(revision, i + 1)) };
      case 'pods':
        return { items: Array.from({ length: this.replicas }, (_, i) => this.pod(i)) };
      case 'horizontalpodautoscalers':
        return { items: [] };
      case 'scaledobjects':
        return this.keda === null ? null : { items: [this.scaledObject()] };
      default:
        return null;
    }
  }

  private write(resource: string, body: unknown): object {
    if (resource === 'deployments') return this.patch(body as readonly Operation[]);
    this.keda = { ...this.keda, ...(body as { metadata: { annotations: object } }).metadata.annotations };
    return this.scaledObject();
  }

  private patch(operations: readonly Operation[]): object {
    for (const { op, path, value } of operations) {
      if (op !== 'replace') continue;
      if (path === '/spec/replicas') this.replicas = value as number;
      else this.revision = (value as ReturnType<typeof template>).metadata.labels['app.kubernetes.io/version'];
    }
    this.generation += 1;
    this.version += 1;
    this.taken.push(this.revision);
    return this.deployment();
  }

  private scaledObject(): object {
    const annotations = Object.fromEntries(Object.entries(this.keda ?? {}).filter(([, value]) => value !== null));
    return { metadata: { name: 'workers', uid: 's-1', resourceVersion: '1', annotations }, spec: { scaleTargetRef: { name: 'workers' } } };
  }

  private deployment(): object {
    const { generation, replicas } = this;
    return {
      metadata: { name: 'workers', uid: 'd-1', resourceVersion: String(this.version), generation },
      spec: { replicas, selector: { matchLabels: { app: 'workers' } }, template: template(this.revision) },
      status: { observedGeneration: generation, replicas, updatedReplicas: replicas, availableReplicas: replicas },
    };
  }

  private replicaSet(revision: string, rollout: number): object {
    return {
      metadata: { name: `workers-${revision}`, uid: `rs-${revision}`, resourceVersion: '1', ...owned('Deployment', 'd-1'), annotations: { 'deployment.kubernetes.io/revision': String(rollout) } },
      spec: { replicas: revision === this.revision ? this.replicas : 0, template: template(revision) },
    };
  }

  private pod(n: number): object {
    const labels = template(this.revision).metadata.labels;
    return {
      metadata: { name: `workers-${String(n)}`, uid: `p-${String(n)}`, resourceVersion: '1', labels, ...owned('ReplicaSet', `rs-${this.revision}`) },
      status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] },
    };
  }
}

function owned(kind: string, uid: string): object {
  return { ownerReferences: [{ kind, uid, controller: true }] };
}
