import { afterEach, describe, expect, inject, it } from 'vitest';
import { CLUSTER_POLICY, replayCluster } from './cluster-history.js';
import { historiesAreThere } from './data.js';
import { KafkaStage } from './kafka-stage.js';
import { PODS_POLICY, replayPods } from './pods-history.js';

/** The same over a real broker, with a second replica that comes half-way and leaves again. */
const title = historiesAreThere
  ? 'real histories over Kafka'
  : 'real histories over Kafka (left out: the data is not beside this checkout)';

/** Verdicts of the cluster are decided by 24 s and more. */
const BLUR_MS = 10_000;

describe.runIf(historiesAreThere)(title, { timeout: 1_500_000 }, () => {
  let stage: KafkaStage | null = null;

  const opened = async (policy: string): Promise<KafkaStage> => {
    const { brokers } = inject('kafka');
    const { adminUrl } = inject('testServer');
    stage = new KafkaStage({ policy, brokers, adminUrl, partitions: 4 });
    await stage.open();
    return stage;
  };

  afterEach(async () => {
    await stage?.close();
    stage = null;
  });

  it('recovers pods that went silent until their retries are used up, and starves the ones never started', async () => {
    const on = await opened(PODS_POLICY);
    await replayPods(on);
    expect(on.rebalances).toBe(2);
  });

  it('only watches a cluster whose every job ended, and is wrong about nine', async () => {
    const on = await opened(CLUSTER_POLICY);
    await replayCluster(on, BLUR_MS);
    expect(on.rebalances).toBe(2);
  });
});
