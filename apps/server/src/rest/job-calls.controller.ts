import { Controller, Inject, Post } from '@nestjs/common';
import type { OperatorAction, OperatorOutcome } from '#libs/application';
import { LimitsCall, OperatorAnswer, OperatorCall } from '#libs/contracts';
import type { JobRef } from '#libs/domain';
import type { Caller } from '../auth/caller.js';
import { FromBody, TheCaller, TheJob } from '../http/inputs.js';
import { Route, type RouteSpec } from '../http/route.js';
import type { Operate } from '../services.js';
import { OPERATE } from '../tokens.js';
import { JOB_PARAMS, JOB_PATHS, notDone } from './job-path.js';
import { OneJobQuery } from './schemas.js';

function call(summary: string, description: string, body: RouteSpec['body'] = OperatorCall): RouteSpec {
  return {
    scope: 'operate',
    tag: 'operator calls',
    summary,
    description,
    params: JOB_PARAMS,
    query: OneJobQuery,
    body,
    ok: { schema: OperatorAnswer, description: 'Where the job stands now.' },
    problems: {
      404: 'No such job.',
      409: 'It does not apply to where the job stands: `status` says where.',
      410: 'Below the retention line; `summary` is what is left of it.',
    },
  };
}

/** What a person decides about one job. */
@Controller(JOB_PATHS)
export class JobCallsController {
  constructor(@Inject(OPERATE) private readonly operate: Operate) {}

  @Post('cancel')
  @Route(call('Cancels a job', 'Applies to what is not finished.'))
  async cancel(
    @TheJob() ref: JobRef,
    @FromBody() body: OperatorCall,
    @TheCaller() caller: Caller,
  ): Promise<OperatorAnswer> {
    return await this.call('cancel', ref, body, caller);
  }

  @Post('restart')
  @Route(
    call(
      'Restarts a job',
      'Applies to processing: the worker is asked to stop, then the next attempt is granted; to queued and requeued: the command of the same attempt goes out again.',
    ),
  )
  async restart(
    @TheJob() ref: JobRef,
    @FromBody() body: OperatorCall,
    @TheCaller() caller: Caller,
  ): Promise<OperatorAnswer> {
    return await this.call('restart', ref, body, caller);
  }

  @Post('redrive')
  @Route(
    call(
      'Takes a job up again',
      'Applies to what is finished and has no accepted success. Beyond `maxRedrives` only with `force`.',
    ),
  )
  async redrive(
    @TheJob() ref: JobRef,
    @FromBody() body: OperatorCall,
    @TheCaller() caller: Caller,
  ): Promise<OperatorAnswer> {
    return await this.call('redrive', ref, body, caller);
  }

  @Post('resolve')
  @Route(call('Declares a job done', 'Applies to what is not finished, or dead-lettered.'))
  async resolve(
    @TheJob() ref: JobRef,
    @FromBody() body: OperatorCall,
    @TheCaller() caller: Caller,
  ): Promise<OperatorAnswer> {
    return await this.call('resolve', ref, body, caller);
  }

  @Post('discard')
  @Route(call('Gives a job up', 'Applies to what is not finished, or dead-lettered.'))
  async discard(
    @TheJob() ref: JobRef,
    @FromBody() body: OperatorCall,
    @TheCaller() caller: Caller,
  ): Promise<OperatorAnswer> {
    return await this.call('discard', ref, body, caller);
  }

  @Post('limits')
  @Route(
    call('Changes a job’s own limits', 'Applies to what is not finished. What is left out stays as it is.', LimitsCall),
  )
  async limits(
    @TheJob() ref: JobRef,
    @FromBody() body: LimitsCall,
    @TheCaller() caller: Caller,
  ): Promise<OperatorAnswer> {
    return await this.call('limits', ref, body, caller);
  }

  private async call(action: OperatorAction, ref: JobRef, body: LimitsCall, caller: Caller): Promise<OperatorAnswer> {
    const { reason, force, maxRetries, timeoutMs } = body;
    const limits = { ...(maxRetries !== undefined && { maxRetries }), ...(timeoutMs !== undefined && { timeoutMs }) };
    const outcome = await this.operate.jobs.call(ref, action, {
      reason,
      by: caller.name,
      ...(force !== undefined && { force }),
      ...(action === 'limits' && { limits }),
    });
    return answered(ref, outcome);
  }
}

function answered(ref: JobRef, outcome: OperatorOutcome): OperatorAnswer & Record<string, unknown> {
  if (outcome.kind !== 'done') throw notDone(ref, outcome);
  const { status, attempt, token, n, decisions } = outcome;
  return { status, attempt, token, n, decisions };
}
