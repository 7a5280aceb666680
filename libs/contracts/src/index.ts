export * from './vocabulary.js';
export { DEFAULT_LIMITS, LIMIT_SETTINGS, type Limits } from './limits.js';
export { eventKey, eventKeyHex, incidentKey, incidentMessagesKey, jobKey, jobKeyHex, patternKeyHex, shardOf } from './keys.js';

export { BodyRef, Invalidates, Position, Worker } from './schemas/field.js';
export { CloudEvent } from './schemas/envelope.js';
export * from './schemas/facts.js';
export * from './schemas/reports.js';
export * from './schemas/decisions.js';
export * from './schemas/outgoing.js';
export * from './schemas/stuck.js';
export * from './schemas/incidents.js';
export { INCOMING_EVENTS, OUTGOING_EVENTS } from './schemas/registry.js';
export { DECISION_EXAMPLES, EXAMPLES, type ExampleEvent } from './examples.js';
export { asyncApiDocument } from './asyncapi/document.js';
export { contractDocuments, documentText, type ContractDocument } from './generate.js';

export * from './rest/problem.js';
export * from './rest/ingest.js';
export * from './rest/claims.js';
export * from './rest/jobs.js';
export * from './rest/queues.js';
export * from './rest/workers.js';
export * from './rest/reconciliations.js';
export * from './rest/shadow-report.js';
export * from './rest/comparison.js';
export * from './rest/dead-letters.js';
export * from './rest/dead-letter-fixture.js';
export * from './rest/dead-letter-patterns.js';
export * from './rest/redrives.js';
export * from './rest/outgoing.js';
export * from './rest/incidents.js';
export * from './rest/operator.js';
export * from './rest/patch.js';
export { REST_SCHEMAS } from './rest/registry.js';

export type * from './parse/parsed-event.js';
export { parseEvent } from './parse/parse-event.js';
export { memberText } from './source/member-span.js';
export { applyJsonPatch, type Patched, type PatchLimits } from './patch/apply-patch.js';
export { bodyDifference, type BodyChange } from './patch/difference.js';
export { PATCH_FAULTS, type PatchFault, type PatchFaultCode } from './patch/fault.js';
export type { EventText } from './parse/event-text.js';
export { readClaim, type ReadClaim } from './parse/read-claim.js';
export { quarantined } from './parse/quarantined.js';
export { storedFact, type FactBase, type FactStamps } from './parse/fact.js';
export { parseRfc3339 } from './parse/rfc3339.js';
export { parseContext, type ParseContext, type ParseOptions, type Transport } from './parse/context.js';

export { redactionRule, REDACTED, type RawRedactionRule, type RedactionRule } from './redaction/rules.js';
export { compileRedaction } from './redaction/compile.js';
export { NO_REDACTION, type Redacted, type Redactor } from './redaction/redactor.js';

export { readHttpEvents, unreadableBytes, type HttpEvents, type HttpEventsRequest } from './http/read-http-events.js';
export { readKafkaRecord, type KafkaRecord, type ReadRecord } from './kafka/read-record.js';
export { ACCEPTED_MEDIA_TYPES, type HttpProblem } from './http/http-problem.js';
export type { HttpMode } from './http/media-type.js';
export type { HttpHeaders } from './http/binary-mode.js';
export { jsonEvents, parseJson, type JsonEvents } from './http/read-json.js';
