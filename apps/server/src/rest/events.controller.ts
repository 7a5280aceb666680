import { Controller, Inject, Post, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { LANE_HTTP } from '#libs/application';
import {
  FACT_EVENTS,
  IngestResponse,
  QueueStateEvent,
  readHttpEvents,
  unreadableBytes,
  WorkerHeartbeatEvent,
  type ACCEPTED_MEDIA_TYPES,
  type HttpProblem,
  type IngestResult,
} from '#libs/contracts';
import type { Caller } from '../auth/caller.js';
import { handling } from '../http/in-flight.js';
import { TheCaller } from '../http/inputs.js';
import { Problem } from '../http/problem.js';
import { Route } from '../http/route.js';
import type { Intake, Policies } from '../services.js';
import { INTAKE, POLICIES } from '../tokens.js';

const NOTHING = new Uint8Array();

const OneEvent = Type.Union([...Object.values(FACT_EVENTS), WorkerHeartbeatEvent, QueueStateEvent], {
  description: 'One event.',
});
const Batch = Type.Array(OneEvent, { description: 'A batch.' });
const BODIES = {
  'application/cloudevents+json': OneEvent,
  'application/cloudevents-batch+json': Batch,
  'application/json': Type.Union([OneEvent, Batch], {
    description: 'One event, a batch, or with `ce-*` headers the data of one.',
  }),
} satisfies Record<(typeof ACCEPTED_MEDIA_TYPES)[number], unknown>;

@Controller('v1/events')
export class EventsController {
  constructor(
    @Inject(INTAKE) private readonly intake: Intake,
    @Inject(POLICIES) private readonly policies: Policies,
  ) {}

  @Post()
  @Route({
    scope: 'emit',
    intake: true,
    tag: 'events',
    summary: 'Takes in events, one or a batch',
    description:
      'CloudEvents 1.0, structured, as a batch, or binary (attributes in `ce-*` headers). What is answered is committed. A batch is answered 200, with what became of each event; a single event that is refused or quarantined is answered as a problem.',
    bodies: BODIES,
    ok: { schema: IngestResponse, description: 'What became of each event, in order.' },
    problems: {
      400: 'The body cannot be read, or the single event cannot be stored as sent: `code` says why, and it is kept in quarantine.',
      404: 'The single event names a namespace that the token may not write to.',
      409: 'The single event is refused: `code` says why.',
      413: 'The body, the batch or its nesting is over a limit.',
      415: 'The media type is not one of those listed.',
    },
  })
  async take(@Req() request: FastifyRequest, @TheCaller() caller: Caller): Promise<IngestResponse> {
    return await handling(request, () => this.answer(request, caller));
  }

  private async answer(request: FastifyRequest, caller: Caller): Promise<IngestResponse> {
    const body = request.body instanceof Uint8Array ? request.body : NOTHING;
    const contentType = request.headers['content-type'];
    const read = readHttpEvents({ contentType, headers: request.headers, body }, this.policies.limits());
    if (!read.ok) throw await this.unread(read.problem, body, contentType);
    const results = await this.intake.ingest.ingest(read.events, {
      lane: LANE_HTTP,
      origin: 'http',
      texts: read.texts,
      namespaces: caller.namespaces === 'all' ? null : caller.namespaces,
    });
    const [only] = results;
    if (read.mode !== 'batch' && only !== undefined) refuseSingle(only);
    return { results: [...results] };
  }

  /** A body that is no JSON may be the only trace of what happened to a job: kept as it came. */
  private async unread(problem: HttpProblem, body: Uint8Array, contentType: string | undefined): Promise<Problem> {
    const keep = problem.code === 'unreadable' && body.length > 0;
    if (keep) {
      const { bytes } = unreadableBytes(body, this.policies.redactor());
      const { code: reason, detail } = problem;
      await this.intake.quarantine.put([
        { lane: LANE_HTTP, origin: 'http', reason, detail, refs: [], contentType: contentType ?? '', bytes },
      ]);
    }
    return new Problem(problem.status, problem.code, problem.detail, {
      title: problem.title,
      members: { quarantined: keep },
    });
  }
}

/** Whoever sends one event looks at the status alone. */
function refuseSingle(result: IngestResult): void {
  const { outcome, code = 'refused', detail = 'not taken' } = result;
  if (outcome !== 'refused' && outcome !== 'quarantined') return;
  const status = outcome === 'quarantined' ? 400 : code === 'namespace_unknown' ? 404 : 409;
  throw new Problem(status, code, detail, {
    title: outcome === 'quarantined' ? 'Kept in quarantine' : 'Refused',
    members: { results: [result] },
  });
}
