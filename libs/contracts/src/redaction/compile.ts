import { isObject } from '../json.js';
import { atRoot, type PathRule } from './paths.js';
import { cutRawText, type PatternRule } from './patterns.js';
import { NO_REDACTION, type Redacted, type Redactor } from './redactor.js';
import { queueGlob, type RedactionRule } from './rules.js';
import { Walk } from './walk.js';

interface RuleSet {
  readonly paths: readonly PathRule[];
  readonly patterns: readonly PatternRule[];
}

/** Queues whose rules are kept ready; a flood of queue names must not grow it without end. */
const MAX_READY = 1_000;

/** Compiles rules that {@link redactionRule} has checked. Without any the redactor costs nothing. */
export function compileRedaction(rules: readonly RedactionRule[]): Redactor {
  if (rules.length === 0) return NO_REDACTION;
  const all = ruleSet(rules);
  const perQueue = rules.some((rule) => rule.queue !== null);
  const globs = rules.map((rule) => ({ rule, applies: queueGlob(rule.queue) }));
  const ready = new Map<string, RuleSet>();

  // What names no queue, or none that can be read, gets every rule: too much cut is the smaller harm.
  const rulesFor = (queue: unknown): RuleSet => {
    if (!perQueue || typeof queue !== 'string') return all;
    let set = ready.get(queue);
    if (set === undefined) {
      set = ruleSet(globs.filter(({ applies }) => applies(queue)).map(({ rule }) => rule));
      if (ready.size >= MAX_READY) ready.clear();
      ready.set(queue, set);
    }
    return set;
  };

  return {
    active: true,
    event: (event, schema): Redacted => {
      const { paths, patterns } = rulesFor(queueOf(event));
      const walk = new Walk(patterns);
      return { value: walk.node(event, { schema, places: atRoot(paths), path: '' }), cut: walk.cut };
    },
    text: (text) => cutRawText(text, all.patterns),
  };
}

function queueOf(event: unknown): unknown {
  return isObject(event) && isObject(event['data']) ? event['data']['queue'] : undefined;
}

function ruleSet(rules: readonly RedactionRule[]): RuleSet {
  const paths: PathRule[] = [];
  const patterns: PatternRule[] = [];
  for (const { match, replaceWith } of rules) {
    if (match.by === 'path') paths.push({ segments: match.path, replaceWith });
    // A copy: `lastIndex` is state, and the rule may be compiled elsewhere too.
    else patterns.push({ pattern: new RegExp(match.pattern.source, withGlobal(match.pattern.flags)), replaceWith });
  }
  return { paths, patterns };
}

function withGlobal(flags: string): string {
  return flags.includes('g') ? flags : `${flags}g`;
}
