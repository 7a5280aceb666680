// What the library throws, in words: who, what, and what to do about it. Never a secret: the words are made of names.
import { RetryableError } from '#libs/application';
import type { KafkaSettings } from './settings.js';

interface LibraryError {
  readonly name?: unknown;
  readonly message?: unknown;
  /** Kafka's own name of a fault. */
  readonly type?: unknown;
  /** Node's. */
  readonly code?: unknown;
  readonly cause?: unknown;
  readonly errors?: unknown;
}

/** One error for whatever went wrong, with a stable code. All are repeated: rights and passwords are mended from outside. */
export function explainKafkaError(error: unknown, settings: KafkaSettings): RetryableError {
  if (error instanceof RetryableError) return error;
  const chain = causes(error);
  const brokers = settings.brokers.join(', ');
  const [code, words] =
    signedIn(chain, settings) ?? certificates(chain) ?? rights(chain, settings) ?? coordinator(chain, settings) ?? fenced(chain) ?? tooLarge(chain) ?? away(chain) ?? [
      'kafka_failed',
      said(chain),
    ];
  return new RetryableError(code, `Kafka at ${brokers}: ${words}`, { cause: error });
}

/** Kafka's name of the fault, where it is one of Kafka's. */
export function protocolType(error: unknown): string | null {
  for (const { type } of causes(error)) if (typeof type === 'string') return type;
  return null;
}

type Words = readonly [code: string, words: string] | null;

function signedIn(chain: readonly LibraryError[], { sasl }: KafkaSettings): Words {
  const refused = chain.some((e) => e.name === 'KafkaJSSASLAuthenticationError' || e.type === 'SASL_AUTHENTICATION_FAILED');
  if (!refused) return null;
  if (sasl === null) return ['kafka_authentication', 'the broker asks who we are, and no SASL mechanism is set'];
  const who = `${JSON.stringify(sasl.username)} by ${sasl.mechanism.toUpperCase()}`;
  return ['kafka_authentication', `${who} is not let in: check the user name, the password and the mechanism`];
}

const UNTRUSTED = new Set([
  'SELF_SIGNED_CERT_IN_CHAIN',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'CERT_SIGNATURE_FAILURE',
]);

function certificates(chain: readonly LibraryError[]): Words {
  const code = chain.map((e) => e.code).find((c): c is string => typeof c === 'string' && /CERT|SIGNATURE|SSL|EPROTO/.test(c));
  if (code === undefined) {
    const ended = chain.some((e) => String(e.message).includes('before secure TLS connection was established'));
    return ended
      ? ['kafka_certificate', 'the connection ends before TLS is established: does this listener speak TLS?']
      : null;
  }
  const told = (words: string): Words => ['kafka_certificate', `${words} (${code})`];
  if (UNTRUSTED.has(code)) return told("the broker's certificate is not signed by an authority we know: check the CA");
  if (code === 'CERT_HAS_EXPIRED') return told("the broker's certificate has expired");
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID')
    return told("the broker's certificate is for another name than the address it was reached by");
  if (/ALERT/.test(code)) return told('the broker does not accept our certificate, or asks for one and there is none');
  if (/WRONG_VERSION|PACKET_LENGTH|EPROTO/.test(code)) return told('this listener does not speak TLS');
  return told('no TLS connection');
}

const RESOURCE: Readonly<Record<string, string>> = {
  TOPIC_AUTHORIZATION_FAILED: 'a topic',
  GROUP_AUTHORIZATION_FAILED: 'the consumer group',
  CLUSTER_AUTHORIZATION_FAILED: 'the cluster',
  TRANSACTIONAL_ID_AUTHORIZATION_FAILED: 'the transactional ids',
};

function rights(chain: readonly LibraryError[], { topicPrefix }: KafkaSettings): Words {
  const type = chain.map((e) => e.type).find((t): t is string => typeof t === 'string' && t in RESOURCE);
  if (type === undefined) return null;
  const command =
    type === 'TRANSACTIONAL_ID_AUTHORIZATION_FAILED'
      ? `: ${transactionRights(topicPrefix)}`
      : `: see the rights in docs/kafka.md, for everything whose name begins with '${topicPrefix}'`;
  return ['kafka_rights', `a right on ${RESOURCE[type] ?? ''} is missing (${type})${command}`];
}

function transactionRights(topicPrefix: string): string {
  const rights = '--operation Describe --operation Write';
  return `kafka-acls --bootstrap-server BROKER --add --allow-principal User:NAME ${rights} --transactional-id '${topicPrefix}' --resource-pattern-type prefixed`;
}

/** The library does not hand on why: mostly a right. */
function coordinator(chain: readonly LibraryError[], { topicPrefix }: KafkaSettings): Words {
  if (!chain.some((e) => e.name === 'KafkaJSGroupCoordinatorNotFound')) return null;
  const words = 'nobody is told to coordinate our transactions or our group: is the right Describe on them missing?';
  return ['kafka_coordinator', `${words} ${transactionRights(topicPrefix)}`];
}

/** A newer producer with the same transactional id. Codes that the library does not know come as their numbers. */
function fenced(chain: readonly LibraryError[]): Words {
  const types = new Set(['INVALID_PRODUCER_EPOCH', 'INVALID_TXN_STATE', 'INVALID_PRODUCER_ID_MAPPING']);
  const found = chain.some((e) => types.has(String(e.type)) || /Unknown error code (?:90|120)$/.test(String(e.message)));
  return found ? ['publisher_fenced', 'another publisher has this shard by now, or the broker gave the transaction up'] : null;
}

function tooLarge(chain: readonly LibraryError[]): Words {
  const found = chain.some((e) => e.type === 'MESSAGE_TOO_LARGE' || e.type === 'RECORD_LIST_TOO_LARGE');
  return found ? ['kafka_too_large', 'refuses a batch as too large: the limit has been lowered'] : null;
}

function away(chain: readonly LibraryError[]): Words {
  const found = chain.some((e) => /^KafkaJS(?:Connection|RequestTimeout|NoBrokerAvailable|BrokerNotFound)/.test(String(e.name)));
  return found ? ['kafka_unreachable', `cannot be reached, and is tried again (${said(chain)})`] : null;
}

function said(chain: readonly LibraryError[]): string {
  return chain.map((e) => e.message).findLast((m) => typeof m === 'string' && m !== '')?.toString() ?? 'unknown error';
}

/** The error, its causes, and the parts of an aggregate, outermost first. */
function causes(error: unknown): readonly LibraryError[] {
  const found: LibraryError[] = [];
  const look = (one: unknown): void => {
    if (typeof one !== 'object' || one === null || found.includes(one) || found.length > 20) return;
    found.push(one);
    const { cause, errors } = one as LibraryError;
    if (Array.isArray(errors)) errors.forEach(look);
    look(cause);
  };
  look(error);
  return found;
}
