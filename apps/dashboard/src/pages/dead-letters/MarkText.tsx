import { StatusText } from '../../kit/StatusText';
import { deadLetters } from '../../text/dead-letters';
import type { Pattern } from './letter-queries';

const { mark: words, outcome } = deadLetters;

/** What should be known of a pattern before anything else: that it is new, that it came back, or what people have said. */
export function MarkText({ pattern: { mark, review } }: { readonly pattern: Pick<Pattern, 'mark' | 'review'> }) {
  if (mark !== null) {
    const [text, title] = words[mark];
    return <StatusText text={text} title={title} tone={mark === 'new' ? 'busy' : 'bad'} shape={mark === 'new' ? 'dot' : 'triangle'} filled />;
  }
  if (review === undefined) return null;
  return <StatusText text={outcome[review.outcome]} tone={review.outcome === 'fixed' ? 'ok' : 'calm'} shape={review.outcome === 'fixed' ? 'dot' : 'eye'} />;
}
