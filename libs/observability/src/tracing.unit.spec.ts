import { describe, expect, it } from 'vitest';
import { isTracingWanted, startTracing, stopTracing } from './tracing.js';

describe('tracing', () => {
  it.each([
    [{}, false],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: ' ' }, false],
    [{ OTEL_SERVICE_NAME: 'x' }, false],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318' }, true],
    [{ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://collector:4318/v1/traces' }, true],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318', OTEL_SDK_DISABLED: 'true' }, false],
  ])('with %j is wanted: %s', (env, wanted) => expect(isTracingWanted(env)).toBe(wanted));

  it('without an endpoint does not start, and stops without a trace', async () => {
    expect(await startTracing({})).toBeNull();
    await stopTracing();
  });
});
