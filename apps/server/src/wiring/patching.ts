import { dirname } from 'node:path';
import { PatchPayload, type PatchParts } from '#libs/application';
import type { Environment } from '#libs/config';
import { FileSchemas } from './payload-schemas.js';

/** Schemas lie beside the policy file that names them. */
export function buildPatching(parts: Omit<PatchParts, 'schemas'>, { configFile }: Environment): PatchPayload {
  return new PatchPayload({ ...parts, schemas: new FileSchemas(dirname(configFile ?? '.')) });
}
