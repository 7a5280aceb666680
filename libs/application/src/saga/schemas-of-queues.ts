import type { SchemaAnswer, SchemaSource } from '#libs/domain';
import type { PolicySource } from '../ports/policy-source.port.js';
import type { RunQueueName } from '../ports/run-store.port.js';
import type { SchemaVersions } from '../ports/schema-versions.port.js';

/** What the databases say that the queues of a run write to, by their policies. */
export class SchemasOfQueues {
  constructor(
    private readonly policies: PolicySource,
    private readonly versions: SchemaVersions,
  ) {}

  /** Each database once; none where no policy names one. */
  async answers(queues: readonly RunQueueName[]): Promise<readonly SchemaAnswer[]> {
    const sources = new Map<string, SchemaSource>();
    for (const queue of queues) {
      const { schema } = this.policies.policyFor(queue, null).policy.rollback;
      if (schema !== undefined && schema !== null) sources.set(JSON.stringify([schema.databaseUrlEnv, schema.query]), schema);
    }
    return await Promise.all([...sources.values()].map(async (source) => await this.versions.ask(source)));
  }
}
