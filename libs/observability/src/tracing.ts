import type { IncomingMessage } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import type { Traces } from '#libs/application';

/**
 * Traces of HTTP and PostgreSQL, and of what the service does for jobs, for whoever has a collector. Without an endpoint none of OpenTelemetry is
 * loaded: its SDK would cost 0.4 s at start, send to localhost by default, and wait for it at the end.
 * With one, trouble with the collector is never the service's: spans are dropped.
 *
 * Must run before anything imports `pg` or `http`: the service's `main` does it first of all.
 */
export interface Tracing {
  readonly traces: Traces;
  /** Sends what is left; gives up after `STOP_MS`. Idempotent. */
  readonly stop: () => Promise<void>;
}

export const STOP_MS = 3_000;
const QUIET_PATHS: ReadonlySet<string> = new Set(['/healthz', '/readyz', '/metrics']);

/** Of a query string. OpenTelemetry hides the first seven by itself; a list of ours replaces its own. */
const SECRET_PARAMETERS = ['sig', 'Signature', 'AWSAccessKeyId', 'X-Goog-Signature', 'X-Amz-Signature']
  .concat(['X-Amz-Credential', 'X-Amz-Security-Token'])
  .concat(['token', 'access_token', 'api_key', 'password', 'secret']);

let running: Tracing | null = null;

/** Tracing that cannot start must not keep a program from starting: it is said, and that is all. */
export async function beginTracing(env: Record<string, string | undefined>): Promise<void> {
  if (!isTracingWanted(env)) return;
  try {
    // OpenTelemetry would try for 10 s, and hold the process for as long at its end when the collector is gone.
    env['OTEL_EXPORTER_OTLP_TIMEOUT'] ??= '2500';
    await startTracing(env);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    process.stderr.write(`tracing could not start, going on without: ${reason}\n`);
  }
}

/** null when no endpoint is set, or `OTEL_SDK_DISABLED=true`. Called again it returns what already runs. */
export async function startTracing(env: Readonly<Record<string, string | undefined>>): Promise<Tracing | null> {
  if (running !== null) return running;
  if (!isTracingWanted(env)) return null;
  const [{ NodeSDK }, { HttpInstrumentation }, { PgInstrumentation }, { openTelemetryTraces }] = await Promise.all([
    import('@opentelemetry/sdk-node'),
    import('@opentelemetry/instrumentation-http'),
    import('@opentelemetry/instrumentation-pg'),
    import('./traces.js'),
  ]);
  const sdk = new NodeSDK({
    serviceName: env['OTEL_SERVICE_NAME'] ?? 'jobwarden',
    instrumentations: [
      new HttpInstrumentation({
        ignoreIncomingRequestHook: isQuiet,
        redactedQueryParams: SECRET_PARAMETERS,
        redactedQueryParamsServer: SECRET_PARAMETERS,
      }),
      // The sweep and the publisher ask the database many times a second: only what a request leads to is traced.
      new PgInstrumentation({ requireParentSpan: true }),
    ],
    // Metrics and logs have their own ways out.
    metricReaders: [],
    logRecordProcessors: [],
  });
  sdk.start();
  let stopped: Promise<void> | null = null;
  running = { traces: openTelemetryTraces(), stop: () => (stopped ??= withinStopTime(sdk.shutdown())) };
  return running;
}

/** Where spans go; null: nobody collects them. */
export function runningTraces(): Traces | null {
  return running?.traces ?? null;
}

/** Stops what was started, if anything was. The last thing before the process ends. */
export async function stopTracing(): Promise<void> {
  await running?.stop();
}

export function isTracingWanted(env: Readonly<Record<string, string | undefined>>): boolean {
  if (env['OTEL_SDK_DISABLED']?.toLowerCase() === 'true') return false;
  const endpoints = [env['OTEL_EXPORTER_OTLP_ENDPOINT'], env['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT']];
  return endpoints.some((endpoint) => endpoint !== undefined && endpoint.trim() !== '');
}

function isQuiet(request: Pick<IncomingMessage, 'url'>): boolean {
  return QUIET_PATHS.has((request.url ?? '').split('?', 1)[0] ?? '');
}

async function withinStopTime(shutdown: Promise<void>): Promise<void> {
  const late = new AbortController();
  const timer = delay(STOP_MS, undefined, { signal: late.signal }).catch(() => undefined);
  await Promise.race([shutdown.catch(() => undefined), timer]);
  late.abort();
}
