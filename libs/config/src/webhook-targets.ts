import { envNameReader } from './env-name.js';
import type { FaultLog } from './fault-log.js';
import { forEachItem, readFields, type FieldTable, type PlacedSettings } from './fields.js';
import { WEBHOOK_EVENTS, WEBHOOK_FORMATS, type SecretRef, type WebhookEvent, type WebhookFormat, type WebhookTarget } from './policy-types.js';
import { listOf, oneOf, text, type Reader } from './readers.js';
import { Secret } from './secret.js';
import { SECRET_MEND, SECRET_RULE, SECRETS } from './webhook-secrets.js';
import type { Tree } from './yaml-tree.js';

interface WebhookSettings {
  readonly format: WebhookFormat;
  readonly url: string;
  readonly secret: Secret;
  readonly secretEnv: string;
  readonly secretFile: string;
  readonly events: readonly WebhookEvent[];
  readonly queues: readonly string[];
}

const urlReader: Reader<string> = {
  type: 'URL',
  rule: '`http://` or `https://`, without user and password',
  read(tree) {
    const written = tree.kind === 'scalar' ? tree.text : '';
    const url = URL.canParse(written) ? new URL(written) : null;
    // Not quoted: a URL may hold a password.
    if (url === null || !/^https?:$/.test(url.protocol))
      return { ok: false, rule: 'must be an http or https URL', mend: 'write https://host/path' };
    if (url.username === '' && url.password === '') return { ok: true, value: url.href };
    return {
      ok: false,
      rule: 'must not hold user and password: addresses are shown and logged',
      mend: 'take them out; requests are signed with the secret',
    };
  },
};

const secretReader: Reader<Secret> = {
  type: 'secret',
  rule: SECRET_RULE,
  read(tree) {
    const written = tree.kind === 'scalar' ? tree.text : '';
    return WEBHOOK_FORMATS.some((format) => SECRETS[format].is(written))
      ? { ok: true, value: new Secret(written) }
      : { ok: false, rule: `must be ${SECRET_RULE}`, mend: SECRET_MEND };
  },
};

export const WEBHOOK_FIELDS: FieldTable<WebhookSettings> = {
  format: {
    reader: oneOf<WebhookFormat>(WEBHOOK_FORMATS),
    written: 'standard',
    meaning: '`standard`: each message as a CloudEvent, signed. `pagerduty` (Events API v2), `slack` (incoming webhook): incidents alone, one page, one more for each escalation, and one all-clear each.',
  },
  url: {
    reader: urlReader,
    written: null,
    meaning: 'Where to send. Required; with `pagerduty` the address of PagerDuty unless said; not with `slack`, where the address is the secret.',
  },
  secret: {
    reader: secretReader,
    written: null,
    meaning: 'Signs each request; with `pagerduty` the integration key, with `slack` the address. One of `secret`, `secretEnv`, `secretFile` is required.',
  },
  secretEnv: { reader: envNameReader, written: null, meaning: 'The environment variable that holds the secret.' },
  secretFile: {
    reader: text({ min: 1, max: 1_024 }, 'a path'),
    written: null,
    meaning: 'The file that holds the secret; white space around it is ignored.',
  },
  events: { reader: listOf(oneOf<WebhookEvent>(WEBHOOK_EVENTS), 1), written: null, meaning: 'What is sent. Required.' },
  queues: {
    reader: listOf(text({ min: 1, max: 1_024 }, 'the name of a queue'), 1),
    written: null,
    meaning: 'Only of these queues. Absent: of all.',
  },
};

export function readWebhooks(tree: Tree | undefined, log: FaultLog): readonly WebhookTarget[] {
  const targets: WebhookTarget[] = [];
  if (tree === undefined) return targets;
  forEachItem({ tree, path: 'webhooks', log }, (item, path) => {
    const before = log.count;
    const found = readFields({ tree: item, path, log }, WEBHOOK_FIELDS);
    if (log.count > before) return;
    const { events, queues } = found;
    const format = found.format?.value ?? 'standard';
    const secrets = secretRefs(found);
    const [secret] = secrets;
    const url = addressOf(format, found.url?.value);
    if (url === undefined)
      log.add('missing-key', item.place, `${path}.url`, 'is required', 'add the address to send to');
    checkFormat(format, found, { path, log });
    if (events === undefined)
      log.add('missing-key', item.place, `${path}.events`, 'is required', `add some of ${WEBHOOK_EVENTS.join(', ')}`);
    if (secrets.length !== 1)
      log.add(
        'one-secret',
        item.place,
        path,
        `needs exactly one of secret, secretEnv, secretFile, has ${String(secrets.length)}`,
        SECRET_MEND,
      );
    if (url === undefined || events === undefined || secret === undefined || log.count > before) return;
    targets.push({
      format,
      url,
      secret,
      events: events.value,
      queues: queues?.value ?? null,
      line: item.place.line,
    });
  });
  return targets;
}

const PAGERDUTY_URL = 'https://events.pagerduty.com/v2/enqueue';

/** null: it is the secret. */
function addressOf(format: WebhookFormat, written: string | undefined): string | null | undefined {
  if (format === 'slack') return null;
  return written ?? (format === 'pagerduty' ? PAGERDUTY_URL : undefined);
}

/** What goes with one format and not with another. */
function checkFormat(format: WebhookFormat, found: PlacedSettings<WebhookSettings>, { path, log }: { readonly path: string; readonly log: FaultLog }): void {
  const { secret, events, url } = found;
  const { is, rule, mend } = SECRETS[format];
  if (secret !== undefined && !is(secret.value.reveal())) log.add('bad-value', secret.place, `${path}.secret`, `must be ${rule}`, mend);
  if (format === 'standard') return;
  if (events?.value.some((event) => event !== 'incidents') === true)
    log.add('format-events', events.place, `${path}.events`, `with format ${format} incidents alone`, 'write events: [incidents]');
  if (format === 'slack' && url !== undefined)
    log.add('address-is-secret', url.place, `${path}.url`, 'is not written with format slack: whoever knows it can post', mend);
}

function secretRefs(found: PlacedSettings<WebhookSettings>): SecretRef[] {
  const refs: SecretRef[] = [];
  if (found.secret !== undefined) refs.push({ from: 'file-itself', value: found.secret.value });
  if (found.secretEnv !== undefined) refs.push({ from: 'env', name: found.secretEnv.value });
  if (found.secretFile !== undefined) refs.push({ from: 'file', path: found.secretFile.value });
  return refs;
}
