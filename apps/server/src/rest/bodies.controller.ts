import { Controller, Get, Inject, Param, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { erasedOf, type ReadModels } from '#libs/application';
import { stateFromJson, type JobRef } from '#libs/domain';
import { TheJob } from '../http/inputs.js';
import { notFound, Problem } from '../http/problem.js';
import { Route } from '../http/route.js';
import { READS } from '../tokens.js';
import { JOB_PARAMS, JOB_PATHS } from './job-path.js';
import { OneJobQuery } from './schemas.js';

const JSON_ROLES: ReadonlySet<string> = new Set(['payload', 'snapshot']);

/** What is kept beside the log: payloads, snapshots, stacks, long messages. */
@Controller(JOB_PATHS)
export class BodiesController {
  constructor(@Inject(READS) private readonly reads: ReadModels) {}

  @Get('bodies/:hash')
  @Route({
    scope: 'read',
    tag: 'jobs',
    summary: 'A body of the job: payload, snapshot, stack or long message',
    description: 'The job, its dead letter and its events name bodies as `{hash, bytes}`. JSON for payloads and snapshots, text for the rest.',
    params: { ...JOB_PARAMS, hash: 'SHA-256 of the body, 64 hex digits.' },
    query: OneJobQuery,
    ok: { type: 'application/json', description: 'The bytes as they are kept.', also: { 'text/plain': {} } },
    problems: { 404: 'This job has no such body.', 410: 'It was erased.' },
  })
  async body(@TheJob() ref: JobRef, @Param('hash') hash: string, @Res() reply: FastifyReply): Promise<void> {
    if (!/^[0-9a-f]{64}$/u.test(hash)) throw new Problem(400, 'invalid', 'A hash has 64 digits, 0 to 9 and a to f.');
    const body = await this.reads.jobs.body(ref, hash);
    if (body === null) {
      throw notFound('body_unknown', `Job ${JSON.stringify(ref.id)} of queue ${JSON.stringify(ref.queue)} has no body ${hash}.`);
    }
    if (body.bytes === null) throw await this.erased(ref, body.role);
    const type = JSON_ROLES.has(body.role) ? 'application/json' : 'text/plain';
    // What an emitter has sent must never run as a page of ours.
    await reply
      .type(`${type}; charset=utf-8`)
      .header('x-content-type-options', 'nosniff')
      .header('cache-control', 'no-store')
      .send(Buffer.from(body.bytes));
  }

  /** By whom it was, as the decision says. */
  private async erased(ref: JobRef, role: string): Promise<Problem> {
    const row = await this.reads.jobs.one(ref);
    const { erased } = row === null ? {} : erasedOf(stateFromJson(row.state));
    const detail = erased === undefined ? `The ${role} was erased.` : `The ${role} was erased on ${erased.at} by ${erased.by}: ${erased.reason}`;
    return new Problem(410, 'body_erased', detail, { members: erased === undefined ? {} : { erased } });
  }
}
