import type { SchemaAnswer, SchemaSource } from '#libs/domain';

/** The databases of the workers, asked for the version of their schema. */
export interface SchemaVersions {
  /** Reads only, within seconds, and never throws: why there is no version is an answer, and holds no secret. */
  ask(source: SchemaSource): Promise<SchemaAnswer>;
}
