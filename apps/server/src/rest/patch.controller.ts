import { Controller, Inject, Post, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { PatchOutcome } from '#libs/application';
import { memberText, PatchAnswer, PatchCall } from '#libs/contracts';
import type { JobRef, JobStatus } from '#libs/domain';
import type { Caller } from '../auth/caller.js';
import { FromBody, TheCaller, TheJob } from '../http/inputs.js';
import { Problem } from '../http/problem.js';
import { Route } from '../http/route.js';
import type { Operate } from '../services.js';
import { OPERATE } from '../tokens.js';
import { JOB_PARAMS, JOB_PATHS, notDone } from './job-path.js';
import { OneJobQuery } from './schemas.js';

/** A dead letter whose payload was wrong. */
@Controller(JOB_PATHS)
export class PatchController {
  constructor(@Inject(OPERATE) private readonly operate: Operate) {}

  @Post('patch')
  @Route({
    scope: 'operate',
    tag: 'operator calls',
    summary: 'Changes the payload of a dead letter and sends it round again',
    description:
      'By a JSON Patch (RFC 6902). What no operation touches stays byte for byte; the old payload stays too, by its hash. The new one must fit the queue’s `schema`, where it has one, and is redacted like any. With `preview` nothing is done. Applied it is `patched`, `redriven` and `requeued` in one transaction, within the bounds of a redrive.',
    params: JOB_PARAMS,
    query: OneJobQuery,
    body: PatchCall,
    ok: { schema: PatchAnswer, description: 'The payload as it was and as it is, or would be.' },
    problems: {
      404: 'No such job.',
      409: '`not_dead_lettered`, `payload_missing`, `payload_elsewhere` (only a reference is kept), `payload_erased`, `payload_changed` (meanwhile), `result_differs`, or what a redrive conflicts with. `schema_unusable`: the queue’s JSON Schema cannot be read.',
      410: 'Below the retention line; `summary` is what is left of it.',
      422: '`patch_does_not_apply`, `patch_test_failed`, `patch_path_refused`, `patch_invalid`, `patch_too_long`: `operation` says which one, from 0, and `path` where. `schema_failed`: `faults` says where. `payload_too_large`, `payload_refused`, `patch_changes_nothing`.',
    },
  })
  async patch(@TheJob() ref: JobRef, @FromBody() body: PatchCall, @TheCaller() caller: Caller, @Req() request: FastifyRequest): Promise<PatchAnswer> {
    const { preview = false, reason = '', result, force } = body;
    const patch = memberText(new TextDecoder().decode(request.body as Uint8Array), 'patch') ?? JSON.stringify(body.patch);
    const outcome = await this.operate.patch.patch(ref, {
      ...{ patch, preview, reason, by: caller.name },
      ...(result !== undefined && { result }),
      ...(force !== undefined && { force }),
    });
    return answered(ref, outcome);
  }
}

function answered(ref: JobRef, outcome: PatchOutcome): PatchAnswer {
  switch (outcome.kind) {
    case 'previewed':
    case 'patched': {
      const { kind, status, attempt, n, before, after, changes, redacted, schema } = outcome;
      const shown = changes.map(({ path, before: was, after: is }) => ({ path, ...(was !== undefined && { before: cut(was) }), ...(is !== undefined && { after: cut(is) }) }));
      return {
        ...{ preview: kind === 'previewed', status: status as JobStatus, attempt, n, before, after },
        ...{ changes: shown, redacted: [...redacted] },
        ...(schema !== null && { schema }),
      };
    }
    case 'fault': {
      const { code, detail, ...at } = outcome.fault;
      throw new Problem(422, code, detail, { members: 'operation' in at ? { operation: at.operation, path: at.path } : {} });
    }
    case 'schema': {
      const { schema, faults } = outcome;
      const [first] = faults;
      const where = first === undefined ? '' : `: ${first.path === '' ? 'the whole' : first.path} ${first.rule}`;
      throw new Problem(422, 'schema_failed', `The payload would not fulfil ${schema}${where}.`, { members: { schema, faults } });
    }
    case 'schema_unusable':
      throw new Problem(409, 'schema_unusable', `The JSON Schema ${outcome.schema} of the queue cannot be used: ${outcome.detail}. Nothing was done.`);
    case 'conflict':
    case 'refused':
    case 'not_found':
    case 'retired':
      throw notDone(ref, outcome);
  }
}

const MAX_SHOWN = 2_000;

function cut(text: string): string {
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN).toWellFormed()}…` : text;
}
