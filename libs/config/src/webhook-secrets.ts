import { readFile } from 'node:fs/promises';
import type { Fault } from './fault.js';
import type { PolicyFile, SecretRef, WebhookTarget } from './policy-types.js';
import { Secret } from './secret.js';

export const SECRET_RULE = '`whsec_` and base64 of 24 to 64 bytes, as Standard Webhooks has it';
export const SECRET_MEND = 'make one with: echo "whsec_$(openssl rand -base64 32)"';

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
    const found = await lookUp(target.secret, env, read);
    if (found instanceof Secret) ready.push({ target, secret: found });
    else
      faults.push({
        code: 'no-secret',
        source: file.fileName,
        line: target.line,
        column: 1,
        path: `webhooks[${String(index)}]`,
        rule: found,
        mend: target.secret.from === 'env' ? `${SECRET_MEND}; a variable is read at the start only, a secretFile at each reload` : SECRET_MEND,
      });
  }
  return { ready, faults };
}

async function lookUp(
  ref: SecretRef,
  env: Readonly<Record<string, string | undefined>>,
  read: (path: string) => Promise<string>,
): Promise<Secret | string> {
  if (ref.from === 'file-itself') return ref.value;
  const where = ref.from === 'env' ? `variable ${ref.name}` : `file ${ref.path}`;
  const value = ref.from === 'env' ? env[ref.name] : await read(ref.path).catch(() => undefined);
  if (value === undefined) return `the secret's ${where} is not there, or cannot be read`;
  return isWebhookSecret(value.trim()) ? new Secret(value.trim()) : `the secret in ${where} must be ${SECRET_RULE}`;
}

export function isWebhookSecret(value: string): boolean {
  const encoded = /^whsec_([A-Za-z0-9+/]+={0,2})$/.exec(value)?.[1];
  if (encoded === undefined) return false;
  const bytes = Buffer.from(encoded, 'base64').length;
  return bytes >= 24 && bytes <= 64;
}
