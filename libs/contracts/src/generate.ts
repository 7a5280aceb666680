import type { TSchema } from 'typebox';
import { DECISION_EXAMPLES, EXAMPLES } from './examples.js';
import { REST_SCHEMAS } from './rest/registry.js';
import { DECISION_EVENTS } from './schemas/decisions.js';
import { CloudEvent } from './schemas/envelope.js';
import { INCOMING_EVENTS, OUTGOING_EVENTS, WEBHOOK_EVENTS } from './schemas/registry.js';

const DIALECT = 'https://json-schema.org/draft/2020-12/schema';

/** A JSON Schema document. */
export type ContractDocument = Readonly<Record<string, unknown>>;

/**
 * The contract as JSON Schema 2020-12, by file name: one document per event type, one for the decisions of a job's
 * timeline and one for the bodies of the REST API (both by name under `$defs`). Deterministic.
 */
export function contractDocuments(): Map<string, ContractDocument> {
  const documents = new Map<string, ContractDocument>();
  const add = (name: string, body: object): void => {
    documents.set(`${name}.schema.json`, { $schema: DIALECT, $id: `urn:jobwarden:contract:${name}`, ...body });
  };
  add('cloud-event', plain(CloudEvent));
  for (const [type, schema] of Object.entries({ ...INCOMING_EVENTS, ...OUTGOING_EVENTS, ...WEBHOOK_EVENTS })) {
    add(type, { ...plain(schema), examples: [EXAMPLES[type]] });
  }
  add('job-decisions', {
    title: 'Decisions in a job’s timeline',
    $defs: Object.fromEntries(
      Object.entries(DECISION_EVENTS).map(([kind, schema]) => [
        kind,
        { ...plain(schema), examples: [DECISION_EXAMPLES[kind as keyof typeof DECISION_EXAMPLES]] },
      ]),
    ),
  });
  add('rest', {
    title: 'Bodies of the REST API',
    $defs: Object.fromEntries(Object.entries(REST_SCHEMAS).map(([name, schema]) => [name, plain(schema)])),
  });
  return documents;
}

/** Without what TypeBox keeps in a schema for itself. */
function plain(schema: TSchema): object {
  return JSON.parse(JSON.stringify(schema)) as object;
}

/** The text of a document's file. */
export function documentText(document: ContractDocument): string {
  return `${JSON.stringify(document, null, 2)}\n`;
}
