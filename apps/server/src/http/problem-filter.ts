import { Catch, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import { PROBLEM_TYPE, type Problem } from './problem.js';
import { problemOf } from './problem-of.js';
import type { RouteTable } from './route-table.js';

/** The one place where errors become answers: every error of every route, the router's and the body's too. */
@Catch()
export class ProblemFilter implements ExceptionFilter {
  constructor(
    private readonly log: Logger,
    private readonly routes: RouteTable,
  ) {}

  catch(error: unknown, host: ArgumentsHost): void {
    const request = host.switchToHttp().getRequest<FastifyRequest>();
    const reply = host.switchToHttp().getResponse<FastifyReply>();
    const problem = this.routes.refine(problemOf(error), request);
    this.tell(problem, error, request);
    if (reply.sent || reply.raw.headersSent) {
      // Answered meanwhile; or begun, and then it can only be broken off.
      if (!reply.raw.writableEnded) reply.raw.destroy();
      return;
    }
    sendProblem(problem, request, reply);
  }

  private tell(problem: Problem, error: unknown, request: FastifyRequest): void {
    const { status, code } = problem;
    const entry = { requestId: request.id, method: request.method, path: request.url.split('?', 1)[0], status, code };
    if (status >= 500 && status !== 503) this.log.error({ ...entry, err: problem.cause ?? error }, 'request failed');
    else if (status === 503) this.log.warn({ ...entry, reason: problem.message }, 'request could not be served');
    else this.log.debug({ ...entry, reason: problem.message }, 'request refused');
  }
}

export function sendProblem(problem: Problem, request: Pick<FastifyRequest, 'url' | 'id'>, reply: FastifyReply): void {
  void reply
    .code(problem.status)
    .headers({ ...problem.more.headers })
    .header('content-type', PROBLEM_TYPE)
    .send(JSON.stringify(problem.body({ url: request.url, id: request.id })));
}
