import { redactSecrets } from './redact.js';

/** Of the process' surroundings, and where secrets are kept: no part of what goes wrong in it. */
const LEFT_OUT: ReadonlySet<string> = new Set(['environmentVariables', 'networkInterfaces', 'host']);
const MOST_TEXT = 4_096;
/** Parts of a text that look like a secret: of URLs with a password, and of `name=value` pairs. */
const IN_TEXT = /(:\/\/[^\s:@/]*:)[^\s@/]+(?=@)|((?:pass(?:word|wd)?|secret|token|api[-_]?key|authorization)["']?\s*[=:]\s*["']?(?:bearer\s+)?)[^\s"'&,;]+/giu;

interface Reporting {
  excludeNetwork?: boolean;
  excludeEnv?: boolean;
  getReport(): object;
}

/**
 * Node's diagnostic report of this process: stacks, heap spaces, handles, limits, loaded libraries. Without environment
 * variables, network interfaces, the host's name and the arguments of the command line; values that look like secrets are cut out.
 */
export function diagnosticReport(): object {
  const report = process.report as unknown as Reporting;
  const before = { excludeNetwork: report.excludeNetwork, excludeEnv: report.excludeEnv };
  // Names of open connections would be looked up, which takes seconds where there is no DNS.
  report.excludeNetwork = true;
  report.excludeEnv = true;
  try {
    return cleaned(report.getReport()) as object;
  } finally {
    report.excludeNetwork = before.excludeNetwork ?? false;
    report.excludeEnv = before.excludeEnv ?? false;
  }
}

function cleaned(value: unknown): unknown {
  if (typeof value === 'string') return value.slice(0, MOST_TEXT).replace(IN_TEXT, '$1$2[redacted]');
  if (Array.isArray(value)) return value.map(cleaned);
  if (typeof value !== 'object' || value === null) return value;
  const fields = Object.entries(value).filter(([name]) => !LEFT_OUT.has(name));
  return Object.fromEntries(fields.map(([name, field]) => [name, name === 'commandLine' && Array.isArray(field) ? field.slice(0, 1) : isSecret(name) ? '[redacted]' : cleaned(field)]));
}

/** As a payload's field of that name would be. */
function isSecret(name: string): boolean {
  const probe = redactSecrets({ [name]: 0 }) as Readonly<Record<string, unknown>>;
  return probe[name] !== 0;
}
