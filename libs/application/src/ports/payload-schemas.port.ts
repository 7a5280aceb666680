/** One thing of a payload that its JSON Schema does not allow. */
export interface SchemaFault {
  /** JSON Pointer into the payload. */
  readonly path: string;
  /** For people; holds no value of the payload. */
  readonly rule: string;
}

/** The JSON Schemas that policies name. */
export interface PayloadSchemas {
  /**
   * What `value` does not fulfil, at most 20. A string: the schema cannot be used, and why. Reads the file again once it
   * has changed.
   */
  faultsOf(schema: string, value: unknown): Promise<readonly SchemaFault[] | string>;
}
