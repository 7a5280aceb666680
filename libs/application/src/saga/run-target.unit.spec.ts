import { once } from 'node:events';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { OrchestratorError, type Orchestrator } from '../ports/orchestrator.port.js';
import { RunTarget } from './run-target.js';

describe('the target of a run', () => {
  const unhandled: unknown[] = [];
  const note = (reason: unknown) => void unhandled.push(reason);
  beforeEach(() => void process.on('unhandledRejection', note));
  afterEach(() => void process.off('unhandledRejection', note));

  it('that nobody can reach is a fault at once, and nothing is left that ends the process when its time is over', async () => {
    const unsupported = (): Orchestrator => {
      throw new OrchestratorError('unsupported', 'there is no cluster');
    };
    const over = once(AbortSignal.timeout(5), 'abort');
    expect(await new RunTarget({ for: unsupported }, 1).observe('shop/workers')).toEqual({ fault: { code: 'unsupported', detail: 'there is no cluster', retryAfterMs: null } });
    await over;
    await new Promise(setImmediate);
    expect(unhandled.splice(0)).toEqual([]);
  });

  it('that hangs, and does not heed its signal, is given up', async () => {
    const hangs = { observe: () => new Promise<never>(() => undefined) } as unknown as Orchestrator;
    expect(await new RunTarget({ for: () => hangs }, 1).observe('shop/workers')).toMatchObject({ fault: { code: 'timed_out' } });
  });
});
