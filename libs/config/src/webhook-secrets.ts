import { readFile } from 'node:fs/promises';
import type { Fault } from './fault.js';
import type { PolicyFile, SecretRef, WebhookFormat, WebhookTarget } from './policy-types.js';
import { Secret } from './secret.js';

export const SECRET_RULE = '`whsec_` and base64 of 24 to 64 bytes, as Standard Webhooks has it';
export const SECRET_MEND = 'make one with: echo "whsec_$(openssl rand -base64 32)"';

/** What a format's secret is. */
export const SECRETS: Readonly<Record<WebhookFormat, { readonly is: (value: string) => boolean; readonly rule: string; readonly mend: string }>> = {
  standard: { is: isWebhookSecret, rule: SECRET_RULE, mend: SECRET_MEND },
  pagerduty: {
    is: (value) => /^[A-Za-z0-9]{32}$/.test(value),
    rule: 'the 32 letters and digits of an integration key of PagerDuty (Events API v2)',
    mend: 'take the key of an "Events API v2" integration of the service that is to be paged',
  },
  slack: {
    is: isAddress,
    rule: 'the address of an incoming webhook of Slack, which is the secret itself',
    mend: 'take the address that Slack shows for the incoming webhook, https://hooks.slack.com/services/…',
  },
};

/** A webhook whose secret is at hand. */
export interface ReadyWebhook {
  readonly target: WebhookTarget;
  readonly secret: Secret;
}

/**
 * Fetches the secrets that the file only refers to. Read again at each reload, so that a changed secret
 * file takes effect with it.
 */
export async function readWebhookSecrets(
  file: PolicyFile,
  env: Readonly<Record<string, string | undefined>>,
  read: (path: string) => Promise<string> = (path) => readFile(path, 'utf8'),
): Promise<{ readonly ready: readonly ReadyWebhook[]; readonly faults: readonly Fault[] }> {
  const ready: ReadyWebhook[] = [];
  const faults: Fault[] = [];
  for (const [index, target] of file.webhooks.entries()) {
    const found = await lookUp(target, env, read);
    if (found instanceof Secret) ready.push({ target, secret: found });
    else
      faults.push({
        code: 'no-secret',
        source: file.fileName,
        line: target.line,
        column: 1,
        path: `webhooks[${String(index)}]`,
        rule: found,
        mend: target.secret.from === 'env' ? `${SECRETS[target.format].mend}; a variable is read at the start only, a secretFile at each reload` : SECRETS[target.format].mend,
      });
  }
  return { ready, faults };
}

async function lookUp(
  { secret: ref, format }: { readonly secret: SecretRef; readonly format: WebhookFormat },
  env: Readonly<Record<string, string | undefined>>,
  read: (path: string) => Promise<string>,
): Promise<Secret | string> {
  if (ref.from === 'file-itself') return ref.value;
  const where = ref.from === 'env' ? `variable ${ref.name}` : `file ${ref.path}`;
  const value = ref.from === 'env' ? env[ref.name] : await read(ref.path).catch(() => undefined);
  if (value === undefined) return `the secret's ${where} is not there, or cannot be read`;
  const { is, rule } = SECRETS[format];
  return is(value.trim()) ? new Secret(value.trim()) : `the secret in ${where} must be ${rule}`;
}

export function isWebhookSecret(value: string): boolean {
  const encoded = /^whsec_([A-Za-z0-9+/]+={0,2})$/.exec(value)?.[1];
  if (encoded === undefined) return false;
  const bytes = Buffer.from(encoded, 'base64').length;
  return bytes >= 24 && bytes <= 64;
}

function isAddress(value: string): boolean {
  const url = URL.canParse(value) ? new URL(value) : null;
  return url !== null && /^https?:$/.test(url.protocol) && url.username === '' && url.password === '';
}
