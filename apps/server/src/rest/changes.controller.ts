import { Controller, Get, Inject, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import type { Changes } from '#libs/application';
import { ChangeNote } from '#libs/contracts';
import { Type } from 'typebox';
import type { Caller } from '../auth/caller.js';
import type { Lifecycle } from '../boot/lifecycle.js';
import { TheNamespaces } from '../http/inputs.js';
import { openStream } from '../http/open-stream.js';
import { Route } from '../http/route.js';
import { CHANGES, LIFECYCLE, LOG } from '../tokens.js';
import { OptionalNamespaceQuery } from './schemas.js';

@Controller('v1/streams/changes')
export class ChangesController {
  constructor(
    @Inject(CHANGES) private readonly changes: Pick<Changes, 'subscribe'>,
    @Inject(LIFECYCLE) private readonly lifecycle: Lifecycle,
    @Inject(LOG) private readonly log: Logger,
  ) {}

  @Get()
  @Route({
    scope: 'read',
    tag: 'streams',
    summary: 'That something changed, as server-sent events',
    description:
      'For pages that then read again what they show. Events `changes`: an array of notes, at most two a second however much happens; with too much at once ids, queues or namespaces are left out of them. Events `alive` are heartbeats. Nothing can be resumed: after a reconnect read everything again. Notes without a namespace are sent to every token.',
    query: OptionalNamespaceQuery,
    ok: { schema: Type.Array(ChangeNote), description: 'The stream; it ends only when the reader or the service does.', type: 'text/event-stream' },
  })
  async stream(
    @TheNamespaces() namespaces: Caller['namespaces'],
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    if (request.method === 'HEAD') {
      void reply.type('text/event-stream').send();
      return;
    }
    const end = await openStream(reply, this.lifecycle.ending, (signal) => this.changes.subscribe(namespaces, signal));
    if (end.why !== 'over') this.log.warn({ stream: 'changes', requestId: request.id, why: end.why, err: end.error }, 'stream ended early');
  }
}
