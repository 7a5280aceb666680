import { namedWebhooks, type WebhookDirectory, type WebhookEndpoint } from '#libs/application';
import { readWebhookSecrets, type Fault, type PolicyFile, type ReadyWebhook } from '#libs/config';

/**
 * The webhooks of the policy in force. Secrets are fetched while a file is checked, so that one whose secret is missing
 * is refused as a whole, and are put in place when it comes into force.
 */
export class Webhooks implements WebhookDirectory {
  private endpoints: readonly WebhookEndpoint[] = [];
  private readonly ready = new WeakMap<PolicyFile, readonly ReadyWebhook[]>();

  constructor(private readonly env: Readonly<Record<string, string | undefined>>) {}

  list(): readonly WebhookEndpoint[] {
    return this.endpoints;
  }

  async check(file: PolicyFile): Promise<readonly Fault[]> {
    const { ready, faults } = await readWebhookSecrets(file, this.env);
    this.ready.set(file, ready);
    return faults;
  }

  use(file: PolicyFile): void {
    this.endpoints = namedWebhooks(this.ready.get(file) ?? []);
  }
}
