import { join } from 'node:path';
import { HARD_TIMEOUT_MS, LEASE_MS, PARCEL, PARCEL_GRACE_MS, QUEUE } from './settings.js';
import { INVOICES, NEWSLETTER, NEWSLETTER_TIMEOUT_MS, ORDERS, SHOP_LEASE_MS } from './shop/settings.js';

const seconds = (ms: number): string => `${String(ms / 1_000)}s`;
const releaseCommand = join(import.meta.dirname, 'shop/release-command.js');

/**
 * Short times, so that a few minutes are enough to see everything. Written to a file, so that it can be changed while it runs.
 * `folder`: where the wishes for workers lie that the demo's own orchestrator command reads and writes.
 */
export function policyOf(folder: string): string {
  const command = JSON.stringify([process.execPath, releaseCommand, folder]);
  return `# The policy of the demo. It is read again within two seconds after a change.
queues:
  ${QUEUE}:
    actions: act              # do it, do not just say what would be done
    idempotent: true          # running a job twice does no harm: without this promise, act is refused
    dedupes: true             # the consumer of commands drops repeats
    heartbeats: expected
    lease: ${seconds(LEASE_MS)}                 # a worker that is silent for so long is lost
    grace: 1s                 # then it has so long to prove that it lives
    hardTimeout: ${seconds(HARD_TIMEOUT_MS)}           # a job that runs for so long is hung, heartbeats or not
    startBy: 30s
    maxRetries: 2             # three attempts in all
    backoff: {initial: 500ms, max: 2s}
    kinds:
      ${PARCEL}: {grace: ${seconds(PARCEL_GRACE_MS)}}   # longer than is needed, for people to see it

  ${INVOICES}:
    actions: act
    claims: required          # a worker asks before it begins, and writes with an old token are refused
    lease: ${seconds(SHOP_LEASE_MS)}
    grace: 2s

  ${ORDERS}:
    actions: {retry: act, requeue: act, deadLetter: act, throttle: approve, rollback: approve}
    claims: required
    lease: ${seconds(SHOP_LEASE_MS)}
    grace: 2s
    backoff: {initial: 1s, max: 4s}
    # A third of the attempts fail for 15 s: something is wrong (default: a quarter of them, for a minute, with 5,000 jobs that wait).
    saturation: {ratio: 0.3, window: 20s, for: 15s, unprocessed: 0, minProcessed: 8}
    rollback: {target: "command:${ORDERS}", coolDown: 1m, watch: 10s}
    readmit: {steps: [30, 60, 100], hold: 2s, minSample: 5}

  ${NEWSLETTER}:
    actions: observe          # only say what would be done
    heartbeats: expected
    lease: ${seconds(SHOP_LEASE_MS)}
    grace: 2s
    hardTimeout: ${seconds(NEWSLETTER_TIMEOUT_MS)}

# Who can change what the workers of ${ORDERS} run. In a cluster it would be a Deployment, and no command at all.
orchestrators:
  ${ORDERS}:
    observe: ${command}
    apply: ${command}
`;
}
