import type { ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { IntakeLimits } from '#libs/config';
import { invalid } from './validate.js';

export type NameKind = 'queue' | 'id' | 'namespace';

type NameLimits = Pick<IntakeLimits, 'queueBytes' | 'jobIdBytes' | 'namespaceBytes'>;

const LIMIT_OF: Readonly<Record<NameKind, { readonly field: keyof NameLimits; readonly setting: string }>> = {
  queue: { field: 'queueBytes', setting: 'limits.queue' },
  id: { field: 'jobIdBytes', setting: 'limits.jobId' },
  namespace: { field: 'namespaceBytes', setting: 'limits.namespace' },
};

const limitsOf = new WeakMap<object, () => NameLimits>();

/** Where the limits in force are read; once per server. */
export function useNameLimits(server: object, limits: () => NameLimits): void {
  limitsOf.set(server, limits);
}

/** A name of the request: there, storable, and within its limit in bytes. */
export function checkName(kind: NameKind, value: unknown, context: ExecutionContext): string {
  if (typeof value !== 'string' || value === '') {
    throw invalid('request', [{ field: kind, rule: 'is missing', send: `Name the ${WORDS[kind]}.` }]);
  }
  if (value.includes('\0')) {
    throw invalid('request', [
      { field: kind, rule: 'holds a NUL character, which cannot be stored', send: 'Leave it out.' },
    ]);
  }
  const { field, setting } = LIMIT_OF[kind];
  const { server } = context.switchToHttp().getRequest<FastifyRequest>();
  const limit = limitsOf.get(server)?.()[field] ?? 0;
  const bytes = Buffer.byteLength(value, 'utf8');
  if (bytes <= limit) return value;
  throw invalid('request', [
    {
      field: kind,
      rule: `has ${String(bytes)} bytes, the limit is ${String(limit)} (${setting})`,
      send: 'Shorten it.',
    },
  ]);
}

const WORDS: Readonly<Record<NameKind, string>> = { queue: 'queue', id: 'job id', namespace: 'namespace' };
