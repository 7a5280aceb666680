import { afterEach, describe, it } from 'vitest';
import { Api } from './api.js';
import { CLUSTER_POLICY, replayCluster } from './cluster-history.js';
import { CommandStream } from './commands.js';
import { historiesAreThere } from './data.js';
import { PODS_POLICY, replayPods } from './pods-history.js';
import { startService, type Service } from './service.js';

/**
 * Two real histories through the shipped process, over HTTP, in order of their own times, on the manual clock.
 * `npm test` takes about a thirtieth, `npm run test:histories` the whole, and over Kafka too.
 */
const title = historiesAreThere ? 'real histories' : 'real histories (left out: the data is not beside this checkout)';

describe.runIf(historiesAreThere)(title, { timeout: 1_500_000 }, () => {
  let service: Service | null = null;
  const commands = new CommandStream();

  afterEach(async () => {
    await commands.close();
    await service?.stop();
    service = null;
  });

  it('recovers pods that went silent until their retries are used up, and starves the ones never started', async () => {
    service = await startService(PODS_POLICY);
    const api = new Api(service.url);
    await commands.open(service.url);
    await replayPods({ api, oneIn: 30, commands, send: (events) => api.send(events) });
  });

  it('only watches a cluster whose every job ended, and is wrong about nine', async () => {
    service = await startService(CLUSTER_POLICY);
    const api = new Api(service.url);
    await replayCluster({ api, oneIn: 30, commands, send: (events) => api.send(events) }, 0);
  });
});
