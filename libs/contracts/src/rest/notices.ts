import { Type, type Static } from 'typebox';
import { count, nullable, oneOf } from '../schemas/field.js';
import { NOTICE_STATES, WEBHOOK_FORMATS } from '../vocabulary.js';
import { listOf } from './problem.js';

/** `GET /v1/jobs/one/notices` */
export const StuckNoticeView = Type.Object(
  {
    host: nullable(Type.String(), { description: 'Of the webhook; null = its address is secret.' }),
    format: oneOf(WEBHOOK_FORMATS, { description: 'In whose words it goes out.' }),
    state: oneOf(NOTICE_STATES, {
      description: '`gathering`: its minute is not over. `waiting`: not tried yet. `refused`: it is tried again. `delivered`: acknowledged, or given up after ten tries, as the log says.',
    }),
    tries: count('So far, while it is not delivered.'),
  },
  { description: 'The notice that a job is stuck, at one webhook.' },
);

export const StuckNoticeList = listOf(StuckNoticeView, 'By webhook.');
export type StuckNoticeView = Static<typeof StuckNoticeView>;
export type StuckNoticeList = Static<typeof StuckNoticeList>;
