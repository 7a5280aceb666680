import { Type, type Static } from 'typebox';
import { REVIEW_OUTCOMES } from '#libs/domain';
import { count, instant, namespace, nullable, oneOf, queue, whyKept } from '../schemas/field.js';

/** `GET /v1/dead-letters/patterns`: dead letters by what they died of, and what people say of that. */

const Outcome = oneOf(REVIEW_OUTCOMES, { description: 'seen: looked at. fixed: should not come again. ignored: not worth a mark.' });

const Said = { outcome: Outcome, at: instant('When.'), by: Type.String(), reason: Type.String() };

export const PatternView = Type.Object(
  {
    id: Type.String(),
    namespace,
    queue,
    kind: nullable(Type.String()),
    reason: Type.String({ description: 'Of the dead letters, a stable word; `other` for the rest of a queue with more than 1,000 patterns.' }),
    class: nullable(Type.String(), { description: 'Class of the error; null: nobody said why.' }),
    message: Type.String({ description: 'Without numbers, ids, addresses, times and quoted values.' }),
    frames: Type.Array(Type.String(), { description: 'The functions nearest to where it was thrown, own code first.' }),
    firstSeen: instant('The first one.'),
    lastSeen: instant('The newest one.'),
    letters: count('Dead letters ever, also those that have left since.'),
    stillDead: nullable(Type.Boolean(), { description: 'Whether one of them is dead still; null: not known, as it had more than 200 and none of the newest 200 is.' }),
    arrived: count('Those since the instant that was asked for.'),
    trend: Type.Array(Type.Integer({ minimum: 0 }), { description: 'Dead letters of each of the last 24 hours, oldest first; the last hour is still running.' }),
    mark: nullable(oneOf(['new', 'regressed'] as const), {
      description: 'new: first seen since the last review. regressed: said to be fixed, and here again.',
    }),
    review: Type.Optional(Type.Object(Said, { description: 'The newest that people have said of it.' })),
  },
  { description: 'Dead letters that died of the same.' },
);

const Share = Type.Object({ name: nullable(Type.String(), { description: 'null: not told.' }), letters: count('Dead letters.') });

export const PatternDetail = Type.Object(
  {
    ...PatternView.properties,
    hours: Type.Array(Type.Object({ from: instant('Begin of the hour, UTC.'), letters: count('Dead letters in it.') }), {
      description: 'Of the last 30 days; hours without any are left out.',
    }),
    revisions: Type.Array(Share, { description: 'Releases of the workers, most first; ten at most.' }),
    workers: Type.Array(Share, { description: 'Workers, most first; ten at most.' }),
    reviews: Type.Array(Type.Object(Said), { description: 'What people have said of it, newest first; 20 at most.' }),
  },
  { description: 'A pattern with when it came, and by whom.' },
);

export const ReviewView = Type.Object(
  {
    at: instant('When.'),
    by: Type.String(),
    reason: Type.String(),
    queue: nullable(Type.String(), { description: 'null: every queue of the namespace.' }),
  },
  { description: 'Somebody has looked through the dead letters.' },
);

export const PatternList = Type.Object(
  {
    since: instant('From when on something counts as arrived; begins with a whole hour, which is that of the first page on all pages.'),
    lastReview: nullable(ReviewView, { description: 'null: nobody has reviewed them yet.' }),
    arrived: count('Dead letters that arrived, of all patterns that fit, on all pages.'),
    total: count('Patterns that fit, on all pages.'),
    dead: count('Jobs that are dead now in the queue, or in all of the namespace, whenever they died.'),
    items: Type.Array(PatternView, { description: 'Most arrivals first, then the newest.' }),
    next: nullable(Type.String(), { description: 'Give it as `next` for the page after this one; null: there is none.' }),
  },
  { description: 'Patterns of dead letters.' },
);

export const PatternReviewCall = Type.Object({ outcome: Outcome, reason: whyKept('Why; kept.') }, { description: 'What somebody says of a pattern.' });
export const ReviewCall = Type.Object(
  { queue: Type.Optional(queue), reason: whyKept('What was found; kept.') },
  { description: 'Says that all dead letters so far were looked through.' },
);

export type PatternView = Static<typeof PatternView>;
export type PatternDetail = Static<typeof PatternDetail>;
export type PatternList = Static<typeof PatternList>;
export type ReviewView = Static<typeof ReviewView>;
export type PatternReviewCall = Static<typeof PatternReviewCall>;
export type ReviewCall = Static<typeof ReviewCall>;
