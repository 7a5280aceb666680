import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Shipped } from '../../e2e/cases/shipped.js';
import { startControlPlane, type ControlPlane } from '../../kubernetes/plane/control-plane.js';
import { DatabaseServer } from '../../trust/stage/database-server.js';
import { ACCOUNTS_OF, ClusterRights } from '../stage/cluster-rights.js';
import type { RollbackFigure } from './figure.js';
import { policyOf } from './policy.js';

type Rights = RollbackFigure['rights'];

interface Service {
  readonly database: DatabaseServer;
  readonly service: Shipped;
}

/** One control plane, and for each kind of rights that a figure asks for a service with a database of its own. Each run has a queue and a namespace of its own. */
export class Services {
  private readonly started = new Map<Rights, Service>();

  private constructor(
    readonly plane: ControlPlane,
    private readonly rights: ClusterRights,
  ) {}

  static async start(folder: string, figures: readonly RollbackFigure[], runs: number): Promise<Services> {
    const audit = { file: join(folder, 'audit.log'), accountsOf: ACCOUNTS_OF };
    const plane = await startControlPlane((line) => console.error(line), { audit });
    const services = await ClusterRights.create(plane, audit.file).then(
      (rights) => new Services(plane, rights),
      async (error: unknown) => {
        await plane.stop();
        throw error;
      },
    );
    try {
      for (const rights of ['shipped', 'none'] as const) {
        const those = figures.filter((figure) => figure.rights === rights);
        if (those.length > 0) await services.add(rights, those, { folder, runs });
      }
      return services;
    } catch (error) {
      await services.end();
      throw error;
    }
  }

  of(kind: Rights): { readonly service: Shipped; readonly rights: ClusterRights | null } {
    const found = this.started.get(kind);
    if (found === undefined) throw new Error(`no service with ${kind} rights`);
    return { service: found.service, rights: kind === 'none' ? null : this.rights };
  }

  async end(): Promise<void> {
    for (const { database, service } of this.started.values()) {
      await service.end();
      await database.stop();
    }
    await this.plane.stop();
  }

  private async add(kind: Rights, figures: readonly RollbackFigure[], { folder, runs }: { readonly folder: string; readonly runs: number }): Promise<void> {
    const database = await DatabaseServer.start(join(folder, `data-${kind}`));
    const queues = figures.flatMap(({ name }) => Array.from({ length: runs }, (_, i) => queueOf(name, `${name}-${String(i + 1)}`)));
    try {
      const service = await Shipped.start({ databaseUrl: database.url, policy: policyOf(queues), env: kind === 'none' ? {} : this.environment(folder) });
      this.started.set(kind, { database, service });
    } catch (error) {
      await database.stop();
      throw error;
    }
  }

  private environment(folder: string): Readonly<Record<string, string>> {
    const kubeconfig = join(folder, 'kubeconfig');
    writeFileSync(kubeconfig, this.rights.kubeconfig, { mode: 0o600 });
    return { JOBWARDEN_KUBECONFIG: kubeconfig };
  }
}

function queueOf(figure: string, name: string) {
  return { name, target: figure === 'quarantine' || figure === 'script' ? null : `${name}/workers`, acts: figure !== 'script' };
}
