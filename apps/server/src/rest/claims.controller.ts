import { Controller, Inject, Post, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { withMembers, type ClaimAnswer as ClaimOutcome, type ClaimJob } from '#libs/application';
import { ClaimAnswer, ClaimCall, readClaim } from '#libs/contracts';
import type { ClaimRefusal, JobRef } from '#libs/domain';
import { FromBody, TheJob } from '../http/inputs.js';
import { Problem } from '../http/problem.js';
import { Route } from '../http/route.js';
import type { Policies } from '../services.js';
import { CLAIMS, POLICIES } from '../tokens.js';
import { JOB_PARAMS, JOB_PATHS, retired } from './job-path.js';
import { OneJobQuery } from './schemas.js';

/** A worker asks for a job. */
@Controller(JOB_PATHS)
export class ClaimsController {
  constructor(
    @Inject(CLAIMS) private readonly claims: Pick<ClaimJob, 'claim'>,
    @Inject(POLICIES) private readonly policies: Policies,
  ) {}

  @Post('claims')
  @Route({
    scope: 'emit',
    tag: 'claims',
    summary: 'Claims a job for a worker',
    description:
      'Redeems the open grant, idempotently by `claimId`. Where none is open the next one is made once the lease, the grace and the backoff of the last attempt are over. An unknown job gets its first grant.',
    params: JOB_PARAMS,
    query: OneJobQuery,
    body: ClaimCall,
    ok: { status: 201, schema: ClaimAnswer, description: 'The job is this worker’s.' },
    problems: {
      409: '`held`: somebody’s lease is live, or it is too soon (Retry-After). `superseded`, `token_unknown`: the token is not that of an open grant. `finished`: there is nothing left to run. `revision_quarantined`: this release is out of service.',
      410: 'Below the retention line; `summary` is what is left of it.',
      429: '`paused`, `throttled`: the queue lets nothing through now (Retry-After).',
    },
  })
  async claim(@TheJob() ref: JobRef, @FromBody() body: ClaimCall, @Res({ passthrough: true }) reply: FastifyReply): Promise<string> {
    const read = readClaim(ref, body, this.policies.context());
    if (typeof read === 'string') throw new Problem(400, 'invalid', read);
    const answer = answered(ref, await this.claims.claim(ref, read));
    void reply.type('application/json; charset=utf-8');
    return answer;
  }
}

/** {@link ClaimAnswer} as JSON text: the payload in it is as it was sent. */
function answered(ref: JobRef, outcome: ClaimOutcome): string {
  switch (outcome.kind) {
    case 'granted': {
      const { attempt, token, leaseMs, invalidation, command } = outcome;
      const answer: ClaimAnswer = { attempt, token, leaseMs, ...(invalidation !== null && { invalidation: { ...invalidation } }) };
      return withMembers(JSON.stringify(answer), { command: command ?? undefined });
    }
    case 'refused': {
      const { refusal, status, attempt, retryAfterMs } = outcome;
      throw new Problem(STATUS_OF[refusal], refusal, DETAILS[refusal], {
        headers: retryAfterMs === null ? {} : retryAfter(retryAfterMs),
        members: { job: { ...ref, status, attempt } },
      });
    }
    case 'recovering':
      throw new Problem(503, 'recovering', 'The database was restored: nothing is granted until it has been recovered.', {
        headers: retryAfter(5_000),
      });
    case 'retired':
      throw retired({ ref, ...outcome.summary });
  }
}

function retryAfter(ms: number): Readonly<Record<string, string>> {
  return { 'retry-after': String(Math.max(1, Math.ceil(ms / 1_000))) };
}

const STATUS_OF: Readonly<Record<ClaimRefusal, number>> = {
  held: 409,
  superseded: 409,
  finished: 409,
  token_unknown: 409,
  revision_quarantined: 409,
  paused: 429,
  throttled: 429,
};

const DETAILS: Readonly<Record<ClaimRefusal, string>> = {
  held: 'Somebody holds the job, or it is too soon for its next attempt.',
  superseded: 'Another has redeemed this grant, or a newer one: drop the command.',
  finished: 'The job is finished: drop the command.',
  token_unknown: 'Nobody was given this token for this job.',
  revision_quarantined: 'This release of the worker is out of service.',
  paused: 'The queue is paused.',
  throttled: 'The queue is throttled.',
};
