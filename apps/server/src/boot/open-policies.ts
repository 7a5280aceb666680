import {
  checkExposure,
  checkSchemaDatabases,
  formatFault,
  PolicySource,
  type Environment,
  type Fault,
  type Result,
  type Variables,
} from '#libs/config';
import { createMetrics, type Metrics } from '#libs/observability';
import type { Logger } from 'pino';
import { Webhooks } from '../wiring/webhooks.js';

export interface OpenedPolicies {
  readonly files: PolicySource;
  readonly webhooks: Webhooks;
  readonly metrics: Metrics;
}

/** The policy file, checked as a whole, with what hangs on it: webhooks, and the bound on metric labels. */
export async function openPolicies(
  environment: Environment,
  env: Variables,
  log: Logger,
): Promise<Result<OpenedPolicies>> {
  const webhooks = new Webhooks(env);
  let metrics: Metrics | null = null;
  const opened = await PolicySource.open({
    path: environment.configFile,
    check: async (file) => [...checkExposure(environment, file), ...checkSchemaDatabases(file, env), ...(await webhooks.check(file))],
    onReload: (outcome) => {
      metrics?.policyReloadFailed.set({}, outcome.ok ? 0 : 1);
      if (outcome.ok) log.info({ version: outcome.value.version }, 'the policy file was read again');
      else tell(outcome.faults, log);
    },
  });
  if (!opened.ok) return opened;
  const files = opened.value;
  webhooks.use(files.current);
  files.onChange((file) => webhooks.use(file));
  metrics = createMetrics({ queueLabels: files.current.limits.queueLabels });
  metrics.policyReloadFailed.set({}, 0);
  return { ok: true, value: { files, webhooks, metrics } };
}

/** A line for each: whoever mends the file reads them in a terminal. */
function tell(faults: readonly Fault[], log: Logger): void {
  log.error({ faults: faults.length }, 'the policy file has faults; the one before stays in force');
  for (const fault of faults) log.error({ code: fault.code }, formatFault(fault));
}
