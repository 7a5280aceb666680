import { nothingOf, type Finding } from '../assessment.js';
import { mostOf, round, type WindowFigures } from '../figures.js';
import { hostIn } from '../marks.js';
import { markedAs } from './marked.js';

/**
 * Something that the jobs call is away. For it: refused, reset and timed out connections, names that do not resolve, 5xx
 * and 429, mostly of one code or host, whoever runs which job. Against it: one release only meets it, or the codes are of
 * all sorts.
 */
export function downstreamOutage(figures: WindowFigures): Finding {
  const marked = markedAs(figures, ['downstream'], 'What the jobs call cannot be reached, or answers that it does not work.');
  if (marked === null) return nothingOf('downstream_outage');
  const slow = markedAs(figures, ['timeout'], 'Others took too long.');
  const host = mostOf(marked.attempts.map((a) => hostIn(a.message)));
  const words = mostOf(marked.attempts.map((a) => a.code ?? (a.responseStatus === null ? a.class : String(a.responseStatus))));
  const n = marked.attempts.length;
  const alike = Math.max(host?.times ?? 0, words?.times ?? 0) / n;
  // Whoever does not answer is often slow first.
  const share = Math.min(1, marked.share + (marked.share >= 0.3 ? (slow?.share ?? 0) : 0));
  const figuresOfHost = host !== null && host.times >= n / 2 ? { host: host.word, ofHost: round(host.times / n) } : {};
  return {
    cause: 'downstream_outage',
    subject: host !== null && host.times >= n / 2 ? host.word : marked.code,
    confidence: share * (0.75 + 0.2 * alike),
    evidence: [{ ...marked.evidence, figures: { ...marked.evidence.figures, ...figuresOfHost } }],
  };
}
