import { Controller, Delete, Inject } from '@nestjs/common';
import { eraseAnswer } from '#libs/application';
import { EraseAnswer, EraseCall } from '#libs/contracts';
import type { JobRef } from '#libs/domain';
import type { Caller } from '../auth/caller.js';
import { FromBody, TheCaller, TheJob } from '../http/inputs.js';
import { Route } from '../http/route.js';
import type { Operate } from '../services.js';
import { OPERATE } from '../tokens.js';
import { JOB_PARAMS, JOB_PATHS, notDone } from './job-path.js';
import { OneJobQuery } from './schemas.js';

/** What was told of a job and must not be kept. */
@Controller(JOB_PATHS)
export class EraseController {
  constructor(@Inject(OPERATE) private readonly operate: Operate) {}

  @Delete('payload')
  @Route({
    scope: 'operate',
    tag: 'operator calls',
    summary: 'Erases what was told of a job besides the log',
    description:
      'Payload, snapshots, stacks, long messages and progress, what of them stands in messages, and entries of the quarantine that name the job: for good. Applies to every job; one that is not finished cannot be requeued after it. What is told of it later is kept without its bodies. Repeating it is safe.',
    params: JOB_PARAMS,
    query: OneJobQuery,
    body: EraseCall,
    ok: { schema: EraseAnswer, description: 'What was erased, and what is out of reach.' },
    problems: { 404: 'No such job.', 410: 'Below the retention line: its bodies went with its log; `summary` is what is left of it.' },
  })
  async erase(@TheJob() ref: JobRef, @FromBody() { reason }: EraseCall, @TheCaller() caller: Caller): Promise<EraseAnswer> {
    const outcome = await this.operate.erase.erase(ref, { reason, by: caller.name });
    if (outcome.kind === 'erased') return eraseAnswer(outcome);
    throw notDone(ref, outcome);
  }
}
