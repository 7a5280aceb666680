// One Kafka for a whole test run, as there is one PostgreSQL. Spec files share it under topic names of their own.
import type { TestProject } from 'vitest/node';
import { startBroker } from './broker.js';
import { isContinuousBuild, kafkaMissing } from './missing.js';

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const missing = kafkaMissing();
  if (missing !== null) {
    if (isContinuousBuild()) throw new Error(missing);
    project.vitest.logger.log(`${missing}\n`);
    project.provide('kafka', { brokers: '' });
    return () => Promise.resolve();
  }
  // Nobody kills this one, so it needs no short session, which a starved machine would let run out.
  const broker = await startBroker({ settings: { 'broker.session.timeout.ms': 30_000 } });
  project.provide('kafka', { brokers: broker.brokers });
  return () => broker.stop();
}

declare module 'vitest' {
  interface ProvidedContext {
    /** The broker of this test run; its addresses separated by commas. */
    kafka: { readonly brokers: string };
  }
}
