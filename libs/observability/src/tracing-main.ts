import { startTracing } from './tracing.js';

/** Loaded by `node --import` before the program. Tracing that cannot start must not keep the service from starting. */
try {
  // OpenTelemetry would try for 10 s, and hold the process for as long at its end when the collector is gone.
  process.env['OTEL_EXPORTER_OTLP_TIMEOUT'] ??= '2500';
  await startTracing(process.env);
} catch (error) {
  const reason = error instanceof Error ? error.message : String(error);
  process.stderr.write(`tracing could not start, going on without: ${reason}\n`);
}
