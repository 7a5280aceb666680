import { Type, type Static, type TSchema } from 'typebox';
import { nullable } from '../schemas/field.js';

/** Problem details, RFC 9457. `code` is stable and for programs; `title` and `detail` are for people. */
export const ProblemDetails = Type.Object(
  {
    type: Type.String({ default: 'about:blank', description: 'URI of the kind of problem.' }),
    title: Type.String({ description: 'What went wrong, in a few words.' }),
    status: Type.Integer({ minimum: 400, maximum: 599, description: 'HTTP status.' }),
    code: Type.String({ description: 'Stable word for programs, such as `finished` or `too_large`.' }),
    detail: Type.Optional(Type.String({ description: 'What went wrong here, and what to do.' })),
    instance: Type.Optional(Type.String({ description: 'The request.' })),
  },
  { description: 'Problem details, RFC 9457.' },
);
export type ProblemDetails = Static<typeof ProblemDetails>;

/** A page of a list. `next` goes back as the query parameter `next`; null = the last page. */
export function listOf<T extends TSchema>(items: T, description: string) {
  return Type.Object(
    {
      items: Type.Array(items),
      next: nullable(Type.String(), { description: 'Where the next page begins; null = there is none.' }),
    },
    { description },
  );
}
export interface ListOf<T> {
  items: T[];
  next: string | null;
}

/** Query of every list. */
export const listQuery = {
  namespace: Type.Optional(Type.String({ default: 'default', description: 'Only this namespace.' })),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000, default: 100, description: 'Items per page.' })),
  next: Type.Optional(Type.String({ description: 'From the page before.' })),
};

/** Query of the lists that can be asked for one queue. */
export const QueueListQuery = Type.Object({
  ...listQuery,
  queue: Type.Optional(Type.String({ description: 'Only this queue.' })),
});
export type QueueListQuery = Static<typeof QueueListQuery>;
