import { startTracing } from './tracing.js';

/** Loaded by `node --import` before the program. Tracing that cannot start must not keep the service from starting. */
try {
  await startTracing(process.env);
} catch (error) {
  const reason = error instanceof Error ? error.message : String(error);
  process.stderr.write(`tracing could not start, going on without: ${reason}\n`);
}
