import { kubeconfigText, type ControlPlane } from '../../kubernetes/plane/control-plane.js';
import { createAccount, grant, shippedRules } from '../../kubernetes/plane/accounts.js';
import { auditedCalls, type AuditedCall } from '../../kubernetes/plane/audit.js';
import { WORKERS } from './pool.js';

const ACCOUNT = { namespace: 'jobwarden', name: 'jobwarden' };
/** Whose calls the API server is to record. */
export const ACCOUNTS_OF = ACCOUNT.namespace;

/** The service's account, which may do nothing but what deploy/kubernetes/rbac.yaml grants, and that only in namespaces where it was put in. */
export class ClusterRights {
  private constructor(
    private readonly plane: ControlPlane,
    private readonly auditFile: string,
    readonly kubeconfig: string,
  ) {}

  /** `auditFile`: where the plane records what the account does. */
  static async create(plane: ControlPlane, auditFile: string): Promise<ClusterRights> {
    await plane.api.create('/api/v1/namespaces', { metadata: { name: ACCOUNT.namespace } });
    const token = await createAccount(plane.api, ACCOUNT);
    return new ClusterRights(plane, auditFile, kubeconfigText({ server: plane.server, ca: plane.ca, token }));
  }

  async grantIn(namespace: string): Promise<void> {
    await grant(this.plane.api, { namespace, account: ACCOUNT, rules: shippedRules(WORKERS) });
  }

  audited(namespace: string): readonly AuditedCall[] {
    return auditedCalls(this.auditFile, namespace);
  }
}
