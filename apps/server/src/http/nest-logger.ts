import type { LoggerService } from '@nestjs/common';
import type { Logger } from 'pino';

/** Nest's own lines in our log. What it tells of routes and modules at each start is of use to developers alone. */
export class NestLogger implements LoggerService {
  constructor(private readonly log_: Logger) {}

  log(message: unknown, context?: unknown): void {
    this.log_.trace({ context }, String(message));
  }

  warn(message: unknown, context?: unknown): void {
    this.log_.warn({ context }, String(message));
  }

  error(message: unknown, ...more: readonly unknown[]): void {
    this.log_.error({ err: message instanceof Error ? message : undefined, context: more.at(-1) }, String(message));
  }
}
