import { Controller, Delete, Get, Headers, Inject, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Readable } from 'node:stream';
import { EVIDENCE_KINDS, evidenceView, type EvidenceFault, type EvidenceKind, type Received, type StoredEvidence } from '#libs/application';
import { EvidenceDone, EvidenceEraseCall, EvidenceKept, EvidenceList, EvidenceView } from '#libs/contracts';
import { maySee, type Caller } from '../auth/caller.js';
import { FromBody, FromPath, FromPlainQuery, TheCaller } from '../http/inputs.js';
import { discard } from '../http/list-body.js';
import { notFound, Problem } from '../http/problem.js';
import { Route } from '../http/route.js';
import type { Evidence } from '../services.js';
import { EVIDENCE } from '../tokens.js';
import { EvidenceQuery } from './schemas.js';

const PARAMS = { id: 'Id of the evidence.' } as const;
const BODY_PARAMS = { ...PARAMS, kind: '`report` or `heap-snapshot`.' } as const;
const BYTES = 'application/octet-stream';
const KEY = 'jobwarden-evidence-key';

/** What one bad worker of an incident knew of itself. Its bodies are restricted: a heap holds payloads and secrets. */
@Controller('v1/evidence')
export class EvidenceController {
  constructor(@Inject(EVIDENCE) private readonly evidence: Evidence) {}

  @Get()
  @Route({
    scope: 'read',
    tag: 'evidence',
    summary: 'What a worker was asked for by an incident, and what came of it',
    query: EvidenceQuery,
    ok: { schema: EvidenceList, description: 'Without the bodies.' },
  })
  async list(@FromPlainQuery() { incident }: { readonly incident: string }, @TheCaller() caller: Caller): Promise<EvidenceList> {
    const found = await this.evidence.store.ofIncident(incident);
    return { items: found === null || !maySee(caller, found.namespace) ? [] : [evidenceView(found)] };
  }

  @Post(':id/done')
  @Route({
    scope: 'emit',
    tag: 'evidence',
    summary: 'The asked worker has sent what it sends',
    params: PARAMS,
    body: EvidenceDone,
    ok: { schema: EvidenceView, description: 'It is over.' },
    problems: { 403: '`evidence_key_wrong`: not the key that the worker was given.', 404: 'Nobody is asked for that, or not any more.' },
  })
  async done(@FromPath('id') id: string, @FromBody() { refused = [] }: EvidenceDone, @Headers(KEY) key: string | undefined, @TheCaller() caller: Caller): Promise<EvidenceView> {
    await this.seen(id, caller);
    const fault = await this.evidence.desk.finish(id, key ?? '', refused);
    if (fault !== null) throw faultOf(fault);
    return evidenceView(await this.seen(id, caller));
  }

  @Post(':id/:kind')
  @Route({
    scope: 'emit',
    streams: true,
    tag: 'evidence',
    summary: 'A body from the asked worker, streamed',
    description: 'What does not come whole in time is not kept. Sent again it replaces what came before.',
    params: BODY_PARAMS,
    bodies: { [BYTES]: {} },
    ok: { schema: EvidenceKept, description: 'It is kept.' },
    problems: { 403: '`evidence_key_wrong`', 404: 'Nobody is asked for that, or not any more.', 409: '`evidence_over`: its time ran out before all of it had come.', 413: '`evidence_too_large`: nothing of it is kept.' },
  })
  async body(@FromPath('id') id: string, @FromPath('kind') kind: string, @Headers(KEY) key: string | undefined, @TheCaller() caller: Caller, @Req() request: FastifyRequest): Promise<EvidenceKept> {
    try {
      await this.seen(id, caller);
      return kept(await this.evidence.desk.receive({ id, kind: kindOf(kind), key: key ?? '' }, piecesOf(request)));
    } finally {
      discard(request);
    }
  }

  @Get(':id/:kind')
  @Route({
    scope: 'admin',
    tag: 'evidence',
    summary: 'The bytes of a report or a heap',
    params: BODY_PARAMS,
    ok: { type: BYTES, description: 'As the worker sent them.' },
    problems: { 404: 'There is no such body.', 410: 'It was erased, or is older than seven days.' },
  })
  async bytes(@FromPath('id') id: string, @FromPath('kind') kind: string, @TheCaller() caller: Caller, @Res() reply: FastifyReply): Promise<void> {
    const found = await this.seen(id, caller);
    const part = found.parts.find((one) => one.kind === kindOf(kind) && one.state === 'kept');
    if (part === undefined) throw notFound('evidence_unknown', 'There is no such body.');
    const chunks = this.evidence.store.bytes(id, part.kind)[Symbol.asyncIterator]();
    const first = await chunks.next();
    if (first.done === true) throw new Problem(410, 'evidence_erased', 'The bytes were erased, by hand or by their age.');
    const rest = async function* (): AsyncGenerator<Uint8Array> {
      yield first.value;
      for (let next = await chunks.next(); next.done !== true; next = await chunks.next()) yield next.value;
    };
    await reply
      .type(BYTES)
      .header('content-length', String(part.bytes))
      .header('x-content-type-options', 'nosniff')
      .header('cache-control', 'no-store')
      .send(Readable.from(rest()));
  }

  @Delete(':id')
  @Route({
    scope: 'admin',
    tag: 'evidence',
    summary: 'Erases the bodies for good',
    description: 'Who was asked, when, and the sizes stay. Idempotent; the first reason is kept.',
    params: PARAMS,
    body: EvidenceEraseCall,
    ok: { schema: EvidenceView, description: 'What is left.' },
    problems: { 404: 'There is no such evidence.' },
  })
  async erase(@FromPath('id') id: string, @FromBody() { reason }: EvidenceEraseCall, @TheCaller() caller: Caller): Promise<EvidenceView> {
    if (reason.trim() === '') throw new Problem(400, 'reason_required', 'say why: it is kept');
    await this.seen(id, caller);
    await this.evidence.store.erase(id, caller.name, reason.trim());
    return evidenceView(await this.seen(id, caller));
  }

  private async seen(id: string, caller: Caller): Promise<StoredEvidence> {
    const found = await this.evidence.store.one(id);
    if (found === null || !maySee(caller, found.namespace)) throw faultOf('evidence_unknown');
    return found;
  }
}

function kindOf(kind: string): EvidenceKind {
  const found = EVIDENCE_KINDS.find((known) => known === kind);
  if (found === undefined) throw faultOf('evidence_unknown');
  return found;
}

async function* piecesOf({ body }: FastifyRequest): AsyncGenerator<Uint8Array> {
  if (!(body instanceof Readable)) return;
  // Not destroyed with the loop: that would take the connection along, and the answer with it.
  for await (const piece of body.iterator({ destroyOnReturn: false })) yield piece as Uint8Array;
}

function kept(received: Received): EvidenceKept {
  if (received.kind === 'kept') return { bytes: received.bytes, sha256: received.sha256 };
  if (received.code !== 'evidence_too_large') throw faultOf(received.code);
  throw new Problem(413, received.code, 'The body is over the limit; nothing of it is kept.', { headers: { connection: 'close' } });
}

function faultOf(fault: EvidenceFault): Problem {
  switch (fault) {
    case 'evidence_unknown':
      return notFound(fault, 'Nobody is asked for that.');
    case 'evidence_key_wrong':
      return new Problem(403, fault, 'This is not the key that the asked worker was given.');
  }
}
