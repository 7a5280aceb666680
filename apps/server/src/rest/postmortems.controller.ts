import { Controller, Get, Inject, Post, Put, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { followUpView, postmortemView, type PostmortemOutcome, type ReadModels, type StoredIncident } from '#libs/application';
import { FollowUpCall, FollowUpDoneCall, FollowUpList, FollowUpView, PostmortemAnswerCall, PostmortemSignCall, PostmortemView } from '#libs/contracts';
import { postmortemMarkdown } from '#libs/domain';
import { maySee, seesInstallation, type Caller } from '../auth/caller.js';
import { listed, type ListQuery } from '../http/cursor.js';
import { FromBody, FromOptionalBody, FromPath, FromPlainQuery, TheCaller, TheNamespaces } from '../http/inputs.js';
import { notFound, Problem } from '../http/problem.js';
import { Route } from '../http/route.js';
import type { PostmortemCalls, Runs } from '../services.js';
import { POSTMORTEMS, READS, RUNS } from '../tokens.js';
import { visibleIncident } from './incident-sight.js';
import { FollowUpsQuery, PostmortemQuery } from './schemas.js';

const MARKDOWN = 'text/markdown';
const params = { id: 'Id of the incident.' } as const;
const SIGNED = 'It is signed already, and stays as it is.';

/** What is left to say, to answer and to do when an incident is over. */
@Controller('v1')
export class PostmortemsController {
  constructor(
    @Inject(READS) private readonly reads: ReadModels,
    @Inject(POSTMORTEMS) private readonly calls: PostmortemCalls,
    @Inject(RUNS) private readonly runs: Runs,
  ) {}

  @Get('incidents/:id/postmortem')
  @Route({
    scope: 'read',
    tag: 'postmortems',
    summary: 'What happened, and what is still to be answered',
    description: 'Made anew from the incident’s steps and from figures whenever it is asked for. Markdown with `Accept: text/markdown` or `?format=markdown`.',
    params,
    query: PostmortemQuery,
    ok: { schema: PostmortemView, description: 'The postmortem.', also: { [MARKDOWN]: {} } },
    problems: { 404: 'No such incident.' },
  })
  async one(
    @FromPath('id') id: string,
    @FromPlainQuery() { format }: { readonly format?: string },
    @TheCaller() caller: Caller,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const postmortem = await this.calls.postmortems.of(await this.seen(id, caller));
    const markdown = format === undefined ? (request.headers.accept ?? '').includes(MARKDOWN) : format === 'markdown';
    // Errors are quoted in it: no browser is to guess that it is a page of ours.
    const safe = reply.header('x-content-type-options', 'nosniff').header('cache-control', 'no-store');
    if (markdown) await safe.type(`${MARKDOWN}; charset=utf-8`).send(postmortemMarkdown(postmortem));
    else await safe.type('application/json; charset=utf-8').send(postmortemView(postmortem));
  }

  @Put('incidents/:id/postmortem/items/:item')
  @Route({
    scope: 'operate',
    tag: 'postmortems',
    summary: 'Answers an item of a checklist',
    description: 'The newest answer counts; those before are kept with their authors. An answer of the data is added to, not replaced.',
    params: { ...params, item: 'Name of the item, as the postmortem has it.' },
    body: PostmortemAnswerCall,
    ok: { schema: PostmortemView, description: 'The postmortem as it stands now.' },
    problems: { 404: 'No such incident, or no such item.', 409: SIGNED },
  })
  async answer(@FromPath('id') id: string, @FromPath('item') item: string, @FromBody() body: PostmortemAnswerCall, @TheCaller() caller: Caller): Promise<PostmortemView> {
    const incident = await this.seen(id, caller);
    return answered(await this.calls.postmortems.answer(incident, item, { answer: said(body.answer, 'answer'), by: caller.name }));
  }

  @Post('incidents/:id/postmortem/sign')
  @Route({
    scope: 'operate',
    tag: 'postmortems',
    summary: 'Stands for a postmortem',
    description: 'Once, when each item is answered and the incident is resolved. Answers stay as they are from then on; follow-ups go on.',
    params,
    body: PostmortemSignCall,
    ok: { schema: PostmortemView, description: 'The signed postmortem.' },
    problems: { 404: 'No such incident.', 409: `${SIGNED} Or something is missing; \`missing\` says what.` },
  })
  async sign(@FromPath('id') id: string, @FromOptionalBody() { note }: PostmortemSignCall, @TheCaller() caller: Caller): Promise<PostmortemView> {
    return answered(await this.calls.postmortems.sign(await this.seen(id, caller), { by: caller.name, note: note ?? null }));
  }

  @Post('incidents/:id/postmortem/follow-ups')
  @Route({
    scope: 'operate',
    tag: 'postmortems',
    summary: 'Adds a lesson or a follow-up',
    params,
    body: FollowUpCall,
    ok: { status: 201, schema: FollowUpView, description: 'The follow-up.' },
    problems: { 404: 'No such incident.' },
  })
  async add(@FromPath('id') id: string, @FromBody() { text, kind = 'task', owner }: FollowUpCall, @TheCaller() caller: Caller): Promise<FollowUpView> {
    const incident = await this.seen(id, caller);
    return followUpView(await this.calls.postmortems.addFollowUp(incident, { kind, text: said(text, 'text'), owner: owner ?? null, by: caller.name }));
  }

  @Get('follow-ups')
  @Route({
    scope: 'read',
    tag: 'postmortems',
    summary: 'What incidents have left to do',
    description: 'What is still to be done; with `done=true` what has been done.',
    query: FollowUpsQuery,
    ok: { schema: FollowUpList, description: 'A page of them, the oldest first.' },
  })
  async list(@FromPlainQuery() query: ListQuery & { readonly incident?: string; readonly done?: boolean }, @TheNamespaces() namespaces: Caller['namespaces']): Promise<FollowUpList> {
    const { incident, done = false } = query;
    return await listed('follow-ups', query, (page) => this.calls.store.followUps({ namespaces, done, ...(incident !== undefined && { incidentId: incident }) }, page), followUpView);
  }

  @Post('follow-ups/:id/done')
  @Route({
    scope: 'operate',
    tag: 'postmortems',
    summary: 'Says that a follow-up is done',
    description: 'What is done stays as it was done.',
    params: { id: 'Id of the follow-up.' },
    body: FollowUpDoneCall,
    ok: { schema: FollowUpView, description: 'The follow-up.' },
    problems: { 404: 'No such follow-up.' },
  })
  async finish(@FromPath('id') id: string, @FromOptionalBody() { note }: FollowUpDoneCall, @TheCaller() caller: Caller): Promise<FollowUpView> {
    const found = await this.calls.store.followUp(id);
    const visible = found !== null && (found.namespace === null ? seesInstallation(caller) : maySee(caller, found.namespace));
    const done = visible ? await this.calls.store.finishFollowUp(id, { by: caller.name, note: note ?? null }) : null;
    if (done === null) throw notFound('follow_up_unknown', 'There is no such follow-up.');
    return followUpView(done);
  }

  private async seen(id: string, caller: Caller): Promise<StoredIncident> {
    return await visibleIncident(this.reads, this.runs.store, id, caller);
  }
}

function said(text: string, field: string): string {
  const trimmed = text.trim();
  if (trimmed === '') throw new Problem(400, 'invalid', `${field} says nothing`);
  return trimmed;
}

function answered(outcome: PostmortemOutcome): PostmortemView {
  if (outcome.kind === 'done') return postmortemView(outcome.postmortem);
  const { missing, signature } = outcome.postmortem;
  switch (outcome.code) {
    case 'item_unknown':
      throw notFound('item_unknown', 'No checklist has such an item.');
    case 'postmortem_signed':
      throw new Problem(409, 'postmortem_signed', `${SIGNED}${signature === null ? '' : ` By ${signature.by}.`}`);
    case 'postmortem_incomplete':
      throw new Problem(409, 'postmortem_incomplete', 'Something is still to be answered.', { members: { missing } });
  }
}
