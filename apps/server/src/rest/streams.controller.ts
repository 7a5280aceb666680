import { Controller, Get, Inject, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import { STREAM_KINDS, TerminalError, type StreamKind, type Streams } from '#libs/application';
import { seesInstallation, type Caller } from '../auth/caller.js';
import type { Lifecycle } from '../boot/lifecycle.js';
import { FromPath, FromQuery, TheCaller } from '../http/inputs.js';
import { openStream } from '../http/open-stream.js';
import { notFound, Problem } from '../http/problem.js';
import { Route } from '../http/route.js';
import { LIFECYCLE, LOG, STREAMS } from '../tokens.js';
import { StreamQuery } from './schemas.js';

@Controller('v1/streams')
export class StreamsController {
  constructor(
    @Inject(STREAMS) private readonly streams: Streams,
    @Inject(LIFECYCLE) private readonly lifecycle: Lifecycle,
    @Inject(LOG) private readonly log: Logger,
  ) {}

  @Get(':stream')
  @Route({
    scope: 'read',
    tag: 'streams',
    summary: 'What goes out, as server-sent events',
    description:
      'commands, invalidations or incidents, each event a CloudEvent as JSON. The event id is a position vector: send it back as `Last-Event-ID` to go on behind it. An id that is ahead of the log or below what is kept gets the event `reset`: something may have been missed. Comments are heartbeats.',
    params: { stream: 'commands, invalidations or incidents.' },
    query: StreamQuery,
    ok: { description: 'The stream; it ends only when the reader or the service does.', type: 'text/event-stream' },
    problems: { 404: 'No such stream.' },
  })
  async stream(
    @FromPath('stream') name: string,
    @FromQuery() query: { readonly namespace: string; readonly queue?: string; readonly from?: 'start' | 'now' },
    @TheCaller() caller: Caller,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const kind = kindOf(name);
    if (request.method === 'HEAD') {
      void reply.type('text/event-stream').send();
      return;
    }
    const from = lastEventId(request) ?? (query.from === 'start' ? 'start' : null);
    const { namespace, queue = null } = query;
    const subscription = { kind, namespace, queue, from, installation: seesInstallation(caller) };
    const end = await openStream(reply, this.lifecycle.ending, (signal) => this.streams.subscribe(subscription, signal)).catch((error: unknown) => {
      throw refused(error);
    });
    if (end.why !== 'over') this.log.warn({ stream: kind, requestId: request.id, why: end.why, err: end.error }, 'stream ended early');
  }
}

function kindOf(name: string): StreamKind {
  const kind = STREAM_KINDS.find((known) => known === name);
  if (kind !== undefined) return kind;
  throw notFound('stream_unknown', `There is no stream ${JSON.stringify(name)}; there are ${STREAM_KINDS.join(', ')}.`);
}

function lastEventId(request: FastifyRequest): string | null {
  const header = request.headers['last-event-id'];
  const id = Array.isArray(header) ? header[0] : header;
  return id === undefined || id === '' ? null : id;
}

function refused(error: unknown): unknown {
  return error instanceof TerminalError ? new Problem(400, error.code, error.message, { cause: error }) : error;
}
